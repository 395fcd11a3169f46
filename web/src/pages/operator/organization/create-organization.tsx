import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Fault } from '../../../api/fault.ts'
import { useApi, useChange } from '../../../api/use-api.ts'
import { ChangeDialog } from '../../../parts/change-dialog.tsx'
import { errorAt, Select, TextField } from '../../../parts/field.tsx'
import { operatorOrganizations as words } from '../../../words/operator-organizations.ts'

const EMPTY = { slug: '', name: '', plan: '', owner: '' }
const FIELDS = ['slug', 'name', 'plan', 'owner']

export function CreateOrganization({ onClose }: { readonly onClose: () => void }) {
  const create = useChange('POST /operator/organizations', ['GET /operator/organizations'])
  const navigate = useNavigate()
  const [form, setForm] = useState(EMPTY)
  const { slug, name, plan, owner } = form
  const body = {
    slug,
    ...(name !== '' && { name }),
    ...(plan !== '' && { plan }),
    ...(owner !== '' && { owner }),
  }
  return (
    <ChangeDialog
      title={words.create}
      description={words.createText}
      submit={words.create}
      change={create}
      input={{ body }}
      fields={FIELDS}
      done={(made) => words.createdNote(made.name)}
      onDone={({ slug: organization }) =>
        void navigate({ to: '/operator/organizations/$organization', params: { organization } })
      }
      onClose={onClose}
    >
      <Fields form={form} onChange={setForm} fault={create.error} />
    </ChangeDialog>
  )
}

function Fields({
  form,
  onChange,
  fault,
}: {
  readonly form: typeof EMPTY
  readonly onChange: (form: typeof EMPTY) => void
  readonly fault: Fault | null
}) {
  const plans = useApi('GET /operator/plans', {}).data?.data ?? []
  const standard = plans.find((plan) => plan.default)?.name ?? ''
  const { slug, name, plan, owner } = form
  const set = (field: keyof typeof form) => (event: { currentTarget: { value: string } }) =>
    onChange({ ...form, [field]: event.currentTarget.value })
  const fieldError = (field: string) => ({ error: errorAt(fault, field) })
  return (
    <>
      <TextField
        label={words.slug}
        hint={words.slugHint}
        required
        maxLength={63}
        spellCheck={false}
        value={slug}
        onChange={set('slug')}
        {...fieldError('slug')}
      />
      <TextField
        label={words.name}
        hint={words.nameHint}
        optional
        maxLength={200}
        value={name}
        onChange={set('name')}
        {...fieldError('name')}
      />
      <Select
        label={words.plan}
        value={plan === '' ? standard : plan}
        onChange={(value) => onChange({ ...form, plan: value })}
        options={plans.map((each) => ({
          value: each.name,
          label: each.default ? words.defaultPlan(each.name) : each.name,
        }))}
        {...fieldError('plan')}
      />
      <TextField
        label={words.owner}
        hint={words.ownerHint}
        optional
        maxLength={320}
        value={owner}
        onChange={set('owner')}
        {...fieldError('owner')}
      />
    </>
  )
}

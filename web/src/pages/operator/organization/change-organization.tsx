import { useState } from 'react'
import type { Fault } from '../../../api/fault.ts'
import type { OrganizationUpdate } from '../../../api/routes.ts'
import { useApi, useChange } from '../../../api/use-api.ts'
import { formatCount } from '../../../format/number.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../../parts/dialog.tsx'
import { errorAt, Select, TextField } from '../../../parts/field.tsx'
import { FaultNote } from '../../../parts/states.tsx'
import { say } from '../../../parts/toast.tsx'
import { everywhere } from '../../../words/everywhere.ts'
import { operatorOrganizations as words } from '../../../words/operator-organizations.ts'
import { PreviewLines } from './preview-lines.tsx'
import { formOf, LIMITS, updateOf, type OrganizationForm } from './update-of.ts'
import { DETAIL, type Versioned } from './use-organization-detail.ts'

type Props = { readonly detail: Versioned; readonly onClose: () => void }

/** Two steps: the form, then what would change. Only the second one saves. */
export function ChangeOrganization({ detail, onClose }: Props) {
  // The version that the form began with; a later reading must not replace it.
  const [{ value, etag }] = useState(detail)
  const { organization } = value
  const [form, setForm] = useState(() => formOf(organization))
  const [asked, setAsked] = useState<OrganizationUpdate | null>(null)
  const preview = useChange('POST /operator/organizations/{organization}/preview')
  const ask = () => {
    const update = updateOf(organization, form) ?? {}
    preview.mutate(
      { path: { organization: organization.id }, body: update },
      { onSuccess: () => setAsked(update) },
    )
  }
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={asked === null ? words.changeTitle(organization.name) : words.previewTitle}
      description={asked === null ? words.changeText : organization.name}
    >
      {asked === null || preview.data === undefined ? (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            ask()
          }}
        >
          <DialogBody>
            <Fields form={form} onChange={setForm} fault={preview.error} />
          </DialogBody>
          <DialogFoot>
            <Button onClick={onClose}>{everywhere.cancel}</Button>
            <Button type="submit" look="primary" busy={preview.isPending}>
              {words.seeChange}
            </Button>
          </DialogFoot>
        </form>
      ) : (
        <Apply
          update={asked}
          etag={etag}
          organization={organization}
          onBack={() => setAsked(null)}
          onClose={onClose}
        >
          <PreviewLines preview={preview.data} renamed={asked.name} />
        </Apply>
      )}
    </Dialog>
  )
}

function Fields({
  form,
  onChange,
  fault,
}: {
  readonly form: OrganizationForm
  readonly onChange: (form: OrganizationForm) => void
  readonly fault: Fault | null
}) {
  const plans = useApi('GET /operator/plans', {}).data?.data ?? []
  const names = new Set([form.plan, ...plans.map(({ name }) => name)])
  const offered = plans.find(({ name }) => name === form.plan)
  const states = ['ok', 'exhausted', 'conflict'] as const
  return (
    <>
      <TextField
        label={words.name}
        required
        maxLength={200}
        value={form.name}
        error={errorAt(fault, 'name')}
        onChange={(event) => onChange({ ...form, name: event.currentTarget.value })}
      />
      <div className="pair">
        <Select
          label={words.plan}
          value={form.plan}
          error={errorAt(fault, 'plan')}
          onChange={(plan) => onChange({ ...form, plan })}
          options={[...names].map((name) => ({ value: name, label: name }))}
        />
        <Select
          label={words.billingState}
          hint={words.billingHints[form.billingState]}
          value={form.billingState}
          error={errorAt(fault, 'billing_state')}
          onChange={(state) =>
            onChange({ ...form, billingState: states.find((each) => each === state) ?? 'ok' })
          }
          options={states.map((state) => ({ value: state, label: words.billingStates[state] }))}
        />
      </div>
      <div className="pair">
        {LIMITS.map((limit) => (
          <TextField
            key={limit}
            label={words.limitNames[limit]}
            hint={words.emptyLimit(formatCount(offered?.limits[limit]))}
            inputMode="numeric"
            pattern="\s*[0-9]{0,11}\s*"
            value={form.limits[limit]}
            error={errorAt(fault, `limits.${limit}`)}
            onChange={(event) =>
              onChange({ ...form, limits: { ...form.limits, [limit]: event.currentTarget.value } })
            }
          />
        ))}
      </div>
      {fault !== null && fault.param === null && <FaultNote fault={fault} />}
    </>
  )
}

function Apply({
  update,
  etag,
  organization: { id, name },
  onBack,
  onClose,
  children,
}: {
  readonly update: OrganizationUpdate
  readonly etag: string | null
  readonly organization: { readonly id: string; readonly name: string }
  readonly onBack: () => void
  readonly onClose: () => void
  readonly children: React.ReactNode
}) {
  const change = useChange('PATCH /operator/organizations/{organization}', [
    DETAIL,
    'GET /operator/organizations',
  ])
  const nothing = Object.keys(update).length === 0
  const apply = () =>
    change.mutate(
      { path: { organization: id }, body: update, ...(etag !== null && { ifMatch: etag }) },
      {
        onSuccess: () => {
          say(words.applied(name))
          onClose()
        },
      },
    )
  return (
    <>
      <DialogBody>
        {nothing ? <p>{words.nothing}</p> : children}
        {change.error?.status === 412 && <p role="alert">{words.stale}</p>}
        {change.error !== null && <FaultNote fault={change.error} />}
      </DialogBody>
      <DialogFoot>
        <Button onClick={onBack}>{words.backToForm}</Button>
        {!nothing && (
          <Button look="primary" busy={change.isPending} onClick={apply}>
            {words.apply}
          </Button>
        )}
      </DialogFoot>
    </>
  )
}

import { useState } from 'react'
import { useChange } from '../../api/use-api.ts'
import { ChangeDialog } from '../../parts/change-dialog.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { projects as words } from '../../words/projects.ts'
import { limitOf, PROJECT_FIELDS, ProjectFieldset } from './project-form.tsx'

export function CreateProject({
  currency,
  onClose,
}: {
  readonly currency: string
  readonly onClose: () => void
}) {
  const { path } = useOrganization()
  const [fields, setFields] = useState({ name: '', limit: '' })
  const create = useChange('POST /organizations/{organization}/projects', [
    'GET /organizations/{organization}/projects',
  ])
  return (
    <ChangeDialog
      title={words.create}
      description={words.sub}
      submit={words.createButton}
      change={create}
      input={{ path, body: { name: fields.name.trim(), spending_limit: limitOf(fields) } }}
      fields={PROJECT_FIELDS}
      done={({ name }) => words.created(name)}
      onClose={onClose}
    >
      <ProjectFieldset
        value={fields}
        onChange={setFields}
        fault={create.error}
        currency={currency}
      />
    </ChangeDialog>
  )
}

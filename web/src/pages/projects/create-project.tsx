import { useState } from 'react'
import { useChange } from '../../api/use-api.ts'
import { FormDialog } from '../../parts/dialog.tsx'
import { FaultNote } from '../../parts/states.tsx'
import { say } from '../../parts/toast.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { projects as words } from '../../words/projects.ts'
import { isAtField, limitOf, ProjectFieldset } from './project-form.tsx'

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
  const { error } = create
  return (
    <FormDialog
      onClose={onClose}
      title={words.create}
      description={words.sub}
      onSubmit={() => {
        create.mutate(
          { path, body: { name: fields.name.trim(), spending_limit: limitOf(fields) } },
          {
            onSuccess: ({ name }) => {
              say(words.created(name))
              onClose()
            },
          },
        )
      }}
      submit={words.createButton}
      busy={create.isPending}
    >
      {error !== null && !isAtField(error) && <FaultNote fault={error} />}
      <ProjectFieldset value={fields} onChange={setFields} fault={error} currency={currency} />
    </FormDialog>
  )
}

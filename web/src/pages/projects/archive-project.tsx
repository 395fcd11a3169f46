import { useState } from 'react'
import type { Project } from '../../api/routes.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { FormDialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { FaultNote } from '../../parts/states.tsx'
import { say } from '../../parts/toast.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { project as words } from '../../words/projects.ts'

const KEYS_COUNTED = 100

/** Permanent, so that it asks for the name. */
export function ArchiveProject({
  project,
  onClose,
}: {
  readonly project: Project
  readonly onClose: () => void
}) {
  const { path } = useOrganization()
  const [typed, setTyped] = useState('')
  const keys = useApi('GET /organizations/{organization}/keys', {
    path,
    query: { project: project.id, state: 'active', limit: KEYS_COUNTED },
  })
  const archive = useChange('POST /organizations/{organization}/projects/{project}/archive', [
    'GET /organizations/{organization}/projects',
    'GET /organizations/{organization}/projects/{project}',
    'GET /organizations/{organization}/keys',
  ])
  const count = keys.data?.data.length ?? 0
  const consequence =
    count === 0
      ? words.archiveNoKeys
      : words.archiveDescription({ count, more: keys.data?.next !== null })
  return (
    <FormDialog
      alert
      onClose={onClose}
      title={words.archiveTitle(project.name)}
      description={keys.data === undefined ? words.archiveText : consequence}
      onSubmit={() => {
        if (typed !== project.name) return
        archive.mutate(
          { path: { ...path, project: project.id } },
          {
            onSuccess: () => {
              say(words.archivedNow(project.name))
              onClose()
            },
          },
        )
      }}
      submit={words.archiveButton}
      danger
      busy={archive.isPending}
      disabled={typed !== project.name}
    >
      {archive.error !== null && <FaultNote fault={archive.error} />}
      <TextField
        label={words.typeName(project.name)}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </FormDialog>
  )
}

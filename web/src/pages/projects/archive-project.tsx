import type { Project } from '../../api/routes.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { AskByName } from '../../parts/ask-by-name.tsx'
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
    <AskByName
      title={words.archiveTitle(project.name)}
      text={keys.data === undefined ? words.archiveText : consequence}
      name={project.name}
      button={words.archiveButton}
      change={archive}
      input={{ path: { ...path, project: project.id } }}
      done={words.archivedNow(project.name)}
      onClose={onClose}
    />
  )
}

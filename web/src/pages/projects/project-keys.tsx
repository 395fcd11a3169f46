import { Link } from '@tanstack/react-router'
import type { Project } from '../../api/routes.ts'
import { useList } from '../../api/use-list.ts'
import { formatDate } from '../../format/time.ts'
import { Name } from '../../parts/name.tsx'
import { Card } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { project as words } from '../../words/projects.ts'

const KEYS_SHOWN = 20
const { keysColumns: columns } = words

/** The keys of a project that work. Members see their own. */
export function ProjectKeys({ project }: { readonly project: Project }) {
  const { path, slug } = useOrganization()
  const list = useList('GET /organizations/{organization}/keys', {
    path,
    query: { project: project.id, state: 'active', limit: KEYS_SHOWN },
  })
  return (
    <Card
      title={words.keys}
      end={
        <Link
          className="quiet-link"
          to="/o/$slug/keys"
          params={{ slug }}
          search={{ project: project.id }}
        >
          {words.keysLink}
        </Link>
      }
    >
      <ListTable
        caption={words.keys}
        what={words.keys}
        columns={[{ name: columns.name }, { name: columns.used }, { name: columns.expires }]}
        list={list}
        empty={<p className="card-body ink-3">{words.noKeys}</p>}
        row={(key) => (
          <tr key={key.id}>
            <th scope="row">
              <Link className="row-link" to="/o/$slug/keys/$key" params={{ slug, key: key.id }}>
                <Name value={key.name} />
              </Link>
            </th>
            <td data-label={columns.used}>
              {key.last_used_at === null ? everywhere.never : <Ago time={key.last_used_at} />}
            </td>
            <td data-label={columns.expires}>
              {key.expires_at === null ? everywhere.never : formatDate(key.expires_at)}
            </td>
          </tr>
        )}
      />
    </Card>
  )
}

import { getRouteApi, Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { ListedProject } from '../../api/routes.ts'
import { useList } from '../../api/use-list.ts'
import { formatAmount, formatCount, UNKNOWN } from '../../format/number.ts'
import { formatDate } from '../../format/time.ts'
import { Button } from '../../parts/button.tsx'
import { Name } from '../../parts/name.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { sortColumn, type Order } from '../../parts/sort-column.tsx'
import { ListTable, Table } from '../../parts/table.tsx'
import { useCurrency } from '../../shell/currency.ts'
import { icons } from '../../shell/icons.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { present, sortingOf } from '../../shell/search.ts'
import { projects as words } from '../../words/projects.ts'
import { CreateProject } from './create-project.tsx'
import { Spent } from './spent.tsx'
import { useSpentByProject } from './use-spent.ts'

const { columns, archivedColumns } = words
const PAGE = 100
const route = getRouteApi('/app/o/$slug/projects')

export function ProjectsPage() {
  const { path, may } = useOrganization()
  const { sort, order } = route.useSearch()
  const navigate = route.useNavigate()
  const onSort = (by: 'name', direction: Order) =>
    void navigate({ search: { sort: by, order: direction }, replace: true })
  const [creating, setCreating] = useState(false)
  const list = useList('GET /organizations/{organization}/projects', {
    path,
    query: { limit: PAGE, ...sortingOf(present({ sort, order })) },
  })
  const spentBy = useSpentByProject()
  const currency = useCurrency()
  const active = list.items?.filter((project) => project.archived_at === null)
  const archived = list.items?.filter((project) => project.archived_at !== null) ?? []
  const create = may('projects:write') && (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Plus size={16} aria-hidden /> {words.create}
    </Button>
  )
  return (
    <Page title={words.title} sub={words.sub} actions={create}>
      <Card>
        <ListTable
          caption={words.title}
          what={words.title}
          className="projects"
          columns={[
            sortColumn({ name: columns.name }, { by: 'name', first: 'asc', sort, order, onSort }),
            { name: columns.keys, numeric: true },
            ...(spentBy === undefined ? [] : [{ name: columns.spent }]),
            { name: columns.created, className: 'opt' },
          ]}
          list={{ ...list, items: active }}
          empty={
            <Empty icon={<icons.projects size={20} aria-hidden />} title={words.none}>
              {words.noneText}
            </Empty>
          }
          row={(project) => (
            <ProjectRow
              key={project.id}
              project={project}
              spent={spentBy && spentBy(project.id)}
              showSpent={spentBy !== undefined}
            />
          )}
        />
      </Card>
      {archived.length > 0 && (
        <Archived projects={archived} spentBy={spentBy} currency={currency} />
      )}
      {creating && <CreateProject currency={currency} onClose={() => setCreating(false)} />}
    </Page>
  )
}

function ProjectRow({
  project,
  spent,
  showSpent,
}: {
  readonly project: ListedProject
  readonly spent: number | undefined
  readonly showSpent: boolean
}) {
  const { keys } = project
  return (
    <tr>
      <th scope="row">
        <ProjectLink project={project} />
      </th>
      <td className="num" data-label={columns.keys}>
        {keys === null ? UNKNOWN : `${formatCount(keys.count)}${keys.more ? '+' : ''}`}
      </td>
      {showSpent && (
        <td className="spent-cell">
          <Spent project={project} spent={spent} />
        </td>
      )}
      <td className="opt">{formatDate(project.created_at)}</td>
    </tr>
  )
}

function ProjectLink({ project }: { readonly project: Pick<ListedProject, 'id' | 'name'> }) {
  const { slug } = useOrganization()
  return (
    <Link
      className="row-link"
      to="/o/$slug/projects/$project"
      params={{ slug, project: project.id }}
    >
      <Name value={project.name} />
    </Link>
  )
}

function Archived({
  projects,
  spentBy,
  currency,
}: {
  readonly projects: readonly ListedProject[]
  readonly spentBy: ReturnType<typeof useSpentByProject>
  readonly currency: string
}) {
  return (
    <Card title={words.archived} meta={formatCount(projects.length)}>
      <Table
        caption={words.archived}
        className="listed"
        columns={[
          { name: archivedColumns.name },
          { name: archivedColumns.on },
          ...(spentBy === undefined ? [] : [{ name: archivedColumns.spent }]),
        ]}
      >
        {projects.map((project) => (
          <tr key={project.id}>
            <th scope="row">
              <ProjectLink project={project} />
            </th>
            <td className="ink-3">{formatDate(project.archived_at ?? 0)}</td>
            {spentBy !== undefined && (
              <td>
                {formatAmount(spentBy(project.id))} {currency}
              </td>
            )}
          </tr>
        ))}
      </Table>
    </Card>
  )
}

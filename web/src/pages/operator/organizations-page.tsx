import { getRouteApi, Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useCallback } from 'react'
import type { OperatorOrganization } from '../../api/routes.ts'
import { useList } from '../../api/use-list.ts'
import { formatCount } from '../../format/number.ts'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { SearchField } from '../../parts/filter.tsx'
import { Name } from '../../parts/name.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { sortColumn, type Order, type Sorting } from '../../parts/sort-column.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Ago } from '../../parts/time.tsx'
import { operatorIcons } from '../../shell/operator-icons.ts'
import { present, sortingOf } from '../../shell/search.ts'
import { operatorOrganizations as words } from '../../words/operator-organizations.ts'
import { suspension as suspensionWords } from '../../words/suspension.ts'
import { CreateOrganization } from './organization/create-organization.tsx'
import { useMayChange } from './platform-role.ts'
import type { OrganizationsSearch } from './search.ts'

const route = getRouteApi('/app/operator/organizations')
const PAGE = 50

function organizationColumns(sorting: Sorting<NonNullable<OrganizationsSearch['sort']>>) {
  return [
    sortColumn({ name: words.name }, { by: 'name', first: 'asc', ...sorting }),
    { name: words.slug, className: 'opt-2' },
    sortColumn({ name: words.plan }, { by: 'plan', first: 'asc', ...sorting }),
    { name: words.billingState },
    { name: words.overrides, numeric: true, className: 'opt-2' },
    { name: words.created },
  ]
}

export function OperatorOrganizationsPage() {
  const { q, sort, order } = route.useSearch()
  const navigate = route.useNavigate()
  const mayChange = useMayChange()
  const onSearch = useCallback(
    (text: string | undefined) =>
      void navigate({ search: (before) => present({ ...before, q: text }), replace: true }),
    [navigate],
  )
  const onSort = (by: NonNullable<typeof sort>, direction: Order) =>
    void navigate({
      search: (before) => present({ ...before, sort: by, order: direction }),
      replace: true,
    })
  const list = useList('GET /operator/organizations', {
    query: { limit: PAGE, ...present({ q }), ...sortingOf(present({ sort, order })) },
  })
  return (
    <Page
      title={words.title}
      sub={words.sub}
      actions={
        mayChange && (
          <DialogButton look="primary" dialog={(close) => <CreateOrganization onClose={close} />}>
            <Plus size={16} aria-hidden /> {words.create}
          </DialogButton>
        )
      }
    >
      <div className="filters">
        <SearchField label={words.search} value={q} onSearch={onSearch} />
      </div>
      <Card>
        <ListTable
          caption={words.caption}
          what={words.what}
          columns={organizationColumns({ sort, order, onSort })}
          list={list}
          row={(organization) => <Row key={organization.id} organization={organization} />}
          empty={
            <Empty icon={<operatorIcons.organizations size={24} aria-hidden />} title={words.empty}>
              {words.emptyText}
            </Empty>
          }
        />
      </Card>
    </Page>
  )
}

function Row({ organization }: { readonly organization: OperatorOrganization }) {
  const { slug, name, plan, billing_state: state, limits, suspension } = organization
  const overrides = Object.values(limits).filter((limit) => limit !== null).length
  return (
    <tr>
      <th scope="row">
        <Link to="/operator/organizations/$organization" params={{ organization: slug }}>
          <Name value={name} />
        </Link>
      </th>
      <td className="opt opt-2">
        <code>
          <Name value={slug} />
        </code>
      </td>
      <td>{plan}</td>
      <td>
        <BillingTag state={state} />
        {suspension !== null && (
          <>
            {' '}
            <Tag tone="bad">{suspensionWords.tag}</Tag>
          </>
        )}
      </td>
      <td className="num opt opt-2">{formatCount(overrides)}</td>
      <td className="ink-3 xs-n">
        <Ago time={organization.created_at} />
      </td>
    </tr>
  )
}

export function BillingTag({ state }: { readonly state: OperatorOrganization['billing_state'] }) {
  const tones = { ok: 'ok', exhausted: 'warn', conflict: 'bad' } as const
  return <Tag tone={tones[state]}>{words.billingStates[state]}</Tag>
}

import { getRouteApi, Link } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useList } from '../../api/use-list.ts'
import type { OperatorAccount } from '../../api/routes.ts'
import { UNKNOWN } from '../../format/number.ts'
import { Filter, SearchField } from '../../parts/filter.tsx'
import { Name } from '../../parts/name.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Ago } from '../../parts/time.tsx'
import { icons } from '../../shell/icons.ts'
import { operatorPeople as words } from '../../words/operator-people.ts'
import { ACCOUNT_STATES, PLATFORM_ROLES, readAccountsSearch } from './search.ts'

const route = getRouteApi('/app/operator/accounts')
const PAGE = 50

const COLUMNS = [
  { name: words.address },
  { name: words.name, className: 'opt-2' },
  { name: words.state },
  { name: words.platformRole },
  { name: words.created },
]

export function AccountsPage() {
  const { q, state, role } = route.useSearch()
  const navigate = route.useNavigate()
  const set = useCallback(
    (change: Record<string, string | undefined>) =>
      void navigate({
        search: (before) => readAccountsSearch({ ...before, ...change }),
        replace: true,
      }),
    [navigate],
  )
  const onSearch = useCallback((text: string | undefined) => set({ q: text }), [set])
  const list = useList('GET /operator/accounts', {
    query: {
      limit: PAGE,
      ...(q !== undefined && { q }),
      ...(state !== undefined && { state }),
      ...(role !== undefined && { platform_role: role }),
    },
  })
  return (
    <Page title={words.title} sub={words.sub}>
      <div className="filters">
        <SearchField label={words.search} value={q} onSearch={onSearch} />
        <Filter
          label={words.state}
          options={ACCOUNT_STATES.map((value) => ({ value, label: words.states[value] }))}
          chosen={state}
          onChoose={(value) => set({ state: value })}
        />
        <Filter
          label={words.platformRole}
          options={PLATFORM_ROLES.map((value) => ({ value, label: words.platformRoles[value] }))}
          chosen={role}
          onChoose={(value) => set({ role: value })}
        />
      </div>
      <Card>
        <ListTable
          caption={words.caption}
          what={words.what}
          columns={COLUMNS}
          list={list}
          row={(account) => <Row key={account.id} account={account} />}
          empty={
            <Empty icon={<icons.members size={24} aria-hidden />} title={words.empty}>
              {words.emptyText}
            </Empty>
          }
        />
      </Card>
    </Page>
  )
}

function Row({ account }: { readonly account: OperatorAccount }) {
  return (
    <tr>
      <th scope="row">
        <Link to="/operator/accounts/$account" params={{ account: account.id }}>
          <Name value={account.email} />
        </Link>
      </th>
      <td className="ink-2 opt opt-2">
        <Name value={account.name ?? UNKNOWN} />
      </td>
      <td>
        <StateTag state={account.state} />
      </td>
      <td className="xs-n">
        {account.platform_role === null ? words.noRole : words.platformRoles[account.platform_role]}
      </td>
      <td className="ink-3 xs-n">
        <Ago time={account.created_at} />
      </td>
    </tr>
  )
}

export function StateTag({ state }: { readonly state: OperatorAccount['state'] }) {
  const tones = { waiting: 'accent', active: 'ok', restricted: 'bad' } as const
  return <Tag tone={tones[state]}>{words.states[state]}</Tag>
}

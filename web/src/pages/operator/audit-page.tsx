import { getRouteApi, Link } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { PlatformAuditEvent } from '../../api/routes.ts'
import { useList } from '../../api/use-list.ts'
import { SearchField } from '../../parts/filter.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Instant } from '../../parts/time.tsx'
import { icons } from '../../shell/icons.ts'
import { operator } from '../../words/operator.ts'
import { useMayChange } from './platform-role.ts'
import { readOperatorAuditSearch } from './search.ts'
import styles from './operator.module.css'

const words = operator.audit
const route = getRouteApi('/app/operator/audit')
const PAGE = 50

const COLUMNS = [
  { name: words.when },
  { name: words.who },
  { name: words.did },
  { name: words.to },
  { name: words.changes, className: 'opt-2' },
]

export function OperatorAuditPage() {
  const { organization, action } = route.useSearch()
  const navigate = route.useNavigate()
  const isOperator = useMayChange()
  const set = useCallback(
    (change: Record<string, string | undefined>) =>
      void navigate({
        search: (before) => readOperatorAuditSearch({ ...before, ...change }),
        replace: true,
      }),
    [navigate],
  )
  const onOrganization = useCallback(
    (text: string | undefined) => set({ organization: text }),
    [set],
  )
  const onAction = useCallback((text: string | undefined) => set({ action: text }), [set])
  const list = useList('GET /operator/audit-events', {
    query: {
      limit: PAGE,
      ...(organization !== undefined && { organization }),
      ...(action !== undefined && { action }),
    },
  })
  return (
    <Page title={words.title} sub={isOperator ? words.sub : words.supportSub}>
      <div className="filters">
        <SearchField label={words.organization} value={organization} onSearch={onOrganization} />
        <SearchField label={words.action} value={action} onSearch={onAction} />
      </div>
      <Card>
        <ListTable
          caption={words.caption}
          what={words.what}
          columns={COLUMNS}
          list={list}
          row={(event) => <Row key={event.id} event={event} />}
          empty={
            <Empty icon={<icons.audit size={24} aria-hidden />} title={words.empty}>
              {words.emptyText}
            </Empty>
          }
        />
      </Card>
    </Page>
  )
}

function Row({ event }: { readonly event: PlatformAuditEvent }) {
  const { actor, target, changes } = event
  return (
    <tr>
      <th scope="row" className="nowrap">
        <Instant time={event.made_at} />
      </th>
      <td className="cut">{actor.label}</td>
      <td className="xs-n">
        <code>{event.action}</code>
      </td>
      <td className="ink-2 xs-n">
        <Target kind={target.kind} id={target.id} label={target.label} />
      </td>
      <td className={`ink-3 xs opt opt-2 ${styles.wrapText}`}>
        {Object.entries(changes)
          .map(([field, [before, after]]) => `${field}: ${textOf(before)} → ${textOf(after)}`)
          .join(' · ')}
      </td>
    </tr>
  )
}

function Target({ kind, id, label }: PlatformAuditEvent['target']) {
  const text = label ?? id
  if (kind === 'organization')
    return (
      <Link to="/operator/organizations/$organization" params={{ organization: id }}>
        {text}
      </Link>
    )
  if (kind === 'account')
    return (
      <Link to="/operator/accounts/$account" params={{ account: id }}>
        {text}
      </Link>
    )
  return text
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return words.none
  return typeof value === 'string' ? value : JSON.stringify(value)
}

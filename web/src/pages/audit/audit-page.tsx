import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useMemo } from 'react'
import { addressOf } from '../../api/call.ts'
import { useApi } from '../../api/use-api.ts'
import { useList } from '../../api/use-list.ts'
import { Button } from '../../parts/button.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Empty, FaultNote, Skeleton } from '../../parts/states.tsx'
import { ListTable, type Column } from '../../parts/table.tsx'
import { icons } from '../../shell/icons.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { present } from '../../shell/search.ts'
import { audit as words } from '../../words/audit.ts'
import { AuditFilters } from './audit-filters.tsx'
import { EventDetails, EventRow } from './event-row.tsx'
import type { AuditPeriod, readAuditSearch } from './search.ts'
import { cursorBefore } from './show-value.ts'
import styles from './audit.module.css'

const EVENTS = 'GET /organizations/{organization}/audit-events'
const HOUR_MS = 3_600_000
const HOURS: Readonly<Record<AuditPeriod, number>> = {
  '24h': 24,
  '7d': 168,
  '30d': 720,
  '90d': 2160,
}
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const route = getRouteApi('/app/o/$slug/audit')

const { columns } = words
const COLUMNS: readonly Column[] = [
  { name: columns.when },
  { name: columns.who },
  { name: columns.what },
  { name: columns.target },
  { name: columns.where, className: 'opt' },
]

export type AuditSearch = ReturnType<typeof readAuditSearch>

export function AuditPage() {
  const { path } = useOrganization()
  const search = route.useSearch()
  const { actor, action, target, period, via, event } = search
  // Fixed for the choice: a time that moves would read the list again and again.
  const from = useMemo(
    () =>
      period === undefined
        ? undefined
        : new Date(Date.now() - HOURS[period] * HOUR_MS).toISOString(),
    [period],
  )
  const query = present({ actor, action, target, actor_kind: via, from })
  const list = useList(EVENTS, { path, query })
  const go = useChangeSearch()
  const isListed = event === undefined || list.items?.some(({ id }) => id === event) === true
  return (
    <Page title={words.title} sub={words.sub} actions={<Exports query={query} />}>
      <AuditFilters search={search} onChange={go} />
      {!isListed && list.items !== undefined && (
        <LinkedEvent id={event} onClose={() => go({ ...search, event: undefined })} />
      )}
      <Card>
        <ListTable
          caption={words.title}
          what={words.title}
          className={styles.audit}
          columns={COLUMNS}
          list={list}
          empty={
            <Empty
              icon={<icons.audit size={20} aria-hidden />}
              title={words.none}
              action={
                list.hasMore ? (
                  <Button busy={list.isFetching} onClick={list.loadMore}>
                    {words.more}
                  </Button>
                ) : (
                  <Button onClick={() => go({})}>{words.reset}</Button>
                )
              }
            />
          }
          row={(each) => (
            <EventRow
              key={each.id}
              event={each}
              isOpen={each.id === event}
              columns={COLUMNS.length}
              onToggle={() => go({ ...search, event: each.id === event ? undefined : each.id })}
              onFilter={(filter) => go({ ...search, ...filter, event: undefined })}
            />
          )}
        />
      </Card>
    </Page>
  )
}

type Changed = { readonly [Name in keyof AuditSearch]?: AuditSearch[Name] | undefined }

function useChangeSearch(): (search: Changed) => void {
  const navigate = useNavigate()
  const { slug } = useOrganization()
  return (search) =>
    void navigate({
      to: '/o/$slug/audit',
      params: { slug },
      search: present(search),
      replace: true,
      resetScroll: false,
    })
}

/** All events of the filters as a file, whatever is loaded here. */
function Exports({ query }: { readonly query: Record<string, string> }) {
  const { path } = useOrganization()
  const formats = [
    ['csv', words.exportCsv],
    ['jsonl', words.exportLines],
  ] as const
  return formats.map(([format, label]) => (
    <a
      key={format}
      className="btn"
      download
      href={addressOf(`${EVENTS}/export`, { path, query: { ...query, format } })}
    >
      <Download size={16} aria-hidden /> {label}
    </a>
  ))
}

/** The event that a link names, if the filters or the page do not show it. */
function LinkedEvent({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { path } = useOrganization()
  const isId = UUID.test(id)
  const reading = useApi(
    EVENTS,
    { path, query: { limit: 1, ...(isId && { after: cursorBefore(id) }) } },
    { enabled: isId },
  )
  const found = reading.data?.data.find((event) => event.id === id)
  if (isId && reading.data === undefined && reading.error === null) return <Skeleton />
  if (reading.error !== null)
    return (
      <FaultNote what={words.event} fault={reading.error} retry={() => void reading.refetch()} />
    )
  return (
    <Card
      title={words.linked}
      className={styles.linkedEvent}
      end={
        <Button size="sm" onClick={onClose}>
          {words.removeFilter(words.event)}
        </Button>
      }
    >
      {found === undefined ? (
        <p className="card-body ink-3">{words.notFound}</p>
      ) : (
        <EventDetails event={found} withSummary />
      )}
    </Card>
  )
}

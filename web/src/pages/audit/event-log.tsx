import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Fault } from '../../api/fault.ts'
import type { AuditEvent } from '../../api/routes.ts'
import type { List } from '../../api/use-list.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/page.tsx'
import { Empty, FaultNote, Skeleton } from '../../parts/states.tsx'
import { ListTable, type Column } from '../../parts/table.tsx'
import { icons } from '../../shell/icons.ts'
import type { SearchChange } from '../../shell/search.ts'
import { audit as words } from '../../words/audit.ts'
import { EventDetails, EventRow, type EventWords } from './event-row.tsx'
import type { AuditSearch } from './search.ts'
import { cursorBefore } from './show-value.ts'
import styles from './audit.module.css'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const { columns } = words
const COLUMNS: readonly Column[] = [
  { name: columns.when },
  { name: columns.who },
  { name: columns.what },
  { name: columns.target },
  { name: columns.where, className: 'opt' },
]

/** The query that reads the event of a link; undefined if the list shows it, or is not there. */
export function missingEvent(
  list: List<AuditEvent>,
  id: string | undefined,
): { readonly limit: number; readonly after: string } | undefined {
  if (id === undefined || !UUID.test(id) || list.items === undefined) return undefined
  return list.items.some((event) => event.id === id)
    ? undefined
    : { limit: 1, after: cursorBefore(id) }
}

type Reading<Event> = {
  readonly data: { readonly data: readonly Event[] } | undefined
  readonly error: Fault | null
  readonly refetch: () => unknown
}

/** Audit events as a table whose rows open, and above it the event that a link names. */
export function EventLog<Event extends AuditEvent>({
  list,
  linked,
  search,
  onChange,
  ...event
}: EventWords<Event> & {
  readonly list: List<Event>
  /** What `missingEvent` asked for. */
  readonly linked: Reading<Event>
  readonly search: AuditSearch
  readonly onChange: (search: SearchChange<AuditSearch>) => void
}) {
  const open = search.event
  const isListed = open === undefined || list.items?.some(({ id }) => id === open) === true
  const reset = <Button onClick={() => onChange({})}>{words.reset}</Button>
  return (
    <>
      {!isListed && list.items !== undefined && (
        <LinkedEvent
          id={open}
          reading={linked}
          onClose={() => onChange({ ...search, event: undefined })}
          {...event}
        />
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
                  reset
                )
              }
            />
          }
          row={(each) => (
            <EventRow
              key={each.id}
              event={each}
              isOpen={each.id === open}
              columns={COLUMNS.length}
              onToggle={() =>
                onChange({ ...search, event: each.id === open ? undefined : each.id })
              }
              onFilter={(filter) => onChange({ ...search, ...filter, event: undefined })}
              {...event}
            />
          )}
        />
      </Card>
    </>
  )
}

/** The event that a link names, if the filters or the page do not show it. */
function LinkedEvent<Event extends AuditEvent>({
  id,
  reading,
  onClose,
  ...event
}: EventWords<Event> & {
  readonly id: string
  readonly reading: Reading<Event>
  readonly onClose: () => void
}) {
  const found = reading.data?.data.find((each) => each.id === id)
  if (UUID.test(id) && reading.data === undefined && reading.error === null) return <Skeleton />
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
        <EventDetails event={found} withSummary {...event} />
      )}
    </Card>
  )
}

/** All events of the filters as a file, whatever is loaded here. */
export function ExportLinks({
  address,
}: {
  readonly address: (format: 'csv' | 'jsonl') => string
}): ReactNode {
  const formats = [
    ['csv', words.exportCsv],
    ['jsonl', words.exportLines],
  ] as const
  return formats.map(([format, label]) => (
    <a key={format} className="btn" download href={address(format)}>
      <Download size={16} aria-hidden /> {label}
    </a>
  ))
}

import { ArrowRight, ChevronRight } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'
import type { AuditEvent } from '../../api/routes.ts'
import { formatInstant } from '../../format/time.ts'
import { Copy, CopyButton } from '../../parts/copy.tsx'
import { Name } from '../../parts/name.tsx'
import { Instant } from '../../parts/time.tsx'
import { audit as words } from '../../words/audit.ts'
import { showValue } from './show-value.ts'
import styles from './audit.module.css'

/** What a log says of its events. */
export type EventWords<Event extends AuditEvent> = {
  /** An action in words. */
  readonly nameOf: (action: string) => string
  /** Further facts of an open event. */
  readonly more?: (event: Event) => ReactNode
}

type Props<Event extends AuditEvent> = EventWords<Event> & {
  readonly event: Event
  readonly isOpen: boolean
  readonly columns: number
  readonly onToggle: () => void
  readonly onFilter: (filter: { readonly actor?: string; readonly target?: string }) => void
}

/** One event. Opened, it has its changes below it and is in the address. */
export function EventRow<Event extends AuditEvent>({
  event,
  isOpen,
  columns,
  onToggle,
  onFilter,
  ...said
}: Props<Event>) {
  const row = useRef<HTMLTableRowElement>(null)
  useEffect(() => {
    if (isOpen) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isOpen])
  const { actor, target } = event
  const name = said.nameOf(event.action)
  const actorRef = actor.id ?? actor.label
  return (
    <>
      <tr ref={row} className={isOpen ? styles.isOpen : undefined}>
        <th scope="row">
          <button
            type="button"
            className={styles.eventToggle}
            aria-expanded={isOpen}
            aria-controls={`event-${event.id}`}
            aria-label={`${words.open}: ${name}, ${formatInstant(event.made_at)}`}
            onClick={onToggle}
          >
            <ChevronRight size={14} aria-hidden />
            <Instant time={event.made_at} />
          </button>
        </th>
        <td className={styles.who}>
          <button
            type="button"
            className={`${styles.cellFilter} cut`}
            title={words.onlyActor}
            onClick={() => onFilter({ actor: actorRef })}
          >
            <Name value={actor.label === '' ? words.unknownActor : actor.label} />
          </button>
        </td>
        <td className={styles.what}>{name}</td>
        <td className={styles.target}>
          <button
            type="button"
            className={`${styles.cellFilter} cut`}
            title={words.onlyTarget}
            onClick={() => onFilter({ target: target.id })}
          >
            <Name value={target.label ?? target.kind.replaceAll('_', ' ')} />
          </button>
        </td>
        <td className="opt ink-2">{placeOf(event)}</td>
      </tr>
      {isOpen && (
        <tr className={styles.eventMore} id={`event-${event.id}`}>
          <td colSpan={columns}>
            <EventDetails event={event} {...said} />
          </td>
        </tr>
      )}
    </>
  )
}

function placeOf({ actor }: AuditEvent): string {
  return (words.kinds as Readonly<Record<string, string>>)[actor.kind] ?? actor.kind
}

/** What changed, and the ids that support asks for. */
export function EventDetails<Event extends AuditEvent>({
  event,
  withSummary = false,
  nameOf,
  more,
}: EventWords<Event> & {
  readonly event: Event
  readonly withSummary?: boolean
}) {
  const { columns } = words
  return (
    <div className={styles.eventDetails}>
      {withSummary && (
        <dl className="facts">
          <dt>{columns.when}</dt>
          <dd>
            <Instant time={event.made_at} />
          </dd>
          <dt>{columns.who}</dt>
          <dd>{event.actor.label}</dd>
          <dt>{columns.what}</dt>
          <dd>{nameOf(event.action)}</dd>
          <dt>{columns.target}</dt>
          <dd>{event.target.label ?? event.target.id}</dd>
          <dt>{columns.where}</dt>
          <dd>{placeOf(event)}</dd>
        </dl>
      )}
      {event.hidden ? (
        <p className="ink-3">{words.hiddenChanges}</p>
      ) : (
        <Changes changes={event.changes} />
      )}
      <dl className="facts">
        <dt>{words.event}</dt>
        <dd>
          <code>{event.action}</code>{' '}
          <CopyButton value={linkTo(event)} what={words.copyLink} label={words.copyLink} />
        </dd>
        <dt>{words.targetId}</dt>
        <dd>
          <Copy value={event.target.id} what={words.targetId} />
        </dd>
        {more?.(event)}
        {event.request_id !== null && (
          <>
            <dt>{words.requestId}</dt>
            <dd>
              <Copy value={event.request_id} what={words.requestId} />
            </dd>
          </>
        )}
      </dl>
    </div>
  )
}

function Changes({ changes }: Pick<AuditEvent, 'changes'>) {
  const rows = Object.entries(changes).filter(
    ([, [before, after]]) => JSON.stringify(before) !== JSON.stringify(after),
  )
  if (rows.length === 0) return <p className="ink-3">{words.noChanges}</p>
  return (
    <dl className={styles.changes}>
      {rows.map(([field, [before, after]]) => (
        <div key={field}>
          <dt>{field}</dt>
          <dd>
            <span className="sr">{words.before} </span>
            <span className={styles.was}>{showValue(before)}</span>
            <ArrowRight size={14} aria-hidden />
            <span className="sr">{words.after} </span>
            <b>{showValue(after)}</b>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The address of the page with this event open and no filters. */
function linkTo({ id }: AuditEvent): string {
  return `${location.origin}${location.pathname}?event=${id}`
}

import { sql, type Kysely, type RawBuilder } from 'kysely'
import { timeOfUuid } from '../../lib/uuid.ts'
import type { Page } from '../postgres/page.ts'
import type { AuditEventRow } from '../postgres/platform-tables.ts'
import type { Tables } from '../postgres/tables.ts'

export type AuditFilter = {
  /** The id of an account or key, or the name of a system user. */
  readonly actor?: string
  readonly action?: string
  /** An action that is left out. */
  readonly withoutAction?: string
  /** The id of what was changed. */
  readonly target?: string
  /** How the actor came: a person, a management key, support and so on. */
  readonly actorKind?: string
  /** Leaves out when members signed in, or failed to. */
  readonly withoutSignIns?: true
  readonly fromMs?: number
  readonly toMs?: number
}

export type AuditPage = {
  readonly events: readonly AuditEventRow[]
  /** Continue after this id; null at the end. Several filters may leave a page with few events. */
  readonly next: string | null
}

/** Rows that a page with several filters reads at most; the next page goes on from there. */
const SCANNED_MAX = 1_000

/** Months that a page looks into at most. */
const MONTHS_MAX = 36

const LAST_MS = Date.UTC(9999, 11, 31)

// Otherwise a plan that reads and sorts all events of the month may look cheaper than an index.
const READ_IN_ORDER = sql`
  select set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)`

/** The id of an organization, `all` for the whole platform, `none` for what concerns none. */
export type AuditScope = { readonly id: string; readonly created_at: Date }

/**
 * The audit events of an organization, newest first. Looks into one monthly partition after the
 * other and stops when the page is full. With at most one of `actor`, `action` and `target` it
 * reads one row more than it returns. Of the whole platform, only the order has an index.
 */
export async function findAuditEvents(
  database: Kysely<Tables>,
  organization: AuditScope,
  filter: AuditFilter,
  page: Page,
): Promise<AuditPage> {
  if (!database.isTransaction)
    return database
      .transaction()
      .execute((transaction) => findAuditEvents(transaction, organization, filter, page))
  await READ_IN_ORDER.execute(database)
  const conditions = conditionsOf(filter)
  const everywhere = organization.id === 'all'
  const indexed = everywhere ? undefined : conditions[0]
  const { actorKind, withoutAction, withoutSignIns } = filter
  const others = [
    ...(everywhere ? conditions : conditions.slice(1)),
    // Without an index.
    ...(actorKind === undefined ? [] : [sql<boolean>`actor_kind = ${actorKind}`]),
    ...(withoutAction === undefined ? [] : [sql<boolean>`action <> ${withoutAction}`]),
    ...(withoutSignIns === undefined ? [] : [sql<boolean>`action not like 'session.%'`]),
  ]
  const within = conditionOf(organization)
  const firstMs = Math.max(filter.fromMs ?? 0, monthStart(organization.created_at.getTime()))
  const lowest = firstIdAt(firstMs)
  let below = firstIdAt(Math.min(filter.toMs ?? LAST_MS, LAST_MS))
  if (page.after !== undefined && page.after < below) below = page.after
  const wanted = page.limit + 1
  const events: AuditEventRow[] = []
  let scanned = 0
  // Clocks of other processes may be ahead, but hardly by a month.
  let monthMs = monthStart(Math.min(timeOfUuid(below), monthEnd(Date.now())))
  for (let visited = 0; visited < MONTHS_MAX; visited += 1) {
    const most = others.length === 0 ? wanted - events.length : SCANNED_MAX - scanned
    const { rows } = await sql<AuditEventRow & { matches: boolean }>`
      select *, ${all(others)} as matches from audit_events
      where ${within} and made_at >= ${new Date(monthMs)}
        and made_at < ${new Date(monthEnd(monthMs))} and id >= ${lowest} and id < ${below}
        ${indexed === undefined ? sql`` : sql`and ${indexed}`}
      order by id desc limit ${most}`.execute(database)
    for (const { matches, ...event } of rows) if (matches) events.push(event)
    if (events.length >= wanted) {
      const shown = events.slice(0, page.limit)
      return { events: shown, next: shown.at(-1)?.id ?? null }
    }
    scanned += rows.length
    if (others.length > 0 && scanned >= SCANNED_MAX)
      return { events, next: rows.at(-1)?.id ?? null }
    if (monthMs <= firstMs) return { events, next: null }
    below = firstIdAt(monthMs)
    monthMs = monthStart(monthMs - 1)
  }
  return { events, next: below }
}

function conditionOf({ id }: AuditScope): RawBuilder<unknown> {
  if (id === 'all') return sql`true`
  return id === 'none' ? sql`organization_id is null` : sql`organization_id = ${id}`
}

/** Each has an index; the first one is used, and the rest are checked row by row. */
function conditionsOf({ target, actor, action }: AuditFilter): RawBuilder<boolean>[] {
  return [
    target === undefined ? undefined : sql<boolean>`target_id = ${target}`,
    actor === undefined ? undefined : sql<boolean>`coalesce(actor_id, actor_label) = ${actor}`,
    action === undefined ? undefined : sql<boolean>`action = ${action}`,
  ].filter((condition) => condition !== undefined)
}

function all(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.reduce((both, each) => sql<boolean>`${both} and ${each}`, sql<boolean>`true`)
}

function monthStart(timeMs: number): number {
  const date = new Date(timeMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

function monthEnd(timeMs: number): number {
  const date = new Date(timeMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

/** The lowest id that an event of this time or later can have. */
function firstIdAt(timeMs: number): string {
  const time = Math.floor(timeMs).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

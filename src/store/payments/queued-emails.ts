import { sql, type Kysely, type Transaction } from 'kysely'
import type { QueuedRow } from '../postgres/queued-rows.ts'
import type { Tables } from '../postgres/tables.ts'

export type QueuedEmailKind =
  | 'payment_paid'
  | 'payment_refunded'
  | 'payment_alert'
  | 'credit_expires'
  | 'top_up_confirm'
  | 'top_up_failed'
  | 'top_up_paused'
  | 'top_up_bound'
  | 'top_up_card_expires'
  | 'invoice_issued'
  | 'invoice_overdue'
  | 'invoice_paid'

export type NewEmail = {
  /** What it is about: a second email with the same key is not written. */
  readonly key: string
  readonly kind: QueuedEmailKind
  /** Null for the operators of the service. */
  readonly organizationId: string | null
  /** What was true when it happened, because it may be sent much later. */
  readonly facts: Readonly<Record<string, string | number>>
}

export type DueEmail = NewEmail & {
  readonly row: QueuedRow
  readonly attempts: number
  readonly delivered: readonly string[]
}

/** Sent at least once after this transaction, and not at all if it is rolled back. */
export async function queueEmail(
  database: Kysely<Tables> | Transaction<Tables>,
  { key, kind, organizationId, facts }: NewEmail,
): Promise<void> {
  await sql`insert into queued_emails (key, kind, organization_id, facts)
    values (${key}, ${kind}, ${organizationId}, ${JSON.stringify(facts)})
    on conflict (key) do nothing`.execute(database)
}

/** Takes emails that are due, oldest first, for as long as the lease lasts. */
export async function claimEmails(
  database: Kysely<Tables>,
  limit: number,
  leaseSeconds: number,
): Promise<DueEmail[]> {
  const { rows } = await sql<Omit<DueEmail, 'row'>>`
    update queued_emails set attempts = attempts + 1,
      next_at = now() + ${leaseSeconds} * interval '1 second'
    where key = any(array(
      select key from queued_emails where sent_at is null and given_up_at is null
        and next_at <= now()
      order by next_at limit ${limit} for no key update skip locked))
    returning key, kind, organization_id as "organizationId", facts, attempts, delivered`.execute(
    database,
  )
  const rowOf = (key: string): QueuedRow => ({
    table: 'queued_emails',
    is: sql`key = ${key}`,
    since: 'made_at',
  })
  return rows.map((due) => ({ ...due, row: rowOf(due.key) }))
}

/** Where no mail is sent, nothing waits for it. */
export async function giveUpEmails(database: Kysely<Tables>): Promise<void> {
  await sql`update queued_emails set given_up_at = now(), delivered = '{}'
    where sent_at is null and given_up_at is null`.execute(database)
}

/** Longer than anything could cause the same email again. */
const KEPT_DAYS = 90
const FORGOTTEN_AT_ONCE = 1_000

export async function forgetEmails(database: Kysely<Tables>): Promise<void> {
  await sql`delete from queued_emails where key = any(array(
    select key from queued_emails where made_at < now() - ${KEPT_DAYS} * interval '1 day'
    order by made_at limit ${FORGOTTEN_AT_ONCE}))`.execute(database)
}

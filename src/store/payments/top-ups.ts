import { sql, type Kysely, type Transaction } from 'kysely'
import type { PauseReason, TopUpBound } from '../../contract/payments/automatic-top-up.ts'
import type { PaymentRow, TopUpRow } from '../postgres/payment-tables.ts'
import type { Tables } from '../postgres/tables.ts'
import { queueEmail } from './queued-emails.ts'

export async function findTopUp(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<TopUpRow | undefined> {
  return database
    .selectFrom('automatic_top_ups')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
}

type AgreedTopUp = Pick<
  TopUpRow,
  'organization_id' | 'threshold' | 'amount' | 'month_max' | 'day_max' | 'consent' | 'consented_by'
>

/** Turns it on as an owner agreed. Turning it on again ends a pause, a change does not. */
export async function turnOn(
  transaction: Transaction<Tables>,
  agreed: AgreedTopUp,
  { isNew }: { readonly isNew: boolean },
): Promise<TopUpRow> {
  const fresh = { paused: null, paused_at: null, failures: 0, not_before: null }
  // A wait after a decline stays, one for the next month does not: there may be more to spend now.
  const wait = sql<Date | null>`case when automatic_top_ups.failures > 0
    then automatic_top_ups.not_before end`
  const common = { ...agreed, enabled: true, bound: null, bound_at: null }
  const values = { ...common, ...(isNew && fresh) }
  const { organization_id: _id, ...changed } = values
  return transaction
    .insertInto('automatic_top_ups')
    .values(values)
    .onConflict((conflict) =>
      conflict
        .column('organization_id')
        .doUpdateSet({ not_before: wait, ...changed, consented_at: sql<Date>`now()` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function turnOff(
  transaction: Transaction<Tables>,
  organizationId: string,
): Promise<TopUpRow> {
  return transaction
    .updateTable('automatic_top_ups')
    .set({ enabled: false, paused: null, paused_at: null, bound: null, bound_at: null })
    .where('organization_id', '=', organizationId)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Lets it try again at once. */
export async function resume(
  transaction: Transaction<Tables>,
  organizationId: string,
): Promise<TopUpRow> {
  return transaction
    .updateTable('automatic_top_ups')
    .set({ paused: null, paused_at: null, failures: 0, not_before: null })
    .where('organization_id', '=', organizationId)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * Ends charges that were begun and are not paid, because nobody wants them any more. Whoever reads
 * them next makes their invoices void.
 */
export async function cancelUnpaid(
  transaction: Transaction<Tables>,
  organizationId: string,
): Promise<void> {
  await sql`update payments set cancel = true, next_at = now(), hints = hints + 1
    where organization_id = ${organizationId} and kind = 'automatic'
      and state in ('created', 'open', 'needs_customer')`.execute(transaction)
}

/**
 * Pauses it because of a payment, and tells its owners. Returns whether it was on: a second reason
 * changes nothing. The organization must be locked, so that no charge is started meanwhile.
 */
export async function pauseTopUp(
  transaction: Transaction<Tables>,
  payment: Pick<PaymentRow, 'id' | 'organization_id' | 'amount' | 'failure' | 'state'>,
  reason: PauseReason,
): Promise<boolean> {
  const { id, organization_id: organizationId, amount, state } = payment
  // Of a payment that succeeded it is about a card that was tried before.
  const failure = state === 'succeeded' ? null : payment.failure
  const paused = await transaction
    .updateTable('automatic_top_ups')
    .set({ paused: reason, paused_at: sql<Date>`now()`, not_before: null })
    .where('organization_id', '=', organizationId)
    .where('enabled', '=', true)
    .where('paused', 'is', null)
    .returning('paused_at')
    .executeTakeFirst()
  if (paused === undefined) return false
  // The same payment may pause it again, after an owner has resumed it.
  const key = `top-up-paused:${organizationId}:${paused.paused_at!.toISOString()}`
  const isToConfirm = reason === 'confirmation'
  await queueEmail(transaction, {
    key,
    kind: isToConfirm ? 'top_up_confirm' : 'top_up_paused',
    organizationId,
    facts: isToConfirm ? { payment: id, amount } : { reason, ...(failure !== null && { failure }) },
  })
  return true
}

/** Counts a decline that may pass. Returns how many there were in a row; 0 if it is not on. */
export async function countFailure(
  transaction: Transaction<Tables>,
  organizationId: string,
  backoffSeconds: number,
): Promise<number> {
  const { rows } = await sql<{ failures: number }>`
    update automatic_top_ups set failures = failures + 1,
      not_before = now() + ${backoffSeconds} * (2 ^ failures) * interval '1 second'
    where organization_id = ${organizationId} and enabled and paused is null
    returning failures`.execute(transaction)
  return rows[0]?.failures ?? 0
}

/** Tax has lifted a charge above what was left of the month. Tells its owners, once a month. */
export async function stopForMonth(
  transaction: Transaction<Tables>,
  organizationId: string,
): Promise<void> {
  const { rows } = await sql<StoppedTopUp>`
    update automatic_top_ups set bound = 'month', bound_at = now(),
      not_before = date_trunc('month', now(), 'UTC') + interval '1 month'
    where organization_id = ${organizationId} and enabled and paused is null
      and (bound is distinct from 'month' or bound_at < date_trunc('month', now(), 'UTC'))
    returning bound, bound_at as "boundAt", month_max as "monthMax"`.execute(transaction)
  for (const stopped of rows) await queueBoundEmail(transaction, organizationId, stopped)
}

export type StoppedTopUp = {
  readonly bound: TopUpBound
  readonly boundAt: Date
  readonly monthMax: number
}

/** Once for each time that it was stopped: an owner may change the bound and reach it again. */
export async function queueBoundEmail(
  transaction: Transaction<Tables>,
  organizationId: string,
  { bound, boundAt, monthMax }: StoppedTopUp,
): Promise<void> {
  await queueEmail(transaction, {
    key: `top-up-bound:${organizationId}:${boundAt.toISOString()}`,
    kind: 'top_up_bound',
    organizationId,
    facts: { bound, month_max: monthMax },
  })
}

export async function forgetFailures(
  transaction: Transaction<Tables>,
  organizationId: string,
): Promise<void> {
  await transaction
    .updateTable('automatic_top_ups')
    .set({ failures: 0, not_before: null })
    .where('organization_id', '=', organizationId)
    .execute()
}

/**
 * What automatic top-up has charged, or may be about to, in this UTC month: with tax. What is not
 * over counts with the most that it may become.
 */
export async function chargedThisMonth(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<number> {
  const { rows } = await sql<{ charged: number }>`
    select coalesce(sum(case when state = 'succeeded' then amount + coalesce(tax, 0)
      else total_max end), 0)::bigint as charged
    from payments where organization_id = ${organizationId} and kind = 'automatic'
      and state not in ('failed', 'expired')
      and created_at >= date_trunc('month', now(), 'UTC')`.execute(database)
  return rows[0]?.charged ?? 0
}

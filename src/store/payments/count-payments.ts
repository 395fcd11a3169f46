import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

export type StartedPayments = {
  /** Pages of the organization that can still be paid. */
  readonly open: number
  /** Of the organization in the last 24 hours. */
  readonly today: number
  /** What these would add, without those that ended unpaid. */
  readonly amountToday: number
  /** Whether the organization has ever paid. */
  readonly hasPaid: boolean
  /** Of the account in the last hour, in any organization. */
  readonly byAccount: number
}

/**
 * Counts what people started. Automatic top-ups have bounds of their own. Whoever asks has locked
 * the account and the organization.
 */
export async function countStarted(
  transaction: Transaction<Tables>,
  organizationId: string,
  accountId: string,
): Promise<StartedPayments> {
  const { rows } = await sql<StartedPayments>`
    select
      (select count(*)::int from payments where organization_id = ${organizationId}
        and kind = 'page' and state in ('created', 'open', 'processing')) as open,
      (select count(*)::int from payments where organization_id = ${organizationId}
        and kind = 'page' and created_at > now() - interval '1 day') as today,
      (select coalesce(sum(amount), 0)::bigint from payments
        where organization_id = ${organizationId} and state not in ('expired', 'failed')
        and kind = 'page' and created_at > now() - interval '1 day') as "amountToday",
      exists (select from payments where organization_id = ${organizationId}
        and state = 'succeeded') as "hasPaid",
      (select count(*)::int from payments where started_by = ${accountId}
        and kind = 'page' and created_at > now() - interval '1 hour') as "byAccount"`.execute(
    transaction,
  )
  return rows[0]!
}

/** Whether money may still come or go that nobody could use, or an operator must decide. */
export async function hasOpenPayment(
  transaction: Transaction<Tables>,
  organizationId: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from payments where organization_id = ${organizationId}
      and state in ('created', 'open', 'processing', 'needs_customer', 'attention')
    union all select from refunds where organization_id = ${organizationId}
      and state in ('requested', 'pending')
    union all select from disputes where organization_id = ${organizationId}
      and state in ('inquiry', 'open')
    limit 1`.execute(transaction)
  return rows.length > 0
}

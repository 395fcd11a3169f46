import type { Kysely } from 'kysely'
import type { Tables } from '../../../src/store/postgres/tables.ts'

/** A payment and its refund, as an operator leaves them who has given money back. */
export async function addRefund(
  database: Kysely<Tables>,
  organizationId: string,
  requestedBy: string,
): Promise<void> {
  const own = { organization_id: organizationId, amount: 1_000_000 }
  const payment = { id: crypto.randomUUID(), kind: 'page', state: 'succeeded' } as const
  await database
    .insertInto('payments')
    .values({ ...own, ...payment, currency: 'USD', started_by: null, expires_at: new Date() })
    .execute()
  await database
    .insertInto('refunds')
    .values({
      ...own,
      id: crypto.randomUUID(),
      payment_id: payment.id,
      requested_by: requestedBy,
      reason: null,
    })
    .execute()
}

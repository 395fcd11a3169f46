import { sql, type Kysely } from 'kysely'
import type { PaymentState } from '../../contract/payments/payment-states.ts'
import type { Page } from '../postgres/page.ts'
import type { PaymentRow } from '../postgres/payment-tables.ts'
import type { Tables } from '../postgres/tables.ts'

export type PaymentSearch = {
  readonly organizationId?: string | undefined
  readonly state?: PaymentState | undefined
}

/** Payments of one organization or of all, newest first. */
export async function searchPayments(
  database: Kysely<Tables>,
  { organizationId, state }: PaymentSearch,
  page: Page,
): Promise<PaymentRow[]> {
  return database
    .selectFrom('payments')
    .selectAll()
    .$if(organizationId !== undefined, (query) =>
      query.where('organization_id', '=', organizationId ?? ''),
    )
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'created'))
    .$if(page.after !== undefined, (query) => query.where('id', '<', page.after ?? ''))
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute()
}

/** Makes a payment due at once, whatever its state: a console reads it within a second. */
export async function orderReading(database: Kysely<Tables>, id: string): Promise<void> {
  await sql`update payments set hints = hints + 1, next_at = now() where id = ${id}`.execute(
    database,
  )
}

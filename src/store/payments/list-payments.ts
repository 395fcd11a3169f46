import type { Kysely } from 'kysely'
import type { PaymentState } from '../../contract/payments/payment-states.ts'
import type { Page } from '../postgres/page.ts'
import type { PaymentRow } from '../postgres/payment-tables.ts'
import type { Tables } from '../postgres/tables.ts'

export type PaymentSearch = {
  readonly organizationId?: string | undefined
  readonly state?: PaymentState | undefined
}

/** A payment with the slug and the name of its organization. */
export type NamedPayment = PaymentRow & { readonly slug: string; readonly name: string }

/** Payments of one organization or of all, newest first. */
export async function listPayments(
  database: Kysely<Tables>,
  { organizationId, state }: PaymentSearch,
  page: Page,
): Promise<NamedPayment[]> {
  return database
    .selectFrom('payments')
    .innerJoin('organizations', 'organizations.id', 'payments.organization_id')
    .selectAll('payments')
    .select(['organizations.slug', 'organizations.name'])
    .$if(organizationId !== undefined, (query) =>
      query.where('payments.organization_id', '=', organizationId ?? ''),
    )
    .$if(state !== undefined, (query) => query.where('payments.state', '=', state ?? 'created'))
    .$if(page.after !== undefined, (query) => query.where('payments.id', '<', page.after ?? ''))
    .orderBy('payments.id', 'desc')
    .limit(page.limit)
    .execute()
}

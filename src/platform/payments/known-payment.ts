import type { ProviderAccount } from '../../store/payments/provider-account.ts'
import type { PaymentRow } from '../../store/postgres/payment-tables.ts'
import type { KnownPayment } from './judge-payment.ts'

/** What a row says of its payment, beside what the provider says. */
export function knownOf(
  row: PaymentRow,
  customer: string | null,
  { live }: Pick<ProviderAccount, 'live'>,
): KnownPayment {
  return {
    id: row.id,
    kind: row.kind,
    organizationId: row.organization_id,
    state: row.state,
    amount: row.amount,
    currency: row.currency,
    customer,
    live,
    cancel: row.cancel,
    failure: row.failure,
    totalMax: row.total_max,
    createdAt: row.created_at,
    tax: row.issued_at === null ? null : row.tax,
    settle: row.settle,
  }
}

import type { Payment } from '../../contract/payments/payment.ts'
import type { PaymentRow } from '../../store/postgres/payment-tables.ts'
import { alsoAllowed } from '../use-case/also-allowed.ts'
import type { Access } from '../use-case/authorize.ts'
import { viewMoney } from '../use-case/view-money.ts'

/** With its page only for those who may pay. */
export function viewPayment(row: PaymentRow, withPage = false): Payment {
  const money = (micro: number) => viewMoney(micro, row.currency)
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    month: row.statement_month,
    amount: money(row.amount),
    tax: row.tax === null ? null : money(row.tax),
    url: withPage && isPayable(row) ? row.url : null,
    failure: row.state === 'succeeded' ? null : row.failure,
    has_document: row.state === 'succeeded',
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    changed_at: row.changed_at.toISOString(),
  }
}

function isPayable({ state, cancel }: PaymentRow): boolean {
  return (state === 'open' || state === 'needs_customer') && !cancel
}

/**
 * Whether an actor who may see payments gets the provider's pages, too: those of an invoice show
 * name and address, and whoever has their address needs no account. Keys and support do not.
 */
export function mayPay(access: Access): boolean {
  return !access.asSupport && alsoAllowed(access, 'payments:write') === 'all'
}

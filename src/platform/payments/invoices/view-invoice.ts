import type { Money } from '../../../contract/management/schemas.ts'
import type { StatementState } from '../../../contract/payments/invoice.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import { viewMoney } from '../../use-case/view-money.ts'

type AmountDue = {
  readonly state: Exclude<StatementState, 'closed'>
  readonly amount_due: Money
  readonly tax: Money | null
  readonly total: Money | null
  readonly due_at: string | null
}

/** What an invoice asks for, and where it is. Whether it is overdue depends on the time alone. */
export function viewAmountDue(row: PaymentRow, now: Date): AmountDue {
  const { amount, tax, currency, issued_at: issuedAt, expires_at: dueAt } = row
  const isIssued = issuedAt !== null
  return {
    state: stateOf(row, now),
    amount_due: viewMoney(amount, currency),
    tax: isIssued ? viewMoney(tax ?? 0, currency) : null,
    total: isIssued ? viewMoney(amount + (tax ?? 0), currency) : null,
    due_at: isIssued ? dueAt.toISOString() : null,
  }
}

function stateOf(
  { state, issued_at: issuedAt, expires_at: dueAt }: PaymentRow,
  now: Date,
): AmountDue['state'] {
  if (state === 'succeeded') return 'paid'
  if (state === 'expired') return 'void'
  if (state === 'failed') return 'written_off'
  return issuedAt !== null && dueAt <= now ? 'overdue' : 'issued'
}

import type { Dispute, Refund } from '../../../contract/payments/operator-payment.ts'
import type { DisputeRow, RefundRow } from '../../../store/postgres/payment-tables.ts'
import { viewMoney } from '../../use-case/view-money.ts'

export function viewRefund(row: RefundRow, currency: string): Refund {
  const { state, requested_by, reason, ref, failure, note } = row
  const credit_note =
    note === null || state === 'failed'
      ? null
      : { state: note, ref: row.note_ref, failure: row.note_failure }
  return { ...viewReturned(row, currency), state, requested_by, reason, ref, failure, credit_note }
}

export function viewDispute(row: DisputeRow, currency: string): Dispute {
  const { state, reason, ref } = row
  return { ...viewReturned(row, currency), state, reason, ref }
}

function viewReturned(row: RefundRow | DisputeRow, currency: string) {
  return {
    id: row.id,
    payment_id: row.payment_id,
    organization_id: row.organization_id,
    amount: viewMoney(row.amount, currency),
    tax: viewMoney(row.tax, currency),
    created_at: row.created_at.toISOString(),
    changed_at: row.changed_at.toISOString(),
  }
}

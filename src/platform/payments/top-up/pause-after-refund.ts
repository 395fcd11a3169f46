import type { Transaction } from 'kysely'
import { balanceOf } from '../../../store/ledger/double-entry.ts'
import { findTopUp } from '../../../store/payments/top-ups.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import { pauseFor } from './pause-for.ts'

/**
 * A refund that takes the balance below the threshold must not charge the card for what was just
 * given back. It belongs into the transaction that has moved the money; its organization is locked.
 */
export async function pauseAfterRefund(
  transaction: Transaction<Tables>,
  payment: PaymentRow,
): Promise<void> {
  const topUp = await findTopUp(transaction, payment.organization_id)
  if (topUp === undefined) return
  const { balance } = await balanceOf(transaction, payment.organization_id)
  if (balance < topUp.threshold) await pauseFor(transaction, payment, 'refunded')
}

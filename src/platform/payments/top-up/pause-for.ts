import type { Transaction } from 'kysely'
import type { PauseReason } from '../../../contract/payments/automatic-top-up.ts'
import { pauseTopUp } from '../../../store/payments/top-ups.ts'
import { writeAuditEvent } from '../../../store/people/audit-events.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import { PAYMENTS } from '../system-actor.ts'

/** Pauses automatic top-up because of a payment, if it is on. Its organization is locked. */
export async function pauseFor(
  transaction: Transaction<Tables>,
  payment: PaymentRow,
  reason: PauseReason,
): Promise<void> {
  const { id, organization_id: organizationId } = payment
  if (!(await pauseTopUp(transaction, payment, reason))) return
  await writeAuditEvent(transaction, {
    organizationId,
    actor: PAYMENTS,
    action: 'top_up.pause',
    target: { kind: 'payment', id, label: null },
    changes: { paused: [null, reason] },
    requestId: null,
  })
}

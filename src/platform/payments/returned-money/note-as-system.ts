import type { Transaction } from 'kysely'
import { writeAuditEvent } from '../../../store/people/audit-events.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import type { AuditChanges } from '../../../store/postgres/platform-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import { PAYMENTS } from '../system-actor.ts'

type Noted = {
  readonly action: 'refund.request' | 'refund.settle' | 'dispute.open' | 'dispute.close'
  readonly target: { readonly kind: 'refund' | 'dispute'; readonly id: string }
  readonly changes: AuditChanges
}

/** Writes the audit event of what the provider's facts changed. */
export async function noteAsSystem(
  transaction: Transaction<Tables>,
  { organization_id: organizationId }: PaymentRow,
  { action, target, changes }: Noted,
): Promise<void> {
  await writeAuditEvent(transaction, {
    organizationId,
    actor: PAYMENTS,
    action,
    target: { ...target, label: null },
    changes,
    requestId: null,
  })
}

import type { Transaction } from 'kysely'
import { timeOfUuid, uuidV7 } from '../../lib/uuid.ts'
import type { AuditChanges } from '../postgres/platform-tables.ts'
import type { Tables } from '../postgres/tables.ts'
import { queueForStreams } from './audit-stream-queue.ts'

export type NewAuditEvent = {
  /** Null for what concerns no organization. */
  readonly organizationId: string | null
  readonly actor: { readonly kind: string; readonly id: string | null; readonly label: string }
  readonly action: string
  readonly target: { readonly kind: string; readonly id: string; readonly label: string | null }
  readonly changes: AuditChanges
  readonly requestId: string | null
}

/** Runs in the transaction of the change, so that there is never one without the other. */
export async function writeAuditEvent(
  transaction: Transaction<Tables>,
  { organizationId, actor, action, target, changes, requestId }: NewAuditEvent,
): Promise<void> {
  const id = uuidV7()
  // The same time as in the id, so that lists by id know the partition.
  const madeAt = new Date(timeOfUuid(id))
  await transaction
    .insertInto('audit_events')
    .values({
      made_at: madeAt,
      id,
      organization_id: organizationId,
      actor_kind: actor.kind,
      actor_id: actor.id,
      actor_label: actor.label,
      action,
      target_kind: target.kind,
      target_id: target.id,
      target_label: target.label,
      changes: JSON.stringify(changes),
      request_id: requestId,
    })
    .execute()
  await queueForStreams(transaction, { id, madeAt, organizationId })
}

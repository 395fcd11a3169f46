import type { Transaction } from 'kysely'
import type {
  AuditStreamChange,
  ChangedAuditStream,
} from '../../../contract/management/audit-stream.ts'
import { ApiError } from '../../../contract/error.ts'
import { uuidV7 } from '../../../lib/uuid.ts'
import {
  countWaitingEvents,
  deleteAuditStream,
  findAuditStream,
  storeAuditStream,
} from '../../../store/people/audit-streams.ts'
import type { AuditChanges } from '../../../store/postgres/platform-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import { notFound } from '../../use-case/authorize.ts'
import { checkWebhookUrl, createWebhookSecret } from '../../billing/webhook.ts'
import type { Settings } from '../../use-case/environment.ts'
import { sealerFor } from '../../use-case/sealers.ts'
import type { Change } from '../../use-case/use-case.ts'
import { viewStream } from './view-stream.ts'

/** Makes or changes the stream of an organization, or of the platform with null. */
export async function changeStream(
  settings: Settings,
  transaction: Transaction<Tables>,
  organizationId: string | null,
  { url, new_secret: replaces = false }: AuditStreamChange,
): Promise<Change<ChangedAuditStream>> {
  checkWebhookUrl(url, settings.console.private_webhook_hosts, 'url')
  const before = await findAuditStream(transaction, organizationId)
  const id = before?.id ?? uuidV7()
  const known = replaces ? undefined : before?.sealed_secret
  const secret = known === undefined ? createWebhookSecret() : null
  const sealer = sealerFor(settings, 'webhook secret')
  const sealedSecret = known ?? sealer.seal(Buffer.from(secret ?? ''), id)
  const row = await storeAuditStream(transaction, { id, organizationId, url, sealedSecret })
  // Somebody else made it at the same moment, with a secret of its own.
  if (row.id !== id)
    throw new ApiError('precondition_failed', 'Somebody changed it. Read it again.')
  return {
    value: { ...viewStream(row, await countWaitingEvents(transaction, id)), secret },
    target: { kind: 'audit_stream', id },
    changes: changesOf(before?.url ?? null, url, secret !== null),
    // The same again only asks a receiver that failed at once.
    unchanged: before?.url === url && secret === null,
  }
}

/** Ends it. What waits is not sent any more; the audit log has it. */
export async function endStream(
  transaction: Transaction<Tables>,
  organizationId: string | null,
): Promise<Change<undefined>> {
  const stream = await deleteAuditStream(transaction, organizationId)
  if (stream === undefined) throw notFound()
  return {
    value: undefined,
    target: { kind: 'audit_stream', id: stream.id },
    changes: changesOf(stream.url, null, false),
  }
}

/** The path and the query of an address are often a secret: only its origin is recorded. */
function changesOf(before: string | null, after: string | null, secret: boolean): AuditChanges {
  return {
    origin: [before && new URL(before).origin, after && new URL(after).origin],
    ...(before !== after && { replaced: [false, true] as const }),
    ...(secret && { secret: [false, 'replaced'] as const }),
  }
}

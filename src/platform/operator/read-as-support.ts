import type { Kysely } from 'kysely'
import { writeAuditEvent } from '../../store/people/audit-events.ts'
import { findSupportAccessEnd } from '../../store/people/support-access-end.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import type { Actor } from '../../tenancy/actor.ts'
import type { PlatformRole } from '../../tenancy/role.ts'
import { notFound, type Access } from '../use-case/authorize.ts'

type SupportRead = {
  readonly organizationId: string
  readonly action: string
  readonly target: { readonly kind: string; readonly id: string; readonly label?: string }
}

/**
 * Lets support read something of an organization only with the consent of an owner, and records the
 * read for the organization. Operators need no consent.
 */
export async function readAsSupport(
  database: Kysely<Tables>,
  { actor }: Access,
  { organizationId, action, target }: SupportRead,
): Promise<void> {
  if (platformRoleOf(actor) !== 'support') return
  const account = actingAccount(actor)
  const end = await findSupportAccessEnd(database, organizationId)
  if (account === undefined || end === undefined) throw notFound()
  await database.transaction().execute((transaction) =>
    writeAuditEvent(transaction, {
      organizationId,
      actor: { kind: 'support', id: account.id, label: account.email },
      action,
      target: { label: null, ...target },
      changes: {},
      requestId: actor.request?.id ?? null,
    }),
  )
}

/** The platform role of whoever acts, or of the creator of a management key. */
export function platformRoleOf(actor: Actor): PlatformRole | null {
  return actingAccount(actor)?.platformRole ?? null
}

function actingAccount(actor: Actor) {
  if (actor.kind === 'management_key') return actor.creator
  return actor.kind === 'person' ? actor.account : undefined
}

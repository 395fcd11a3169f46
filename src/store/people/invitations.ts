import { sql, type Kysely, type Transaction } from 'kysely'
import { uuidV7 } from '../../lib/uuid.ts'
import type { Role } from '../../tenancy/role.ts'
import { isUuid, type Page } from '../postgres/page.ts'
import type { InvitationRow } from '../postgres/platform-tables.ts'
import type { OrganizationRow, Tables } from '../postgres/tables.ts'
import { ChangeRefused, explainConstraints } from '../tenants/changes.ts'
import { normalEmail } from '../../tenancy/email.ts'

/** Of one organization. Beyond it none is made until some are used or withdrawn. */
const OPEN_MAX = 1_000

export type NewInvitation = {
  readonly organizationId: string
  readonly email: string
  readonly role: Role
  readonly tokenHash: Buffer
  /** Whether the link goes to the address and is shown to nobody else. */
  readonly emailed: boolean
  /** Null for the operator and for a management key. */
  readonly invitedBy: string | null
  readonly managementKeyId: string | null
  /** Of somebody who is no member, with their platform role. */
  readonly byOperator?: boolean
  readonly endsAt: Date
}

/** The organization must be locked. An expired invitation of the same address is withdrawn. */
export async function createInvitation(
  transaction: Transaction<Tables>,
  { organizationId, email, role, tokenHash, emailed, endsAt, ...by }: NewInvitation,
): Promise<InvitationRow> {
  const open = await transaction
    .selectFrom('invitations')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .limit(OPEN_MAX)
    .execute()
  if (open.length === OPEN_MAX)
    throw new ChangeRefused(`the organization has ${OPEN_MAX} open invitations`)
  await transaction
    .updateTable('invitations')
    .set({ withdrawn_at: sql<Date>`now()` })
    .where('organization_id', '=', organizationId)
    .where(sql`lower(email)`, '=', normalEmail(email))
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .where('ends_at', '<=', sql<Date>`now()`)
    .execute()
  return explainConstraints(() =>
    transaction
      .insertInto('invitations')
      .values({
        id: uuidV7(),
        organization_id: organizationId,
        email,
        role,
        token_hash: tokenHash,
        emailed,
        invited_by: by.invitedBy,
        management_key_id: by.managementKeyId,
        by_operator: by.byOperator ?? false,
        ends_at: endsAt,
      })
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
}

/** Neither accepted nor withdrawn; some may have expired and can be sent again. */
export async function listInvitations(
  database: Kysely<Tables>,
  organizationId: string,
  page: Page,
): Promise<InvitationRow[]> {
  return database
    .selectFrom('invitations')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .$if(page.after !== undefined, (query) => query.where('id', '<', page.after ?? ''))
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute()
}

/** The invitation that an operator made of an owner, and that can be accepted now. */
export async function findOperatorInvitation(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<InvitationRow | undefined> {
  return database
    .selectFrom('invitations')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where(sql<boolean>`by_operator`)
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .where('ends_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
}

type InvitationId = { readonly organizationId: string; readonly id: string }

/** Gives an invitation a new token and a new end: the link that was sent before stops working. */
export async function renewInvitation(
  transaction: Transaction<Tables>,
  invitation: InvitationId,
  { tokenHash, emailed, endsAt }: Pick<NewInvitation, 'tokenHash' | 'emailed' | 'endsAt'>,
): Promise<InvitationRow> {
  const set = { token_hash: tokenHash, emailed, ends_at: endsAt }
  return changeOpen(transaction, invitation, set)
}

export async function withdrawInvitation(
  transaction: Transaction<Tables>,
  invitation: InvitationId,
): Promise<InvitationRow> {
  return changeOpen(transaction, invitation, { withdrawn_at: sql<Date>`now()` })
}

async function changeOpen(
  transaction: Transaction<Tables>,
  { organizationId, id }: InvitationId,
  set: object,
): Promise<InvitationRow> {
  const row = isUuid(id)
    ? await transaction
        .updateTable('invitations')
        .set(set)
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .where('accepted_at', 'is', null)
        .where('withdrawn_at', 'is', null)
        .returningAll()
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw new ChangeRefused('invitation not found', { kind: 'not_found' })
  return row
}

export type FoundInvitation = {
  readonly invitation: InvitationRow
  readonly organization: Pick<OrganizationRow, 'id' | 'slug' | 'name'>
  /** Whether members of the organization must sign in with its identity provider. */
  readonly ssoOnly: boolean
  /** Null if the operator invites. */
  readonly inviter: string | null
}

/** An invitation that can be accepted now. */
export async function findOpenInvitation(
  database: Kysely<Tables>,
  tokenHash: Buffer,
): Promise<FoundInvitation | undefined> {
  const row = await database
    .selectFrom('invitations')
    .innerJoin('organizations', 'organizations.id', 'invitations.organization_id')
    .leftJoin('accounts', 'accounts.id', 'invitations.invited_by')
    .selectAll('invitations')
    .select(['organizations.slug', 'organizations.name as organization_name'])
    .select('organizations.sso_only')
    .select(sql<string | null>`coalesce(accounts.name, accounts.email)`.as('inviter'))
    .where('invitations.token_hash', '=', tokenHash)
    .where('organizations.deleted_at', 'is', null)
    .where('invitations.accepted_at', 'is', null)
    .where('invitations.withdrawn_at', 'is', null)
    .where('invitations.ends_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { slug, organization_name: name, sso_only: ssoOnly, inviter, ...invitation } = row
  return { invitation, organization: { id: row.organization_id, slug, name }, ssoOnly, inviter }
}

/** Whether any organization waits for this address. */
export async function isInvited(database: Kysely<Tables>, email: string): Promise<boolean> {
  const open = await database
    .selectFrom('invitations')
    .select('id')
    .where(sql`lower(email)`, '=', normalEmail(email))
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .where('ends_at', '>', sql<Date>`now()`)
    .limit(1)
    .executeTakeFirst()
  return open !== undefined
}

/** Uses an invitation up. Returns whether it still could be: of two at once one succeeds. */
export async function acceptInvitation(
  transaction: Transaction<Tables>,
  { id, token_hash: tokenHash }: Pick<InvitationRow, 'id' | 'token_hash'>,
): Promise<boolean> {
  const accepted = await transaction
    .updateTable('invitations')
    .set({ accepted_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('token_hash', '=', tokenHash)
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .where('ends_at', '>', sql<Date>`now()`)
    .returning('id')
    .executeTakeFirst()
  return accepted !== undefined
}

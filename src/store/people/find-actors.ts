import { sql, type Kysely } from 'kysely'
import { knownLanguage } from '../../contract/language.ts'
import type { ActingAccount, ActingSession } from '../../tenancy/actor.ts'
import type { MembershipState } from '../../tenancy/identity.ts'
import type { Role } from '../../tenancy/role.ts'
import { isUuid } from '../postgres/page.ts'
import type { OrganizationRow, Tables } from '../postgres/tables.ts'
import { WITHIN_SESSION_HOURS } from '../tenants/session-hours.ts'

// Read on every call and never cached, so that a lost right ends at the next call.

const ACCOUNT = [
  'accounts.id as account_id',
  'accounts.email',
  'accounts.name as account_name',
  'accounts.state',
  'accounts.registered_at',
  'accounts.platform_role',
  'accounts.language',
] as const

type AccountColumns = {
  readonly account_id: string
  readonly email: string
  readonly account_name: string | null
  readonly state: ActingAccount['state']
  readonly registered_at: Date | null
  readonly platform_role: ActingAccount['platformRole']
  readonly language: string | null
}

function accountOf(row: AccountColumns): ActingAccount {
  return {
    id: row.account_id,
    email: row.email,
    name: row.account_name,
    state: row.state,
    registered: row.registered_at !== null,
    platformRole: row.platform_role,
    language: knownLanguage(row.language),
  }
}

export type FoundSession = { readonly account: ActingAccount; readonly session: ActingSession }

/** A session that has not ended, with its account. Notes that it was seen, once a minute. */
export async function findSession(
  database: Kysely<Tables>,
  tokenHash: Buffer,
): Promise<FoundSession | undefined> {
  const row = await openSessions(database)
    .where('sessions.token_hash', '=', tokenHash)
    .executeTakeFirst()
  if (row === undefined) return undefined
  if (row.stale)
    await database
      .updateTable('sessions')
      .set({ seen_at: sql<Date>`now()` })
      .where('id', '=', row.id)
      .execute()
  return sessionOf(row)
}

/** The same by id, without noting that it was seen. */
export async function findSessionById(
  database: Kysely<Tables>,
  id: string,
): Promise<FoundSession | undefined> {
  const row = await openSessions(database).where('sessions.id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : sessionOf(row)
}

function openSessions(database: Kysely<Tables>) {
  return database
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select(['sessions.id', 'sessions.created_at', 'sessions.ends_at', 'sessions.confirmed_at'])
    .select(['sessions.methods', 'sessions.incomplete', ...ACCOUNT])
    .select(sql<boolean>`sessions.seen_at <= now() - interval '1 minute'`.as('stale'))
    .where('sessions.ends_at', '>', sql<Date>`now()`)
    .where(sql<boolean>`sessions.seen_at > now() - sessions.idle_minutes * interval '1 minute'`)
    .where(WITHIN_SESSION_HOURS)
}

type SessionColumns = AccountColumns & {
  readonly id: string
  readonly created_at: Date
  readonly ends_at: Date
  readonly confirmed_at: Date
  readonly methods: string[]
  readonly incomplete: boolean
}

function sessionOf(row: SessionColumns): FoundSession {
  const session = {
    id: row.id,
    createdAt: row.created_at,
    endsAt: row.ends_at,
    confirmedAt: row.confirmed_at,
    methods: row.methods,
    incomplete: row.incomplete,
  }
  return { account: accountOf(row), session }
}

export type FoundManagementKey = {
  readonly id: string
  readonly name: string
  readonly organizationId: string | null
  readonly scopes: readonly string[]
  readonly creator: ActingAccount
  /** Whether its last use was noted more than a minute ago, or never. */
  readonly stale: boolean
}

/** A key that works, with the account that created it. */
export async function findManagementKey(
  database: Kysely<Tables>,
  hash: Buffer,
): Promise<FoundManagementKey | undefined> {
  const row = await validKeys(database).where('management_keys.hash', '=', hash).executeTakeFirst()
  return row === undefined ? undefined : managementKeyOf(row)
}

export async function findManagementKeyById(
  database: Kysely<Tables>,
  id: string,
): Promise<FoundManagementKey | undefined> {
  const row = await validKeys(database).where('management_keys.id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : managementKeyOf(row)
}

function validKeys(database: Kysely<Tables>) {
  return database
    .selectFrom('management_keys')
    .innerJoin('accounts', 'accounts.id', 'management_keys.created_by')
    .select(['management_keys.id', 'management_keys.name', 'management_keys.organization_id'])
    .select(['management_keys.scopes', ...ACCOUNT])
    .select(
      sql<boolean>`coalesce(management_keys.last_used_at, '-infinity')
        <= now() - interval '1 minute'`.as('stale'),
    )
    .where('management_keys.revoked_at', 'is', null)
    .where('management_keys.expires_at', '>', sql<Date>`now()`)
}

type ManagementKeyColumns = AccountColumns & {
  readonly id: string
  readonly name: string
  readonly organization_id: string | null
  readonly scopes: string[]
  readonly stale: boolean
}

/** Of several at once one writes. */
export async function noteManagementKeyUsed(database: Kysely<Tables>, id: string): Promise<void> {
  await database
    .updateTable('management_keys')
    .set({ last_used_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where(sql<boolean>`coalesce(last_used_at, '-infinity') <= now() - interval '1 minute'`)
    .execute()
}

function managementKeyOf(row: ManagementKeyColumns): FoundManagementKey {
  const { id, name, organization_id: organizationId, scopes, stale } = row
  return { id, name, organizationId, scopes, stale, creator: accountOf(row) }
}

export type OrganizationAccess = {
  readonly organization: OrganizationRow
  readonly membership: { readonly role: Role; readonly state: MembershipState } | null
  /** Whether an owner lets support read the organization now. */
  readonly supportAllowed: boolean
}

/** An organization by id or slug, and what the account is in it. */
export async function findOrganizationAccess(
  database: Kysely<Tables>,
  reference: string,
  accountId: string,
): Promise<OrganizationAccess | undefined> {
  const row = await database
    .selectFrom('organizations')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.organization_id', '=', 'organizations.id')
        .on('memberships.account_id', '=', accountId),
    )
    .selectAll('organizations')
    .select(['memberships.role as member_role', 'memberships.state as member_state'])
    .select((select) =>
      select
        .exists(
          select
            .selectFrom('support_access')
            .select('support_access.id')
            .whereRef('support_access.organization_id', '=', 'organizations.id')
            .where('support_access.ended_at', 'is', null)
            .where('support_access.ends_at', '>', sql<Date>`now()`),
        )
        .as('support_allowed'),
    )
    .where(isUuid(reference) ? 'organizations.id' : 'organizations.slug', '=', reference)
    .where('organizations.deleted_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { member_role: role, member_state: state, support_allowed, ...organization } = row
  return {
    organization,
    membership: role === null || state === null ? null : { role, state },
    supportAllowed: support_allowed === true,
  }
}

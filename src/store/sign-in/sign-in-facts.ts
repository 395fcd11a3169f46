import { sql, type Kysely } from 'kysely'
import type { PlatformRole } from '../../tenancy/role.ts'
import type { Tables } from '../postgres/tables.ts'

/** What decides how an account must sign in, and for how long. */
export type SignInFacts = {
  readonly platformRole: PlatformRole | null
  readonly hasTotp: boolean
  readonly hasPasskey: boolean
  /** Of any organization. */
  readonly isOwner: boolean
  /** Whether an organization of the account requires a second factor. */
  readonly organizationRequiresFactor: boolean
  /** The shortest that an organization of the account allows; null if none says so. */
  readonly sessionHours: number | null
}

export async function readSignInFacts(
  database: Kysely<Tables>,
  accountId: string,
): Promise<SignInFacts> {
  const { rows } = await sql<SignInFacts>`
    select platform_role as "platformRole",
      exists (select from one_time_factors
              where account_id = accounts.id and confirmed_at is not null) as "hasTotp",
      exists (select from passkeys where account_id = accounts.id) as "hasPasskey",
      exists (select from memberships
              where account_id = accounts.id and role = 'owner' and state = 'active') as "isOwner",
      exists (select from memberships
              join organizations on organizations.id = memberships.organization_id
              where account_id = accounts.id and memberships.state = 'active'
                and organizations.second_factor_required) as "organizationRequiresFactor",
      (select min(organizations.session_hours) from memberships
       join organizations on organizations.id = memberships.organization_id
       where account_id = accounts.id and memberships.state = 'active') as "sessionHours"
    from accounts where id = ${accountId}`.execute(database)
  const [facts] = rows
  if (facts === undefined) throw new Error('the account does not exist')
  return facts
}

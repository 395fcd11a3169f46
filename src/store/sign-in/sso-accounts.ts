import { sql, type Kysely, type Transaction } from 'kysely'
import type { MembershipState } from '../../tenancy/identity.ts'
import type { AccountRow, Tables } from '../postgres/tables.ts'
import { createAccount } from '../tenants/accounts.ts'
import { findIdentity } from './sso-identities.ts'
import { normalEmail } from '../../tenancy/email.ts'

type Named = { readonly connectionId: string; readonly subject: string; readonly email: string }

/** By the provider's subject; the first time by the address. Nobody changes it meanwhile. */
export async function findSsoAccount(
  transaction: Transaction<Tables>,
  { connectionId, subject, email }: Named,
): Promise<AccountRow | undefined> {
  const linked = await findIdentity(transaction, connectionId, subject)
  return transaction
    .selectFrom('accounts')
    .selectAll()
    .where('deleted_at', 'is', null)
    .$if(linked !== undefined, (query) => query.where('id', '=', linked ?? ''))
    .$if(linked === undefined, (query) => query.where(sql`lower(email)`, '=', normalEmail(email)))
    .forShare()
    .executeTakeFirst()
}

/** Whether the account is a member of the organization; undefined if it never was. */
export async function findMembershipState(
  database: Kysely<Tables>,
  organizationId: string,
  accountId: string,
): Promise<MembershipState | undefined> {
  const row = await database
    .selectFrom('memberships')
    .select('state')
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.state
}

/** An active account whose address its provider has verified. */
export async function createVerifiedAccount(
  transaction: Transaction<Tables>,
  facts: { readonly email: string; readonly name: string | null; readonly registered: boolean },
): Promise<AccountRow> {
  const { email, name, registered } = facts
  const { id } = await createAccount(transaction, { email, state: 'active', registered })
  return transaction
    .updateTable('accounts')
    .set({ email_verified_at: sql<Date>`now()`, name })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

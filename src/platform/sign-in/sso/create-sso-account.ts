import type { Transaction } from 'kysely'
import { createVerifiedAccount } from '../../../store/sign-in/sso-accounts.ts'
import type { ConnectionRow } from '../../../store/sign-in/sso-connections.ts'
import type { AccountRow, Tables } from '../../../store/postgres/tables.ts'
import { addMember } from '../../../store/tenants/memberships.ts'
import type { RaisedVersion } from '../../../store/tenants/versions.ts'
import { readName } from '../accounts/read-name.ts'
import type { Environment } from '../../use-case/environment.ts'
import type { OidcPerson } from '../identity/oidc.ts'

/**
 * The account of somebody who signs in for the first time: active, whatever `console.sign_up` says,
 * because the organization vouches for its people. If there are terms, the person must accept them
 * before the registration is complete.
 */
export async function createSsoAccount(
  context: { readonly environment: Environment; readonly transaction: Transaction<Tables> },
  connection: ConnectionRow,
  { email, name }: OidcPerson,
): Promise<{ readonly account: AccountRow; readonly raised: readonly RaisedVersion[] }> {
  const { environment, transaction } = context
  const registered = environment.settings.console.terms === undefined
  const facts = { email, name: readName(name), registered }
  const account = await createVerifiedAccount(transaction, facts)
  const membership = { organizationId: connection.organization_id, accountId: account.id }
  const { raised } = await addMember(transaction, membership, connection.default_role)
  return { account, raised }
}

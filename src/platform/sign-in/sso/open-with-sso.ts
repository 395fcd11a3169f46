import type { Transaction } from 'kysely'
import { findMembershipState, findSsoAccount } from '../../../store/sign-in/sso-accounts.ts'
import type { ConnectionRow } from '../../../store/sign-in/sso-connections.ts'
import { findDomainOwner } from '../../../store/sign-in/sso-domains.ts'
import { findIdentity, storeIdentity } from '../../../store/sign-in/sso-identities.ts'
import { noteProviderSession } from '../../../store/sign-in/sso-sessions.ts'
import type { AccountRow, Tables } from '../../../store/postgres/tables.ts'
import type { Actor } from '../../../tenancy/actor.ts'
import { ssoMethod } from '../../../tenancy/sign-in-methods.ts'
import { personOf } from '../accounts/person-of.ts'
import type { OidcPerson } from '../identity/oidc.ts'
import { domainOfEmail } from '../identity/verify-domain.ts'
import { completeSignIn, openSession, type SessionClient } from '../sessions/open-session.ts'
import { tellNewDevice } from '../sessions/known-device.ts'
import { defineChange } from '../../use-case/use-case.ts'
import { createSsoAccount } from './create-sso-account.ts'
import { SsoRefused } from './sso-pages.ts'
import { isAddress } from '../../mail/address.ts'

type Proved = {
  readonly connection: ConnectionRow
  readonly person: OidcPerson
  readonly client: SessionClient
}

/**
 * Opens a session for whom the provider has named. A provider decides only about addresses of
 * domains that its organization has verified, and only about that organization's members: whoever
 * connects a provider gains nothing over other accounts.
 */
export const openWithSso = defineChange(
  { action: 'session.create', permission: 'anyone' },
  async ({ environment, transaction, access }, { connection, person, client }: Proved) => {
    if (!isAddress(person.email)) throw new SsoRefused('email_unverified')
    await checkDomain(transaction, connection, person.email)
    const known = await findSsoAccount(transaction, { connectionId: connection.id, ...person })
    if (known !== undefined) await checkAccount(transaction, connection, known)
    const { account, raised } =
      known === undefined
        ? await createSsoAccount({ environment, transaction }, connection, person)
        : { account: known, raised: [] }
    checkNotReplaced(access.actor, account.id)
    const isNew = await storeIdentity(transaction, connection.id, person.subject, account.id)
    const method = ssoMethod(connection.id)
    const context = { environment, transaction }
    const opened = await openSession(context, access.actor, account, method, client)
    await noteProviderSession(transaction, opened.session.id, connection.id, person.sid)
    return {
      value: opened,
      target: { kind: 'account', id: account.id, label: account.email },
      organizationId: connection.organization_id,
      changes: {
        session: [null, opened.session.id],
        methods: [null, opened.session.methods],
        ...(known === undefined && { role: [null, connection.default_role] as const }),
        ...(isNew && { linked: [null, connection.name] as const }),
      },
      raised,
      afterwards: () => tellNewDevice(environment, account.email, opened),
    }
  },
)

/** Confirms a session of the person with a fresh sign-in at the provider. */
export const confirmWithSso = defineChange(
  { action: 'session.confirm', permission: 'self' },
  async ({ environment, transaction, access }, { connection, person, client }: Proved) => {
    const actor = personOf(access)
    await checkDomain(transaction, connection, person.email)
    const linked = await findIdentity(transaction, connection.id, person.subject)
    if (linked !== actor.account.id) throw new SsoRefused('other_person')
    await checkAccount(transaction, connection, actor.account)
    const method = ssoMethod(connection.id)
    const value = await completeSignIn({ environment, transaction }, actor, method, client)
    await noteProviderSession(transaction, value.session.id, connection.id, person.sid)
    return { value, target: { kind: 'session', id: actor.session.id } }
  },
)

/**
 * Whether the browser may get a session of this account. A session of another one is not replaced:
 * its owner would go on in the belief that it is still theirs.
 */
function checkNotReplaced(actor: Actor, accountId: string): void {
  if (actor.kind !== 'person' || actor.session.incomplete) return
  if (actor.account.id !== accountId) throw new SsoRefused('other_session')
}

async function checkDomain(
  transaction: Transaction<Tables>,
  { organization_id: organizationId }: ConnectionRow,
  email: string,
): Promise<void> {
  const domain = domainOfEmail(email)
  const owner = domain === undefined ? undefined : await findDomainOwner(transaction, domain)
  if (owner !== organizationId) throw new SsoRefused('domain_unverified')
}

/** Whether the provider's organization may vouch for an account that there was before. */
async function checkAccount(
  transaction: Transaction<Tables>,
  connection: ConnectionRow,
  { id, email, state }: Pick<AccountRow, 'id' | 'email' | 'state'>,
): Promise<void> {
  if (state === 'restricted') throw new SsoRefused('account_restricted')
  const { organization_id: organizationId } = connection
  if ((await findMembershipState(transaction, organizationId, id)) !== 'active')
    throw new SsoRefused('not_a_member')
  await checkDomain(transaction, connection, email)
}

import type { Kysely } from 'kysely'
import type { OpenInvitation } from '../../contract/management/member.ts'
import type { FoundInvitation } from '../../store/people/invitations.ts'
import { findSignIn } from '../../store/sign-in/passwords.ts'
import { findDomainOwner } from '../../store/sign-in/sso-domains.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { findOrganization } from '../../store/tenants/organizations.ts'
import { domainOfEmail } from '../sign-in/identity/verify-domain.ts'

/**
 * How somebody goes on who has the link of an invitation and is not signed in. Only whoever reads
 * the mail of the address learns whether it has an account.
 */
export async function findWayIn(
  database: Kysely<Tables>,
  { invitation: { email, emailed }, ssoOnly }: FoundInvitation,
): Promise<OpenInvitation['next']> {
  if (ssoOnly || (await isSsoOnly(database, email))) return 'sso'
  if (!emailed) return 'confirm'
  return (await findSignIn(database, email)) === undefined ? 'join' : 'sign_in'
}

/** Whether the organization that verified the domain of the address allows no passwords. */
async function isSsoOnly(database: Kysely<Tables>, email: string): Promise<boolean> {
  const domain = domainOfEmail(email)
  const owner = domain === undefined ? undefined : await findDomainOwner(database, domain)
  return owner !== undefined && (await findOrganization(database, owner)).sso_only
}

import type { Transaction } from 'kysely'
import { ApiError } from '../../../contract/error.ts'
import { listConnections } from '../../../store/sign-in/sso-connections.ts'
import { listDomains } from '../../../store/sign-in/sso-domains.ts'
import type { Tables } from '../../../store/postgres/tables.ts'

/**
 * Throws unless people can sign in with SSO: it takes a connection and a verified domain. Asked at
 * the end of a change to an organization that allows nothing else, whose row the change has locked,
 * so that two changes at once are judged one after the other.
 */
export async function checkSsoUsable(
  transaction: Transaction<Tables>,
  organizationId: string,
): Promise<void> {
  const connections = await listConnections(transaction, organizationId)
  const domains = await listDomains(transaction, organizationId)
  if (connections.length > 0 && domains.some((domain) => domain.verified_at !== null)) return
  throw new ApiError(
    'conflict',
    'With "only SSO", members need an identity provider and a verified domain. Change that rule ' +
      'first.',
  )
}

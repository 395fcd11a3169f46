import type { Transaction } from 'kysely'
import { ApiError } from '../../../contract/error.ts'
import { needsOtherDomain } from '../../../store/sign-in/sso-domains.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import { domainOfEmail } from '../identity/verify-domain.ts'

/**
 * Throws if an organization of the account allows only SSO, and has not verified the domain of the
 * new address: SSO would refuse the account, and its last owner could not change the rule any more.
 */
export async function checkKeepsSso(
  transaction: Transaction<Tables>,
  accountId: string,
  email: string,
): Promise<void> {
  if (!(await needsOtherDomain(transaction, accountId, domainOfEmail(email) ?? ''))) return
  throw new ApiError(
    'conflict',
    'An organization of yours allows only SSO and has not verified the domain of this address: ' +
      'you would lock yourself out.',
  )
}

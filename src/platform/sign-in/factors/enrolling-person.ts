import type { Kysely } from 'kysely'
import { ApiError } from '../../../contract/error.ts'
import { readSignInFacts } from '../../../store/sign-in/sign-in-facts.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import type { Actor } from '../../../tenancy/actor.ts'
import { personOf } from '../accounts/person-of.ts'
import type { Access } from '../../use-case/authorize.ts'

/**
 * Whoever may add a factor to their account. A session that lacks its second factor may do so only
 * if the account has none yet: otherwise the password alone would be enough to replace it.
 */
export async function enrollingPerson(
  database: Kysely<Tables>,
  access: Access,
): Promise<Actor & { readonly kind: 'person' }> {
  const person = personOf(access)
  if (person.account.state === 'restricted')
    throw new ApiError('account_restricted', 'This account is restricted.')
  if (!person.session.incomplete) return person
  const { hasTotp, hasPasskey } = await readSignInFacts(database, person.account.id)
  if (hasTotp || hasPasskey)
    throw new ApiError('second_factor_required', 'Complete the sign-in with your second factor.')
  return person
}

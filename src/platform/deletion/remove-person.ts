import type { Transaction } from 'kysely'
import { knownLanguage } from '../../contract/language.ts'
import { ApiError } from '../../contract/error.ts'
import {
  deleteAccount,
  listOwnedAlone,
  lockOrganizationsOf,
  nameOfDeleted,
} from '../../store/people/delete-account.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { findAccount, hasAnotherOperator, lockOperatorsAnd } from '../../store/tenants/accounts.ts'
import type { Actor } from '../../tenancy/actor.ts'
import type { Environment } from '../use-case/environment.ts'
import type { Change } from '../use-case/use-case.ts'

/** Organizations that a refusal names. */
const NAMED_MAX = 5

/**
 * Deletes an account, whoever asks: the person or an operator. Every organization that loses a
 * member gets an event; so does the platform if there is none.
 */
export async function removePerson(
  environment: Environment,
  transaction: Transaction<Tables>,
  actor: Actor,
  accountId: string,
): Promise<Change<undefined>> {
  await lockOperatorsAnd(transaction, accountId)
  const account = await findAccount(transaction, accountId)
  const itself = actor.kind === 'person' && actor.account.id === accountId
  await checkOperators(transaction, actor, account)
  const { value: organizationIds, raised } = await lockOrganizationsOf(transaction, accountId)
  await checkOwners(transaction, accountId, itself)
  await deleteAccount(transaction, account)
  const label = nameOfDeleted(accountId)
  return {
    value: undefined,
    target: { kind: 'account', id: accountId, label },
    organizationIds,
    raised,
    ...(itself && { actorLabel: label }),
    afterwards: () =>
      environment.mailer.send(
        account.email,
        { kind: 'account_deleted' },
        knownLanguage(account.language),
      ),
  }
}

/** The service keeps an operator, unless somebody with a shell decides otherwise. */
async function checkOperators(
  transaction: Transaction<Tables>,
  actor: Actor,
  { id, platform_role: role }: { readonly id: string; readonly platform_role: string | null },
): Promise<void> {
  if (actor.kind !== 'person') return
  if (actor.account.id !== id) {
    // Somebody may have taken the role from them since they asked.
    const { platform_role: own, state } = await findAccount(transaction, actor.account.id)
    if (own !== 'operator' || state !== 'active')
      throw new ApiError('role_required', 'This needs the platform role operator.')
  } else if (role === 'operator' && !(await hasAnotherOperator(transaction, id)))
    throw new ApiError('conflict', 'The service needs an operator. Make somebody else one first.')
}

async function checkOwners(
  transaction: Transaction<Tables>,
  accountId: string,
  itself: boolean,
): Promise<void> {
  const alone = await listOwnedAlone(transaction, accountId, NAMED_MAX + 1)
  if (alone.length === 0) return
  const named = alone.slice(0, NAMED_MAX).map(({ slug }) => slug)
  const names = `${named.join(', ')}${alone.length > NAMED_MAX ? ' and others' : ''}`
  throw new ApiError(
    'last_owner',
    `${itself ? 'You are' : 'This person is'} the only owner of ${names}. ` +
      'Make somebody else owner there first, or delete the organization.',
  )
}

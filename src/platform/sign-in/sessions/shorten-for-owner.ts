import type { Transaction } from 'kysely'
import { shortenSessions } from '../../../store/sign-in/sessions.ts'
import { readSignInFacts } from '../../../store/sign-in/sign-in-facts.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import type { Role } from '../../../tenancy/role.ts'
import type { Environment } from '../../use-case/environment.ts'
import { sessionLife } from './session-rules.ts'

/**
 * Whoever becomes an owner has the shorter sessions of owners from now on, also those that were
 * opened before. Called in the transaction that gives the role, after it was given.
 */
export async function shortenForOwner(
  { settings }: Environment,
  transaction: Transaction<Tables>,
  accountId: string,
  role: Role,
): Promise<void> {
  if (role !== 'owner') return
  const facts = await readSignInFacts(transaction, accountId)
  await shortenSessions(transaction, accountId, sessionLife(settings.console, facts, 'complete'))
}

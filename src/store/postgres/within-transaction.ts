import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './tables.ts'

/** Joins the transaction of the caller, or runs in one of its own. */
export async function withinTransaction<Result>(
  database: Kysely<Tables>,
  act: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  if (database.isTransaction) return act(database as Transaction<Tables>)
  return database.transaction().execute(act)
}

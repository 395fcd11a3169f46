import { sql, type Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

export type OneTimeFactor = {
  readonly sealed: Buffer
  readonly lastStep: number
  readonly confirmed: boolean
}

export async function findOneTimeFactor(
  database: Kysely<Tables>,
  accountId: string,
): Promise<OneTimeFactor | undefined> {
  const row = await database
    .selectFrom('one_time_factors')
    .select(['sealed', 'last_step', 'confirmed_at'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (row === undefined) return undefined
  return { sealed: row.sealed, lastStep: row.last_step, confirmed: row.confirmed_at !== null }
}

/** Replaces a factor that was begun; false if there is a confirmed one, which stays. */
export async function beginOneTimeFactor(
  database: Kysely<Tables>,
  accountId: string,
  sealed: Buffer,
): Promise<boolean> {
  const row = await database
    .insertInto('one_time_factors')
    .values({ account_id: accountId, sealed, confirmed_at: null })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet({ sealed, last_step: 0 })
        .where('one_time_factors.confirmed_at', 'is', null),
    )
    .returning('account_id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Uses up the code of one step, and confirms the factor with its first. False if that code or a
 * later one was used meanwhile, or if the factor was replaced.
 */
export async function useOneTimeStep(
  database: Kysely<Tables>,
  accountId: string,
  sealed: Buffer,
  step: number,
): Promise<boolean> {
  const row = await database
    .updateTable('one_time_factors')
    .set({ last_step: step, confirmed_at: sql<Date>`coalesce(confirmed_at, now())` })
    .where('account_id', '=', accountId)
    .where('sealed', '=', sealed)
    .where('last_step', '<', step)
    .returning('account_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteOneTimeFactor(
  database: Kysely<Tables>,
  accountId: string,
): Promise<boolean> {
  const row = await database
    .deleteFrom('one_time_factors')
    .where('account_id', '=', accountId)
    .returning('account_id')
    .executeTakeFirst()
  return row !== undefined
}

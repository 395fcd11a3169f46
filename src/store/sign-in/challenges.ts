import { sql, type Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** Each stored challenge removes up to this many that ended, so that the table stays small. */
const PURGED_AT_ONCE = 20

export type ChallengeKind = 'passkey registration' | 'passkey sign-in' | 'sso' | 'logout'

type Challenge = {
  readonly hash: Buffer
  readonly kind: ChallengeKind
  /** Only this account can use it; null for a sign-in. */
  readonly accountId: string | null
  readonly data: Buffer
  readonly lifeMs: number
}

/** Times are those of the database, so that all processes agree. */
export async function storeChallenge(
  database: Kysely<Tables>,
  challenge: Challenge,
): Promise<void> {
  if (!(await storeChallengeOnce(database, challenge))) throw new Error('the challenge exists')
}

/** False if there is one with this hash, which then stays. */
export async function storeChallengeOnce(
  database: Kysely<Tables>,
  { hash, kind, accountId, data, lifeMs }: Challenge,
): Promise<boolean> {
  await database
    .deleteFrom('challenges')
    .where('hash', 'in', (query) =>
      query
        .selectFrom('challenges')
        .select('hash')
        .where('ends_at', '<', sql<Date>`now()`)
        .limit(PURGED_AT_ONCE)
        .forUpdate()
        .skipLocked(),
    )
    .execute()
  const stored = await database
    .insertInto('challenges')
    .values({
      hash,
      kind,
      account_id: accountId,
      data,
      ends_at: sql<Date>`now() + ${lifeMs / 1000} * interval '1 second'`,
    })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('hash')
    .executeTakeFirst()
  return stored !== undefined
}

/**
 * Returns a challenge's data once. Not within a transaction that may be rolled back: the challenge
 * would work again.
 */
export async function takeChallenge(
  database: Kysely<Tables>,
  { hash, kind, accountId }: Pick<Challenge, 'hash' | 'kind' | 'accountId'>,
): Promise<Buffer | undefined> {
  const row = await database
    .deleteFrom('challenges')
    .where('hash', '=', hash)
    .where('kind', '=', kind)
    .where('account_id', 'is not distinct from', accountId)
    .returning(['data', sql<boolean>`ends_at > now()`.as('live')])
    .executeTakeFirst()
  return row?.live === true ? row.data : undefined
}

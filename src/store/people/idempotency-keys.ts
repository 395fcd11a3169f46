import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

export type RepeatableRequest = {
  readonly actor: string
  readonly key: string
  readonly route: string
  readonly bodyHash: Buffer
}

/** The request was made before. Its answer may be stored. */
export class RequestRepeated extends Error {
  override readonly name = 'RequestRepeated'
}

/**
 * Claims the key in the transaction of the change: a repetition that runs at the same time waits
 * for its end here, and a change that fails releases the key.
 */
export async function claimIdempotencyKey(
  transaction: Transaction<Tables>,
  { actor, key, route, bodyHash }: RepeatableRequest,
  { targetId, own }: { readonly targetId: string; readonly own: boolean },
): Promise<void> {
  const claimed = await transaction
    .insertInto('idempotency_keys')
    .values({
      actor,
      key,
      route,
      body_hash: bodyHash,
      status: null,
      answer: JSON.stringify({ id: targetId }),
      own,
    })
    .onConflict((conflict) => conflict.columns(['actor', 'key']).doNothing())
    .returning('key')
    .executeTakeFirst()
  if (claimed === undefined) throw new RequestRepeated()
}

export async function storeAnswer(
  database: Kysely<Tables>,
  { actor, key }: Pick<RepeatableRequest, 'actor' | 'key'>,
  status: number,
  answer: unknown,
): Promise<void> {
  await database
    .updateTable('idempotency_keys')
    .set({ status, answer: JSON.stringify(answer ?? null) })
    .where('actor', '=', actor)
    .where('key', '=', key)
    .execute()
}

export type StoredAnswer = {
  readonly sameRequest: boolean
  /** Null if the answer was not stored: it contained a secret, or its process died. */
  readonly status: number | null
  readonly answer: unknown
  /** Whether the caller might act on their own things only when it was made. */
  readonly own: boolean
}

export async function findAnswer(
  database: Kysely<Tables>,
  { actor, key, route, bodyHash }: RepeatableRequest,
): Promise<StoredAnswer | undefined> {
  const row = await database
    .selectFrom('idempotency_keys')
    .select(['route', 'body_hash', 'status', 'answer', 'own'])
    .where('actor', '=', actor)
    .where('key', '=', key)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const sameRequest = row.route === route && row.body_hash.equals(bodyHash)
  return { sameRequest, status: row.status, answer: row.answer, own: row.own }
}

import type { Pool } from 'pg'
import { forEachLimited } from '../lib/for-each-limited.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { ALL_PARTITIONS } from '../store/ledger/reconciliations.ts'
import { countMissing, postUsage, type LoggedUsage } from '../store/ledger/usage-records.ts'
import { listKept } from '../store/usage/kept-entries.ts'
import type { Valkey } from '../store/valkey/valkey.ts'
import { parseEntries } from './post-usage.ts'

/** While one partition waits for PostgreSQL, another is read from Valkey. */
const CONCURRENCY = 2

export type KeptResult = {
  /** Entries that Valkey keeps. */
  readonly kept: number
  /** Those that PostgreSQL did not have. */
  readonly missing: number
}

/**
 * Posts the kept usage records again: PostgreSQL ignores those that it has. With `count` it only
 * counts the others. The entries stay, so that this may be repeated.
 */
export async function postKept(
  pool: Pool,
  valkey: Pick<Valkey, 'call'>,
  batchRecords: number,
  act: 'count' | 'post',
): Promise<KeptResult> {
  let [kept, missing] = [0, 0]
  const post = async (entries: readonly LoggedUsage[]) => {
    if (entries.length === 0) return 0
    if (act === 'count') return countMissing(pool, entries)
    const { partitions, posted, replaced } = await postUsage(pool, entries)
    if (partitions.size === 0)
      throw new OperatorError('a worker is posting usage: stop the workers and run this again')
    return posted + replaced.length
  }
  await forEachLimited(CONCURRENCY, ALL_PARTITIONS, async (partition) => {
    for await (const entries of listKept(valkey, partition, batchRecords)) {
      kept += entries.length
      const found = await post(parseEntries(entries).readable)
      missing += found
    }
  })
  return { kept, missing }
}

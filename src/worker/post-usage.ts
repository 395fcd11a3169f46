import type { Pool } from 'pg'
import { forEachLimited } from '../lib/for-each-limited.ts'
import type { Log } from '../lib/log.ts'
import { postUsage, type LoggedUsage, type PostResult } from '../store/ledger/usage-records.ts'
import { isInvalidValue } from '../store/postgres/postgres.ts'
import { createKeepEntries } from '../store/usage/kept-entries.ts'
import { readUsageRecord } from '../store/usage/read-usage-record.ts'
import {
  deleteEntries,
  createRejectEntry,
  readOldestEntries,
  type StreamEntry,
} from '../store/usage/usage-stream.ts'
import { PARTITIONS, partitionOf } from '../store/valkey/keys.ts'
import { type Valkey } from '../store/valkey/valkey.ts'
import type { Job } from './run-jobs.ts'
import type { WorkerMetrics } from './worker-metrics.ts'

/** While one group waits for PostgreSQL, another is read from Valkey. */
const CONCURRENCY = 2

/** Partitions read together: full ones fill a batch, idle ones share a round trip. */
const GROUP_SIZE = 16

/** Records are posted within a second of their settlement. */
const POLL_MS = 200

/** Larger transactions post no more records per second. */
export const BATCH_RECORDS = 5_000

export type PostUsageOptions = {
  readonly pool: Pool
  readonly valkey: Valkey
  /** Maximum usage records per transaction. */
  readonly batchRecords?: number
  /** How long posted entries are kept in Valkey; by default they are deleted. */
  readonly keepMs?: number
  readonly metrics: Pick<WorkerMetrics, 'posted' | 'replaced' | 'duplicates' | 'rejected'>
  readonly log: Log
}

/** A stream entry with its parsed record. */
type Entry = StreamEntry & LoggedUsage

/**
 * Moves usage records from the usage log to PostgreSQL: reads the oldest of each partition, posts
 * them in one transaction, and only then deletes them from the log. After a failure in between they
 * are read again and recognised as duplicates.
 */
export function postUsageJob(options: PostUsageOptions): Job {
  const reject = createRejectEntry(options.valkey)
  const remove = createRemove(options)
  let failed = false

  return {
    name: 'post-usage',
    pauseMs: POLL_MS,
    async run(signal) {
      // During an outage of PostgreSQL nothing is read from Valkey in vain.
      if (failed) await options.pool.query('select 1')
      failed = true
      // A random start, so that several workers rarely compete for the same partition.
      const groups = inGroups(Math.floor(Math.random() * PARTITIONS))
      let found = 0
      await forEachLimited(CONCURRENCY, groups, async (group) => {
        if (signal.aborted) return
        const moved = await move(group)
        found += moved
      })
      failed = false
      return found > 0
    },
  }

  /** Returns the number of entries removed from the log. */
  async function move(partitions: readonly number[]): Promise<number> {
    const { batchRecords = BATCH_RECORDS } = options
    const countEach = Math.ceil(batchRecords / partitions.length)
    const entries = await readOldestEntries(options.valkey, partitions, countEach)
    if (entries.length === 0) return 0
    const { readable, unreadable } = parseEntries(entries)
    await rejectAll(unreadable)
    return unreadable.length + (await post(readable))
  }

  async function post(entries: readonly Entry[]): Promise<number> {
    if (entries.length === 0) return 0
    let posting: PostResult
    try {
      posting = await postUsage(options.pool, entries)
    } catch (error) {
      if (!isInvalidValue(error, 'usage_records')) throw error
      return postInParts(entries)
    }
    options.metrics.posted.add(posting.posted)
    options.metrics.replaced.add(posting.replaced.length)
    options.metrics.duplicates.add(posting.duplicates)
    const done = entries.filter(({ partition }) => posting.partitions.has(partition))
    await remove(done)
    return done.length
  }

  /** PostgreSQL rejected an unknown record of the batch, which is found by bisection. */
  async function postInParts(entries: readonly Entry[]): Promise<number> {
    if (entries.length > 1) {
      const middle = Math.ceil(entries.length / 2)
      return (await post(entries.slice(0, middle))) + (await post(entries.slice(middle)))
    }
    await rejectAll(entries)
    return entries.length
  }

  async function rejectAll(entries: readonly StreamEntry[]): Promise<void> {
    if (entries.length === 0) return
    await Promise.all(entries.map(reject))
    options.metrics.rejected.add(entries.length)
    options.log.error({ operation: 'post-usage', count: entries.length }, 'usage records rejected')
  }
}

/** Deletes posted entries from the log, or keeps them elsewhere. */
function createRemove({ valkey, keepMs = 0, log }: PostUsageOptions) {
  const keep = createKeepEntries(valkey, keepMs)
  return async (entries: readonly Entry[]) => {
    if (keepMs === 0) await deleteEntries(valkey, entries)
    else if (!(await keep(entries)))
      log.warn({ operation: 'post-usage' }, 'kept usage records deleted, Valkey is full')
  }
}

/** Parses the records, and separates the entries that cannot be posted. */
export function parseEntries(entries: readonly StreamEntry[]) {
  const readable: Entry[] = []
  const unreadable: StreamEntry[] = []
  for (const entry of entries) {
    const record = entry.text === undefined ? undefined : readUsageRecord(entry.text)
    // A record in the wrong partition would be posted under the wrong lock.
    if (record !== undefined && partitionOf(record.organizationId) === entry.partition)
      readable.push({ ...entry, record })
    else unreadable.push(entry)
  }
  return { readable, unreadable }
}

/** All partitions in groups, starting with the given one. */
function inGroups(first: number): number[][] {
  const partitions = Array.from({ length: PARTITIONS }, (_, at) => (first + at) % PARTITIONS)
  const groups: number[][] = []
  for (let start = 0; start < PARTITIONS; start += GROUP_SIZE)
    groups.push(partitions.slice(start, start + GROUP_SIZE))
  return groups
}

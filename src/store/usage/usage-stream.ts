import { PARTITIONS, partitionKeys } from '../valkey/keys.ts'
import { readScript, scriptCaller } from '../valkey/scripts.ts'
import type { Valkey, ValkeyArgument } from '../valkey/valkey.ts'

// The stream of a partition contains the usage records that are not yet posted, and nothing else.
// There are no consumer groups, because their state would have to survive a failover too.

/** An entry of a partition's usage stream. */
export type StreamEntry = {
  readonly partition: number
  readonly entryId: string
  /** The record as JSON; undefined if the entry has none. */
  readonly text: string | undefined
}

/** Rejected entries that a partition keeps for the operator. */
const REJECTED_MAX = 10_000

/** Ids per command: this many delay the server's other clients for a few milliseconds at most. */
const DELETE_BATCH_MAX = 1_000

const REJECT_SCRIPT = readScript(import.meta.url, 'reject.lua')

/** Reads the oldest entries of these partitions, at most `countEach` from each. */
export async function readOldestEntries(
  valkey: Pick<Valkey, 'call'>,
  partitions: readonly number[],
  countEach: number,
): Promise<StreamEntry[]> {
  const entries = await Promise.all(
    partitions.map(async (partition) => {
      const { usage } = partitionKeys(partition)
      return readEntries(valkey, partition, [usage, '-', '+', 'COUNT', countEach])
    }),
  )
  return entries.flat()
}

/** The entries that XRANGE returns for these arguments. */
export async function readEntries(
  valkey: Pick<Valkey, 'call'>,
  partition: number,
  range: ValkeyArgument[],
): Promise<StreamEntry[]> {
  const reply = (await valkey.call('XRANGE', range)) as [string, string[]][]
  return reply.map(([entryId, fields]) => ({
    partition,
    entryId,
    text: fields[0] === 'record' ? fields[1] : undefined,
  }))
}

/**
 * Deletes exactly these entries, not all up to the last one: after a failover that lost the end of
 * the stream, a new entry may have a lower id than one that was read before.
 */
export async function deleteEntries(
  valkey: Pick<Valkey, 'call'>,
  entries: readonly Pick<StreamEntry, 'partition' | 'entryId'>[],
): Promise<void> {
  const calls = inBatches(entries, DELETE_BATCH_MAX).map(([partition, ids]) =>
    valkey.call('XDEL', [partitionKeys(partition).usage, ...ids]),
  )
  await Promise.all(calls)
}

/** The ids of these entries by partition, at most `countMax` at a time. */
export function inBatches(
  entries: readonly Pick<StreamEntry, 'partition' | 'entryId'>[],
  countMax: number,
): [partition: number, ids: string[]][] {
  const batches: [number, string[]][] = []
  for (const [partition, own] of Map.groupBy(entries, (entry) => entry.partition))
    for (let start = 0; start < own.length; start += countMax)
      batches.push([partition, own.slice(start, start + countMax).map(({ entryId }) => entryId)])
  return batches
}

/** Returns a function that moves an entry to the rejected stream, for the operator to inspect. */
export function createRejectEntry(
  valkey: Pick<Valkey, 'call'>,
): (entry: Pick<StreamEntry, 'partition' | 'entryId'>) => Promise<void> {
  const call = scriptCaller(valkey, REJECT_SCRIPT)
  return async ({ partition, entryId }) => {
    const { usage, rejected } = partitionKeys(partition)
    await call({ keys: [usage, rejected], args: [entryId, REJECTED_MAX] })
  }
}

/** Entries that the operator should inspect, over all partitions. */
export async function countRejected(valkey: Pick<Valkey, 'call'>): Promise<number> {
  const counts = await Promise.all(
    Array.from({ length: PARTITIONS }, async (_, partition) => {
      const { rejected } = partitionKeys(partition)
      return (await valkey.call('XLEN', [rejected])) as number
    }),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

export type UsageBacklog = {
  readonly records: number
  /** When the oldest was settled, by Valkey's clock; undefined if there is none. */
  readonly oldestMs: number | undefined
  readonly open: number
}

/** Sums over all partitions. */
export async function readBacklog(valkey: Pick<Valkey, 'call'>): Promise<UsageBacklog> {
  const parts = await Promise.all(
    Array.from({ length: PARTITIONS }, async (_, partition) => {
      const { usage, open } = partitionKeys(partition)
      const [records, first, opened] = await Promise.all([
        valkey.call('XLEN', [usage]) as Promise<number>,
        valkey.call('XRANGE', [usage, '-', '+', 'COUNT', 1]) as Promise<[string][]>,
        valkey.call('HLEN', [open]) as Promise<number>,
      ])
      return { records, oldestMs: first.map(([id]) => Number(id.split('-', 1)[0])), open: opened }
    }),
  )
  const oldest = parts.flatMap(({ oldestMs }) => oldestMs)
  return {
    records: parts.reduce((sum, { records }) => sum + records, 0),
    oldestMs: oldest.length === 0 ? undefined : Math.min(...oldest),
    open: parts.reduce((sum, { open }) => sum + open, 0),
  }
}

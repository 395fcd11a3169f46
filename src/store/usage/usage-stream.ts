import { readScript } from '../valkey/scripts.ts'
import { PARTITIONS, partitionKeys } from '../valkey/keys.ts'
import { scriptCaller } from '../valkey/scripts.ts'
import type { Valkey } from '../valkey/valkey.ts'

// The stream of a partition holds what is not yet in the ledger, and nothing else: there are no
// consumer groups, whose state would have to survive a failover with it.

/** An entry of a partition's usage stream. */
export type StreamEntry = {
  readonly partition: number
  readonly entryId: string
  /** The record as it was written; undefined if the entry holds none. */
  readonly text: string | undefined
}

/** How many entries that cannot be posted a partition keeps for the operator to look at. */
const REJECTED_MAX = 10_000

/** So many ids in one command hold up the server's others for a few milliseconds at most. */
const DELETED_AT_ONCE_MAX = 1_000

const REJECT_SCRIPT = readScript(import.meta.url, 'reject.lua')

/** The oldest entries of each of these partitions, at most `countEach` of one. */
export async function readHeads(
  valkey: Pick<Valkey, 'call'>,
  partitions: readonly number[],
  countEach: number,
): Promise<StreamEntry[]> {
  const heads = await Promise.all(
    partitions.map(async (partition) => {
      const { usage } = partitionKeys(partition)
      const reply = await valkey.call('XRANGE', [usage, '-', '+', 'COUNT', countEach])
      return (reply as [string, string[]][]).map(([entryId, fields]) => ({
        partition,
        entryId,
        text: fields[0] === 'record' ? fields[1] : undefined,
      }))
    }),
  )
  return heads.flat()
}

/**
 * Deletes exactly these entries. Not all up to the last of them: after a failover that lost the
 * stream's end, a new entry may have an id below one that was read before.
 */
export async function deleteEntries(
  valkey: Pick<Valkey, 'call'>,
  entries: readonly Pick<StreamEntry, 'partition' | 'entryId'>[],
): Promise<void> {
  const idsOf = new Map<number, string[]>()
  for (const { partition, entryId } of entries) {
    const ids = idsOf.get(partition)
    if (ids === undefined) idsOf.set(partition, [entryId])
    else ids.push(entryId)
  }
  const calls: Promise<unknown>[] = []
  for (const [partition, ids] of idsOf) {
    const { usage } = partitionKeys(partition)
    for (let start = 0; start < ids.length; start += DELETED_AT_ONCE_MAX)
      calls.push(valkey.call('XDEL', [usage, ...ids.slice(start, start + DELETED_AT_ONCE_MAX)]))
  }
  await Promise.all(calls)
}

/** Moves an entry out of the way of those behind it, to a stream that an operator can look at. */
export function entryRejecter(
  valkey: Pick<Valkey, 'call'>,
): (entry: Pick<StreamEntry, 'partition' | 'entryId'>) => Promise<void> {
  const call = scriptCaller(valkey, REJECT_SCRIPT)
  return async ({ partition, entryId }) => {
    const { usage, rejected } = partitionKeys(partition)
    await call({ keys: [usage, rejected], args: [entryId, REJECTED_MAX] })
  }
}

export type UsageBacklog = {
  readonly records: number
  /** When the oldest was settled, by Valkey's clock; undefined if there is none. */
  readonly oldestMs: number | undefined
  readonly open: number
}

/** What waits in all partitions together. */
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

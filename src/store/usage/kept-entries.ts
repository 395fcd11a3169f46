import { forEachLimited } from '../../lib/for-each-limited.ts'
import { PARTITIONS, partitionKeys } from '../valkey/keys.ts'
import { readScript, scriptCaller } from '../valkey/scripts.ts'
import type { Valkey } from '../valkey/valkey.ts'
import { inBatches, readEntries, type StreamEntry } from './usage-stream.ts'

// Posted entries are moved to a second stream, not marked in the first one: whatever reads the
// usage log sees only records that wait to be posted, and no position has to survive a failover.

/** Entries per call: this many delay the server's other clients for a few milliseconds at most. */
const KEEP_BATCH_MAX = 500

/** Entries of a partition that one run deletes. */
const TRIM_MAX = 10_000

const CONCURRENT_PARTITIONS = 32

const KEEP_SCRIPT = readScript(import.meta.url, 'keep.lua')

/**
 * Returns a function that removes posted entries from the usage log and keeps them for this long.
 * It returns false if Valkey's memory is full: then nothing of their partitions is kept.
 */
export function createKeepEntries(
  valkey: Pick<Valkey, 'call'>,
  keepMs: number,
): (entries: readonly Pick<StreamEntry, 'partition' | 'entryId'>[]) => Promise<boolean> {
  const keep = scriptCaller(valkey, KEEP_SCRIPT)
  return async (entries) => {
    const calls = inBatches(entries, KEEP_BATCH_MAX).map(([partition, ids]) => {
      const { usage, posted } = partitionKeys(partition)
      return keep({ keys: [usage, posted], args: [keepMs, ...ids] })
    })
    return (await Promise.all(calls)).every((kept) => kept === 1)
  }
}

/**
 * Deletes entries that were posted before this time, a bounded number. Returns whether there may be
 * more. Only whole nodes of a stream are deleted, so a few entries stay longer.
 */
export async function trimKept(
  valkey: Pick<Valkey, 'call'>,
  beforeMs: number,
  countMax = TRIM_MAX,
): Promise<boolean> {
  let more = false
  await forEachLimited(CONCURRENT_PARTITIONS, allPartitions(), async (partition) => {
    const { posted } = partitionKeys(partition)
    const bounds = ['MINID', '~', beforeMs, 'LIMIT', countMax]
    const deleted = (await valkey.call('XTRIM', [posted, ...bounds])) as number
    // The last node may not fit into the limit.
    more ||= deleted > countMax / 2
  })
  return more
}

/** The kept entries of a partition, oldest first, at most `countMax` at a time. */
export async function* listKept(
  valkey: Pick<Valkey, 'call'>,
  partition: number,
  countMax: number,
): AsyncIterable<readonly StreamEntry[]> {
  const { posted } = partitionKeys(partition)
  for (let from = '-'; ;) {
    const entries = await readEntries(valkey, partition, [posted, from, '+', 'COUNT', countMax])
    if (entries.length > 0) yield entries
    const last = entries.at(-1)
    if (last === undefined || entries.length < countMax) return
    from = `(${last.entryId}`
  }
}

function allPartitions(): readonly number[] {
  return Array.from({ length: PARTITIONS }, (_, partition) => partition)
}

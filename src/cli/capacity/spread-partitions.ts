import { PARTITIONS, partitionKeys } from '../../store/valkey/keys.ts'

const SLOTS = 16_384
/** A cluster has at least three primaries. */
const CLUSTER_MIN = 3
const POLYNOMIAL = 0x1021

/** The slot of a cluster in which Valkey stores a key: CRC-16/XMODEM of its hash tag. */
export function slotOf(key: string): number {
  let crc = 0
  for (const byte of Buffer.from(tagOf(key))) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1)
      crc = ((crc << 1) ^ ((crc & 0x8000) === 0 ? 0 : POLYNOMIAL)) & 0xffff
  }
  return crc % SLOTS
}

/** What the first pair of braces contains, unless that is nothing. */
function tagOf(key: string): string {
  const open = key.indexOf('{')
  const close = key.indexOf('}', open + 1)
  return open !== -1 && close > open + 1 ? key.slice(open + 1, close) : key
}

const PARTITION_SLOTS = Array.from({ length: PARTITIONS }, (_, partition) =>
  slotOf(partitionKeys(partition).open),
)

/** The most partitions that one of so many shards has, if each has as many slots. */
export function partitionsOfBusiest(shards: number): number {
  const counts = new Map<number, number>()
  for (const slot of PARTITION_SLOTS) {
    const shard = Math.floor((slot * shards) / SLOTS)
    counts.set(shard, (counts.get(shard) ?? 0) + 1)
  }
  return Math.max(...counts.values())
}

/**
 * The fewest shards of which none has more than a share of all partitions. If there is no such
 * number, the one with the smallest share.
 */
export function shardsFor(shareMax: number): number {
  let best = { shards: 1, partitions: PARTITIONS }
  for (let shards = 1; shards <= PARTITIONS; shards += 1) {
    if (shards > 1 && shards < CLUSTER_MIN) continue
    const partitions = partitionsOfBusiest(shards)
    if (partitions <= shareMax * PARTITIONS) return shards
    if (partitions < best.partitions) best = { shards, partitions }
  }
  return best.shards
}

/** The same if slots are moved until no shard has two partitions more than another. */
export function balancedShardsFor(shareMax: number): number {
  const partitionsMax = Math.max(1, Math.floor(shareMax * PARTITIONS))
  const shards = Math.ceil(PARTITIONS / Math.min(PARTITIONS, partitionsMax))
  return shards === 1 ? 1 : Math.max(CLUSTER_MIN, shards)
}

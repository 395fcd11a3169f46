import { crc32 } from 'node:zlib'

/** Never to be changed either: it decides where everything lies. */
export const PARTITIONS = 256

/**
 * The keys of an organization begin with the hash tag of its partition. All keys of one partition
 * lie in one slot of a cluster, so that one script may touch them together. The hash must never
 * change: what is stored would not be found again.
 */
export function organizationKeys(organizationId: string): OrganizationKeys {
  const partition = partitionOf(organizationId)
  const tag = partitionTag(partition)
  return {
    ...partitionKeys(partition),
    limits: `${tag}:limits:${organizationId}`,
    version: `${tag}:version:${organizationId}`,
    funds: `${tag}:funds:${organizationId}`,
  }
}

/** Shared by the organizations of a partition. */
export type PartitionKeys = {
  /** Hash: request id → opened record. */
  readonly open: string
  /** Hash: request id → counts at the last checkpoint. */
  readonly progress: string
  /** Hash: instance → when it last said that it lives, in ms of the server's clock. */
  readonly leases: string
  /** Stream of usage records that are not yet in the ledger. */
  readonly usage: string
  /** Stream of entries that the ledger could not take, kept for the operator. */
  readonly rejected: string
  /** Set of requests settled of late, followed by the minute; tells a settlement sent twice. */
  readonly settled: string
  /** Hash of what was settled, followed by the hour since 1970: what reconciliation compares. */
  readonly hour: string
}

export type OrganizationKeys = PartitionKeys & {
  readonly limits: string
  readonly version: string
  /** Hash: what is spent and reserved of a balance, of the organization and of its projects. */
  readonly funds: string
}

export function partitionOf(organizationId: string): number {
  return crc32(organizationId) % PARTITIONS
}

export function partitionKeys(partition: number): PartitionKeys {
  const tag = partitionTag(partition)
  return {
    open: `${tag}:open`,
    progress: `${tag}:progress`,
    leases: `${tag}:leases`,
    usage: `${tag}:usage`,
    rejected: `${tag}:rejected`,
    settled: `${tag}:settled:`,
    hour: `${tag}:hour:`,
  }
}

function partitionTag(partition: number): string {
  return `{p${partition.toString(16).padStart(2, '0')}}`
}

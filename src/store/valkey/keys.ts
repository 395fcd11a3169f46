import { crc32 } from 'node:zlib'

/** Must never change: it determines where data is stored. */
export const PARTITIONS = 256

/**
 * The keys of an organization begin with the hash tag of its partition. All keys of one partition
 * are in one slot of a cluster, so that one script can use them together. The hash must never
 * change: stored data would not be found again.
 */
export function organizationKeys(organizationId: string): OrganizationKeys {
  const partition = partitionOf(organizationId)
  const tag = partitionTag(partition)
  return {
    ...partitionKeys(partition),
    limits: `${tag}:limits:${organizationId}`,
    version: `${tag}:version:${organizationId}`,
    funds: `${tag}:funds:${organizationId}`,
    key: `${tag}:key:`,
    refused: `${tag}:refused:${organizationId}`,
  }
}

/** Shared by the organizations of a partition. */
export type PartitionKeys = {
  /** Hash: request id → opened record. */
  readonly open: string
  /** Hash: request id → counts at the last checkpoint. */
  readonly progress: string
  /** Hash: how many records are open of each organization, of its credentials and its models. */
  readonly running: string
  /** Hash: instance → time of its last heartbeat, in ms of the server's clock. */
  readonly leases: string
  /** Stream of usage records that are not yet posted to PostgreSQL. */
  readonly usage: string
  /** Stream of posted usage records that are kept for `usage.keep_posted_hours`. */
  readonly posted: string
  /** Stream of entries that could not be posted, kept for the operator. */
  readonly rejected: string
  /** Prefix, followed by a minute. Set of requests settled in it, to recognise repetitions. */
  readonly settled: string
  /** Prefix, followed by the hour since 1970. Hash of settled sums, compared by reconciliation. */
  readonly hour: string
}

export type OrganizationKeys = PartitionKeys & {
  readonly limits: string
  readonly version: string
  /** Hash: amounts spent and reserved by the organization and by its projects. */
  readonly funds: string
  /** Prefix, followed by an id. Hash: what API keys have used of their own limits. */
  readonly key: string
  /** Stream of the newest refused requests. */
  readonly refused: string
}

/**
 * What the processes of a fleet tell each other about engines. All keys of a fleet have one hash
 * tag, so that one script can use them and a cluster spreads fleets over its nodes.
 */
export function fleetKey(fleet: string, name: string): string {
  return `{fleet:${fleet}}:${name}`
}

/** Set: names of the fleets that have had processes. */
export const FLEETS_KEY = 'fleets'

/**
 * The engine that ran a turn of a conversation, by the last hash of the turn. It has no hash tag,
 * so that a cluster spreads conversations over its nodes.
 */
export function placedKey(fleet: string, hash: number): string {
  return `placed:${fleet}:${hash.toString(36)}`
}

/** Hash: failed sign-ins of a subject, such as an email address, and until when it must wait. */
export function loginKey(subjectHash: string): string {
  return `login:${subjectHash}`
}

/** Exists if requests came to these processes by a proxy that the configuration does not name. */
export function unknownProxyKey(before: 'api' | 'console'): string {
  return `proxy:unknown:${before}`
}

export function partitionOf(organizationId: string): number {
  return crc32(organizationId) % PARTITIONS
}

export function partitionKeys(partition: number): PartitionKeys {
  const tag = partitionTag(partition)
  return {
    open: `${tag}:open`,
    progress: `${tag}:progress`,
    running: `${tag}:running`,
    leases: `${tag}:leases`,
    usage: `${tag}:usage`,
    posted: `${tag}:posted`,
    rejected: `${tag}:rejected`,
    settled: `${tag}:settled:`,
    hour: `${tag}:hour:`,
  }
}

function partitionTag(partition: number): string {
  return `{p${partition.toString(16).padStart(2, '0')}}`
}

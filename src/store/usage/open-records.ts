import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import { timeOfUuid } from '../../lib/uuid.ts'
import { costOf } from '../../tenancy/price.ts'
import {
  keptOf,
  limitCounts,
  NOTHING_USED,
  type OpenedRecord,
  type UsageCounts,
  type UsageRecord,
} from '../../tenancy/usage-record.ts'
import { parseHash } from '../valkey/parse-hash.ts'
import { organizationKeys, partitionKeys, partitionOf } from '../valkey/keys.ts'
import { readScript, scriptCaller } from '../valkey/scripts.ts'
import { ENDING_SCRIPTS, runningArguments } from './settlements.ts'
import { type Valkey } from '../valkey/valkey.ts'
import { OpenedRecordSchema, UNKNOWN } from './read-usage-record.ts'

const SCAN_COUNT = 500

/** As long as settle.lua recognises a repeated settlement, and a minute on either side. */
const SETTLED_MINUTES = 7

const CLOSE_SCRIPT = readScript(import.meta.url, ...ENDING_SCRIPTS, 'close.lua')
const FORGET_LEASE_SCRIPT = readScript(import.meta.url, 'forget-lease.lua')

/** An entry of a partition's hash of open requests. */
export type OpenEntry = {
  readonly id: string
  /** Undefined if it cannot be read, or belongs to another partition: it could not be settled. */
  readonly opened: OpenedRecord | undefined
}

export type OpenRecords = {
  /** The number of open requests in the partition, and the lease of each process. */
  inspect(partition: number): Promise<{ open: number; leases: ReadonlyMap<string, string> }>
  /** Scans the open requests; one that is opened or closed during the scan may be missing. */
  list(partition: number): AsyncIterable<readonly OpenEntry[]>
  /** Closes the request as lost if its lease is unchanged. Returns whether it did. */
  close(opened: OpenedRecord, lease: string): Promise<boolean>
  /** Removes an unreadable entry. */
  discard(partition: number, id: string): Promise<void>
  forgetLease(partition: number, instance: string, lease: string): Promise<void>
}

const openedRecord = Compile(OpenedRecordSchema)
const storedCounts = Compile(Type.String({ pattern: '^\\d{1,10},\\d{1,10},\\d{1,10},\\d{1,10}$' }))

export function createOpenRecords(valkey: Pick<Valkey, 'call'>): OpenRecords {
  const closeOne = scriptCaller(valkey, CLOSE_SCRIPT)
  const forget = scriptCaller(valkey, FORGET_LEASE_SCRIPT)
  return {
    async inspect(partition) {
      const keys = partitionKeys(partition)
      const [open, leases] = await Promise.all([
        valkey.call('HLEN', [keys.open]) as Promise<number>,
        valkey.call('HGETALL', [keys.leases]) as Promise<string[]>,
      ])
      return { open, leases: parseHash(leases) }
    },
    async *list(partition) {
      const { open } = partitionKeys(partition)
      let cursor = '0'
      do {
        const reply = await valkey.call('HSCAN', [open, cursor, 'COUNT', SCAN_COUNT])
        const [next, fields] = reply as [string, string[]]
        cursor = next
        yield [...parseHash(fields)].map(([id, text]) => {
          const opened = readOpened(id, text)
          const isHere = opened !== undefined && partitionOf(opened.organizationId) === partition
          return { id, opened: isHere ? opened : undefined }
        })
      } while (cursor !== '0')
    },
    async close(opened, lease) {
      const keys = organizationKeys(opened.organizationId)
      const progress = (await valkey.call('HGET', [keys.progress, opened.id])) as string | null
      const record = lostRecord(opened, progress)
      const hour = `${keys.hour}${Math.floor(timeOfUuid(opened.id) / HOUR_MS)}`
      const settled = recentMinutes().map((minute) => `${keys.settled}${minute}`)
      const closed = await closeOne({
        keys: [keys.open, keys.progress, keys.leases, keys.usage, keys.funds, hour].concat(
          keys.key,
          keys.running,
          settled,
        ),
        args: closeArguments(opened, lease, progress, record),
      })
      return closed === 1
    },
    async discard(partition, id) {
      const { open, progress } = partitionKeys(partition)
      await Promise.all([open, progress].map((key) => valkey.call('HDEL', [key, id])))
    },
    async forgetLease(partition, instance, lease) {
      await forget({ keys: [partitionKeys(partition).leases], args: [instance, lease] })
    },
  }
}

/** The minutes in which a settlement is still recognised, allowing for a clock that is ahead. */
function recentMinutes(): number[] {
  const minute = Math.floor(Date.now() / MINUTE_MS) + 1
  return Array.from({ length: SETTLED_MINUTES }, (_, back) => minute - back)
}

/**
 * The record of a request whose process is gone, from its last checkpoint. Undefined if it named no
 * served model, because such a request uses nothing.
 */
function lostRecord(opened: OpenedRecord, progress: string | null): UsageRecord | undefined {
  const { model, kept } = keptOf(opened)
  if (model === null) return undefined
  const counts = progress === null ? undefined : readProgress(progress)
  const used = limitCounts(counts ?? NOTHING_USED, opened)
  return {
    ...kept,
    model,
    ...used,
    engine: null,
    attempts: null,
    outcome: 'lost',
    basis: counts === undefined ? 'none' : 'checkpoint',
    cost: kept.price === null ? 0 : costOf(used, kept.price),
    queuedMs: null,
    firstTokenMs: null,
    durationMs: null,
    settledAtMs: Date.now(),
  }
}

/** In the order of the script's arguments. */
function closeArguments(
  opened: OpenedRecord,
  lease: string,
  progress: string | null,
  record: UsageRecord | undefined,
): (string | number)[] {
  const { id, instance, organizationId, projectId, limitsId = '', reserved } = opened
  const text = record === undefined ? '' : JSON.stringify(record)
  const seen = [id, instance, lease, progress ?? '']
  const used = [record?.cost ?? 0, ...countsOf(record ?? NOTHING_USED)]
  const ended = [...seen, projectId, reserved, text, timeOfUuid(id), ...used, limitsId]
  return [...ended, organizationId, ...runningArguments(opened)]
}

function readProgress(text: string): UsageCounts | undefined {
  if (!storedCounts.Check(text)) return undefined
  const [promptTokens = 0, cachedTokens = 0, completionTokens = 0, reasoningTokens = 0] = text
    .split(',')
    .map(Number)
  return { promptTokens, cachedTokens, completionTokens, reasoningTokens }
}

export function readOpened(id: string, text: string): OpenedRecord | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return openedRecord.Check(value) && value.id === id ? { ...UNKNOWN, ...value } : undefined
  } catch {
    return undefined
  }
}

function countsOf(counts: UsageCounts): number[] {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = counts
  return [promptTokens, cachedTokens, completionTokens, reasoningTokens]
}

import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { HOUR_MS, utcMonth } from '../../lib/time.ts'
import { timeOfUuid } from '../../lib/uuid.ts'
import { costOf } from '../../tenancy/price.ts'
import {
  NOTHING_USED,
  type CountedUsage,
  type OpenedRecord,
  type UsageCounts,
  type UsageRecord,
} from '../../tenancy/usage-record.ts'
import { parseHash } from '../valkey/parse-hash.ts'
import { organizationKeys, partitionKeys } from '../valkey/keys.ts'
import { readScript, scriptCaller } from '../valkey/scripts.ts'
import { type Valkey } from '../valkey/valkey.ts'
import { OpenedRecordSchema } from './read-usage-record.ts'

const SCAN_COUNT = 500

const CLOSE_SCRIPT = readScript(import.meta.url, 'apply-costs.lua', 'close.lua')
const FORGET_LEASE_SCRIPT = readScript(import.meta.url, 'forget-lease.lua')
const UNDO_CLOSE_SCRIPT = readScript(import.meta.url, 'undo-close.lua')

/** An entry of a partition's hash of open requests. */
export type OpenEntry = {
  readonly id: string
  /** Undefined if it cannot be read. */
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
  /** Subtracts what closing counted, because the request's own process has settled it after all. */
  undoClose(closed: CountedUsage): Promise<void>
}

const openedRecord = Compile(OpenedRecordSchema)
const storedCounts = Compile(Type.String({ pattern: '^\\d{1,10},\\d{1,10},\\d{1,10},\\d{1,10}$' }))

export function createOpenRecords(valkey: Pick<Valkey, 'call'>): OpenRecords {
  const closeOne = scriptCaller(valkey, CLOSE_SCRIPT)
  const forget = scriptCaller(valkey, FORGET_LEASE_SCRIPT)
  const undoCloseOne = scriptCaller(valkey, UNDO_CLOSE_SCRIPT)
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
        yield [...parseHash(fields)].map(([id, text]) => ({ id, opened: readOpened(id, text) }))
      } while (cursor !== '0')
    },
    async close(opened, lease) {
      const keys = organizationKeys(opened.organizationId)
      const progress = (await valkey.call('HGET', [keys.progress, opened.id])) as string | null
      const record = lostRecord(opened, progress)
      const hour = `${keys.hour}${Math.floor(timeOfUuid(opened.id) / HOUR_MS)}`
      const closed = await closeOne({
        keys: [keys.open, keys.progress, keys.leases, keys.usage, keys.funds, hour],
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
    async undoClose(closed) {
      const keys = organizationKeys(closed.organizationId)
      const madeMs = timeOfUuid(closed.id)
      await undoCloseOne({
        keys: [keys.funds, `${keys.hour}${Math.floor(madeMs / HOUR_MS)}`],
        args: [closed.projectId, utcMonth(madeMs), closed.cost, ...countsOf(closed)],
      })
    },
  }
}

/**
 * The record of a request whose process is gone, from its last checkpoint. Undefined if it named no
 * served model, because such a request uses nothing.
 */
function lostRecord(opened: OpenedRecord, progress: string | null): UsageRecord | undefined {
  const { id, organizationId, projectId, credentialId, model, price } = opened
  if (model === null) return undefined
  const counts = progress === null ? undefined : readProgress(progress)
  const used = counts ?? NOTHING_USED
  return {
    id,
    organizationId,
    projectId,
    credentialId,
    model,
    price,
    ...used,
    engine: null,
    outcome: 'lost',
    basis: counts === undefined ? 'none' : 'checkpoint',
    cost: price === null ? 0 : costOf(used, price),
    queuedMs: null,
    firstPieceMs: null,
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
  const { id, instance, projectId, reserved } = opened
  const text = record === undefined ? '' : JSON.stringify(record)
  const seen = [id, instance, lease, progress ?? '']
  const used = [record?.cost ?? 0, ...countsOf(record ?? NOTHING_USED)]
  return [...seen, projectId, reserved, text, utcMonth(timeOfUuid(id)), ...used]
}

function readProgress(text: string): UsageCounts | undefined {
  if (!storedCounts.Check(text)) return undefined
  const [promptTokens = 0, cachedTokens = 0, completionTokens = 0, reasoningTokens = 0] = text
    .split(',')
    .map(Number)
  return { promptTokens, cachedTokens, completionTokens, reasoningTokens }
}

function readOpened(id: string, text: string): OpenedRecord | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return openedRecord.Check(value) && value.id === id ? value : undefined
  } catch {
    return undefined
  }
}

function countsOf(counts: UsageCounts): number[] {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = counts
  return [promptTokens, cachedTokens, completionTokens, reasoningTokens]
}

import type { Log } from '../../lib/log.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import type {
  VirtualTimeCharge,
  OpenedRecord,
  TrackedUsage,
  UsageRecord,
} from '../../tenancy/usage-record.ts'
import {
  ACKNOWLEDGE_TIMEOUT_MS,
  acknowledgedCaller,
  type Acknowledged,
} from '../valkey/acknowledge.ts'
import { readScript, scriptCaller, type ScriptCall } from '../valkey/scripts.ts'
import { openValkey, type Valkey } from '../valkey/valkey.ts'
import { Checkpoints } from './checkpoints.ts'
import { ENDING_SCRIPTS, Settlements, type SettlementOptions } from './settlements.ts'

/** A request whose client disconnected ends shortly after its connection. */
const DRAIN_MS = 5_000

const SETTLE_SCRIPT = readScript(import.meta.url, ...ENDING_SCRIPTS, 'settle.lua')

export type UsageLogOptions = SettlementOptions & {
  readonly log: Log
  /** So many replicas acknowledge each record; 0 waits for none. */
  readonly acknowledged?: { readonly replicas: number; readonly urls: readonly string[] }
}

/** Tracks requests from admission to settlement in Valkey. */
export type UsageLog = AsyncDisposable & {
  /** The id of this process in the records that it opens. */
  readonly instance: string
  /** Tracks an admitted request until it ends. */
  track(opened: OpenedRecord): TrackedUsage
  /** Resolves when the record is written, or after the time a client should wait for that. */
  settle(record: UsageRecord, opened: OpenedRecord, charge?: VirtualTimeCharge): Promise<void>
  /** Ends a request that used nothing, or that may not have been admitted. */
  release(opened: OpenedRecord): void
  /** Records that were written, but that too few replicas acknowledged in time, since the start. */
  unacknowledged(): number
  /** Records that could not be written and are only in the log of this process, since the start. */
  lost(): number
}

export function openUsageLog(valkey: Valkey, options: UsageLogOptions): UsageLog {
  const instance = uuidV7()
  const { acknowledged: { replicas, urls } = { replicas: 0, urls: [] }, log } = options
  const acknowledging =
    replicas > 0 ? openValkey(urls, { timeoutMs: ACKNOWLEDGE_TIMEOUT_MS }) : undefined
  const send =
    acknowledging === undefined
      ? unacknowledgedCaller(valkey)
      : acknowledgedCaller(acknowledging, SETTLE_SCRIPT, replicas)
  const settlements = new Settlements(send, options)
  const checkpoints = new Checkpoints(valkey, instance, log)
  valkey.onLoss(() => settlements.resendRecent())
  return {
    instance,
    track: (opened) => checkpoints.track(opened),
    settle(record, opened, charge) {
      const { id: requestId, organizationId, model, outcome, durationMs } = record
      const { promptTokens, completionTokens } = record
      const counts = { durationMs: durationMs ?? 0, promptTokens, completionTokens }
      const engine = record.engine ?? ''
      log.debug({ requestId, organizationId, model, engine, outcome, ...counts }, 'settled')
      return settlements.write({ opened, record, charge })
    },
    release: (opened) => void settlements.write({ opened, record: null }),
    unacknowledged: () => settlements.unacknowledged(),
    lost: () => settlements.lost(),
    async [Symbol.asyncDispose]() {
      // Requests whose admission was answered just now are tracked by the end of this turn.
      await new Promise(setImmediate)
      const drained = await checkpoints.waitUntilEmpty(DRAIN_MS)
      await settlements.flush()
      // A worker closes the requests that are still open, once the lease has expired.
      if (drained) await checkpoints.releaseLeases()
      await acknowledging?.[Symbol.asyncDispose]()
    },
  }
}

/** Where no acknowledgement is asked for, none is missing. */
function unacknowledgedCaller(valkey: Valkey): (call: ScriptCall) => Promise<Acknowledged> {
  const send = scriptCaller(valkey, SETTLE_SCRIPT)
  return async (call) => ({ reply: await send(call), acknowledged: true })
}

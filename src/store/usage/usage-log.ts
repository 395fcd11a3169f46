import type { Log } from '../../lib/log.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import type { OpenedRecord, UsageCounts, UsageRecord } from '../../tenancy/usage-record.ts'
import {
  ACKNOWLEDGE_TIMEOUT_MS,
  acknowledgedCaller,
  type Acknowledgement,
} from '../valkey/acknowledge.ts'
import { Checkpoints } from './checkpoints.ts'
import { readScript } from '../valkey/scripts.ts'
import { Settlements, type SettlementOptions } from './settlements.ts'
import { scriptCaller } from '../valkey/scripts.ts'
import { openValkey, type Valkey } from '../valkey/valkey.ts'

/** Requests that are left by their clients end a moment after their connections. */
const ENDING_MS = 5_000

const SETTLE_SCRIPT = readScript(import.meta.url, 'apply-costs.lua', 'settle.lua')

export type UsageLogOptions = SettlementOptions & {
  readonly log: Log
  /** Where to wait for acknowledgements, if any are wanted. */
  readonly acknowledgement?: Acknowledgement & { readonly urls: readonly string[] }
}

/** Follows requests from their admission to their end, and writes down how they ended. */
export type UsageLog = AsyncDisposable & {
  /** This process, as it stands in the records that it opens. */
  readonly instance: string
  /**
   * An admitted request, until it is settled or released. Returns where to tell how far it has
   * come, by the engine's own counts: that costs next to nothing.
   */
  follow(opened: OpenedRecord): (counts: UsageCounts) => void
  /** Resolves when it is written down, or when a client has waited for that long enough. */
  settle(record: UsageRecord, opened: OpenedRecord): Promise<void>
  /** Ends a request that used nothing, or that may not have been admitted. */
  release(opened: OpenedRecord): void
}

export function openUsageLog(valkey: Valkey, options: UsageLogOptions): UsageLog {
  const instance = uuidV7()
  const { acknowledgement, log } = options
  const wanted = acknowledgement !== undefined && isWanted(acknowledgement)
  const own = wanted
    ? openValkey(acknowledgement.urls, { timeoutMs: ACKNOWLEDGE_TIMEOUT_MS })
    : undefined
  const send =
    wanted && own !== undefined
      ? acknowledgedCaller(own, SETTLE_SCRIPT, acknowledgement)
      : scriptCaller(valkey, SETTLE_SCRIPT)
  const settlements = new Settlements(send, options)
  const checkpoints = new Checkpoints(valkey, instance, log)
  valkey.onLoss(() => settlements.sendAgain())
  return {
    instance,
    follow: (opened) => checkpoints.follow(opened),
    settle(record, opened) {
      checkpoints.forget(opened)
      const { id: requestId, organizationId, model, outcome, durationMs } = record
      const { promptTokens, completionTokens } = record
      const counts = { durationMs: durationMs ?? 0, promptTokens, completionTokens }
      const engine = record.engine ?? ''
      log.debug({ requestId, organizationId, model, engine, outcome, ...counts }, 'settled')
      return settlements.end({ opened, record })
    },
    release(opened) {
      checkpoints.forget(opened)
      void settlements.end({ opened, record: null })
    },
    async [Symbol.asyncDispose]() {
      // Those whose admission was answered last are followed from this turn on.
      await new Promise(setImmediate)
      const ended = await checkpoints.emptied(ENDING_MS)
      await settlements.flush()
      // What is still open is closed by a worker, once the lease has run out.
      if (ended) await checkpoints.leave()
      await own?.[Symbol.asyncDispose]()
    },
  }
}

function isWanted({ replicas, aof }: Acknowledgement): boolean {
  return replicas > 0 || aof
}

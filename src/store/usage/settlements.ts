import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../lib/log.ts'
import { traceError } from '../../lib/log.ts'
import { timeOfUuid } from '../../lib/uuid.ts'
import type { OpenedRecord, UsageRecord } from '../../tenancy/usage-record.ts'
import { organizationKeys } from '../valkey/keys.ts'
import { ValkeyUnavailable } from '../valkey/valkey.ts'
import type { ScriptCall } from '../valkey/scripts.ts'
import type { ValkeyArgument } from '../valkey/valkey.ts'
import { utcMonth } from './utc-month.ts'

/** A failover takes up to two seconds; longer, no client should wait for its end. */
const HOLD_MS = 2_500

/** Requests of one organization that share a call: more would only hold up the server's others. */
const BATCH_MAX = 64

/** About 30 MB: what ends in the minutes that a server may be away. */
const KEPT_MAX = 20_000

/** What was answered within this time may be lost with a server that had not passed it on yet. */
const RECENT_MS = 10_000
const RECENT_MAX = 10_000

/** A server that is lost is lost for many callers at once. */
const AGAIN_AFTER_MS = 1_000

/** At most this often is it told that clients had to wait for too long. */
const COMPLAINT_MS = 10_000

const RETRY_MS = 40
const RETRY_MS_MAX = 1_000

/** A request that was released before its admission reached the server is released again. */
const RELEASE_AGAIN_MS = 2_000

/** How long the end of the process waits for a server that is away. */
const FLUSH_MS = 10_000

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** The end of a request: how it was settled, or null if it is only released. */
export type Ending = { readonly opened: OpenedRecord; readonly record: UsageRecord | null }

type Batch = { readonly endings: readonly Ending[]; readonly sentMs: number }

export type SettlementOptions = {
  readonly log: Log
  readonly holdMs?: number
  readonly keptMax?: number
  readonly flushMs?: number
}

/**
 * Writes endings down. Those of one organization and one turn of the event loop share a call. One
 * that was not answered is sent again until it is, behind the client's back if it takes long; the
 * script knows it by its id.
 */
export class Settlements {
  readonly #send: (call: ScriptCall) => Promise<unknown>
  readonly #log: Log
  readonly #options: Required<Omit<SettlementOptions, 'log'>>
  readonly #running = new Set<Promise<void>>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #gathering = new Map<string, { endings: Ending[]; done: PromiseWithResolvers<void> }>()
  #recent: Batch[] = []
  #recentCount = 0
  #again: NodeJS.Timeout | undefined
  #complainedMs = -COMPLAINT_MS
  #kept = 0
  #flushing = false
  #gaveUp = false
  #closed = false

  constructor(send: (call: ScriptCall) => Promise<unknown>, options: SettlementOptions) {
    this.#send = send
    this.#log = options.log
    this.#options = { holdMs: HOLD_MS, keptMax: KEPT_MAX, flushMs: FLUSH_MS, ...options }
  }

  /** Resolves when it is written down, or when a client has waited for that long enough. */
  async end(ending: Ending): Promise<void> {
    if (this.#kept >= this.#options.keptMax) {
      this.#lose(ending)
      return
    }
    this.#kept += 1
    const { organizationId } = ending.opened
    let batch = this.#gathering.get(organizationId)
    if (batch !== undefined && batch.endings.length >= BATCH_MAX) {
      this.#start(batch)
      batch = undefined
    }
    if (batch === undefined) {
      if (this.#gathering.size === 0) setImmediate(() => this.#startGathered())
      batch = { endings: [], done: Promise.withResolvers<void>() }
      this.#gathering.set(organizationId, batch)
    }
    batch.endings.push(ending)
    await batch.done.promise
  }

  /** A server was lost, and with it maybe what it had answered and not passed on to a replica. */
  sendAgain(): void {
    if (this.#closed || this.#recent.length === 0) return
    this.#again ??= setTimeout(() => this.#sendRecent(), AGAIN_AFTER_MS)
  }

  #sendRecent(): void {
    clearTimeout(this.#again)
    this.#again = undefined
    const again = this.#recent
    this.#recent = []
    this.#recentCount = 0
    const sinceMs = performance.now() - AGAIN_AFTER_MS - RECENT_MS
    for (const { endings, sentMs } of again) {
      if (sentMs < sinceMs) continue
      this.#kept += endings.length
      this.#start({ endings, done: Promise.withResolvers<void>() }, sentMs)
    }
  }

  /** Waits until all is written down, or as long as a process may take to end. */
  async flush(): Promise<void> {
    this.#flushing = true
    if (this.#again !== undefined) this.#sendRecent()
    this.#startGathered()
    for (const timer of this.#timers) clearTimeout(timer)
    const deadline = setTimeout(() => (this.#gaveUp = true), this.#options.flushMs)
    while (this.#running.size > 0) await Promise.all(this.#running)
    clearTimeout(deadline)
    clearTimeout(this.#again)
    this.#closed = true
  }

  #startGathered(): void {
    const batches = this.#gathering.values()
    this.#gathering = new Map()
    for (const batch of batches) this.#start(batch)
  }

  #start(
    batch: { readonly endings: readonly Ending[]; readonly done: PromiseWithResolvers<void> },
    sentMs?: number,
  ): void {
    const { promise, resolve } = batch.done
    const timeout = setTimeout(() => {
      this.#complain()
      resolve()
    }, this.#options.holdMs)
    void promise.then(() => clearTimeout(timeout))
    const run = this.#write(batch.endings, sentMs).finally(() => {
      this.#running.delete(run)
      this.#kept -= batch.endings.length
      resolve()
    })
    this.#running.add(run)
  }

  #complain(): void {
    const nowMs = performance.now()
    if (nowMs - this.#complainedMs < COMPLAINT_MS) return
    this.#complainedMs = nowMs
    this.#log.warn({ count: this.#kept }, 'usage is written down late, and kept until then')
  }

  async #write(endings: readonly Ending[], firstSentMs?: number): Promise<void> {
    const call = settleCall(endings)
    for (let attempt = 1; ; attempt += 1) {
      try {
        const sentMs = firstSentMs ?? performance.now()
        const done = (await this.#send(call)) as number[]
        this.#remember({ endings, sentMs })
        this.#releaseAgain(endings.filter(({ record }, at) => record === null && done[at] === 0))
        return
      } catch (error) {
        if (error instanceof ValkeyUnavailable && !this.#gaveUpOn(endings))
          await pause(retryDelayMs(attempt))
        else {
          this.#log.error({ error: traceError(error) }, 'usage could not be written down')
          for (const ending of endings) this.#lose(ending)
          return
        }
      }
    }
  }

  /** The end of the process waits for settlements only: a worker releases what is left behind. */
  #gaveUpOn(endings: readonly Ending[]): boolean {
    return this.#gaveUp || (this.#flushing && endings.every(({ record }) => record === null))
  }

  #remember(batch: Batch): void {
    this.#recent.push(batch)
    this.#recentCount += batch.endings.length
    const sinceMs = performance.now() - RECENT_MS
    let old = 0
    for (const { endings, sentMs } of this.#recent) {
      if (sentMs >= sinceMs && this.#recentCount <= RECENT_MAX) break
      this.#recentCount -= endings.length
      old += 1
    }
    if (old > 0) this.#recent.splice(0, old)
  }

  // Not by way of `end`: it must not be released a third time.
  #releaseAgain(endings: readonly Ending[]): void {
    if (endings.length === 0) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      void this.#send(settleCall(endings)).catch(() => {})
    }, RELEASE_AGAIN_MS)
    timer.unref()
    this.#timers.add(timer)
  }

  /** The last resort: what is in the log can still be booked by hand. */
  #lose({ opened, record }: Ending): void {
    const { id: requestId, organizationId, projectId, credentialId } = record ?? opened
    const who = { requestId, organizationId, projectId, credentialId }
    if (record === null) this.#log.warn(who, 'a request was not released')
    else {
      const { model, outcome, basis, cost } = record
      const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = record
      const counts = { promptTokens, cachedTokens, completionTokens, reasoningTokens }
      const engine = record.engine ?? ''
      this.#log.error({ ...who, model, engine, outcome, basis, cost, ...counts }, 'usage was lost')
    }
  }
}

function settleCall(endings: readonly Ending[]): ScriptCall {
  const organizationId = endings[0]?.opened.organizationId ?? ''
  const { open, progress, usage, funds, settled, hour } = organizationKeys(organizationId)
  const args: ValkeyArgument[] = []
  for (const { opened, record } of endings) {
    args.push(opened.id, opened.projectId, opened.reserved)
    if (record === null) args.push('', 0, 0, 0, 0, 0, 0, 0, 0)
    else {
      const madeMs = timeOfUuid(record.id)
      args.push(JSON.stringify(record), Math.floor(record.settledAtMs / MINUTE_MS))
      args.push(Math.floor(madeMs / HOUR_MS), utcMonth(madeMs), record.cost)
      args.push(record.promptTokens, record.cachedTokens)
      args.push(record.completionTokens, record.reasoningTokens)
    }
  }
  return { keys: [open, progress, usage, funds, settled, hour], args }
}

function retryDelayMs(attempt: number): number {
  return Math.min(RETRY_MS * attempt, RETRY_MS_MAX) * (0.5 + Math.random() / 2)
}

import { setTimeout as pause } from 'node:timers/promises'
import { linearBackoffMs } from '../../lib/backoff.ts'
import { traceError, type Log } from '../../lib/log.ts'
import { RunningCount } from '../../lib/running/running-count.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import { timeOfUuid } from '../../lib/uuid.ts'
import type { VirtualTimeCharge, OpenedRecord, UsageRecord } from '../../tenancy/usage-record.ts'
import { VIRTUAL_TIME_SCALE } from '../valkey/virtual-time-scale.ts'
import { organizationKeys } from '../valkey/keys.ts'
import type { Acknowledged } from '../valkey/acknowledge.ts'
import type { ScriptCall } from '../valkey/scripts.ts'
import { ValkeyUnavailable, type ValkeyArgument } from '../valkey/valkey.ts'

/** What precedes the scripts that end requests. */
export const ENDING_SCRIPTS = ['allow-oom.lua', '../valkey/utc-month.lua', 'apply-costs.lua']

/** A failover takes up to two seconds; no client should wait longer for the end of its response. */
const HOLD_MS = 2_500

/** Requests of one organization per call: larger calls would delay the server's other clients. */
const BATCH_MAX = 64

/** About 30 MB: enough for an outage of minutes. */
const BUFFERED_MAX = 20_000

/** Settlements acknowledged within this time may be lost with a server that had not replicated. */
const RECENT_MS = 10_000
const RECENT_MAX = 10_000

/** The loss of a server is reported many times at once, so resending waits a moment. */
const RESEND_DELAY_MS = 1_000

/** Minimum time between two warnings of one kind. */
const WARN_INTERVAL_MS = 10_000

const RETRY_MS = 40
const RETRY_MS_MAX = 1_000

/** A release that arrived before the request's admission is repeated after this time. */
const RELEASE_RETRY_MS = 2_000

/** How long a shutdown waits for an unavailable server. */
const FLUSH_MS = 10_000

/** `record` is null if the request is only released. No charge advances nothing. */
export type Settlement = {
  readonly opened: OpenedRecord
  readonly record: UsageRecord | null
  readonly charge?: VirtualTimeCharge | undefined
}

type Batch = {
  readonly settlements: readonly Settlement[]
  readonly done: PromiseWithResolvers<void>
}

type SentBatch = { readonly settlements: readonly Settlement[]; readonly sentMs: number }

export type SettlementOptions = {
  readonly log: Log
  readonly holdMs?: number
  readonly bufferedMax?: number
  readonly flushMs?: number
}

/**
 * Writes settlements to Valkey. Those of one organization and one turn of the event loop share a
 * call. A call without a reply is retried until it succeeds, in the background if the client has
 * waited long enough; the script recognises repetitions by the request id.
 */
export class Settlements {
  readonly #evaluate: (call: ScriptCall) => Promise<Acknowledged>
  readonly #log: Log
  readonly #options: Required<Omit<SettlementOptions, 'log'>>
  readonly #running = new RunningCount()
  readonly #timers = new Set<NodeJS.Timeout>()
  #batches = new Map<string, Batch & { readonly settlements: Settlement[] }>()
  #recent: SentBatch[] = []
  #recentCount = 0
  #resendTimer: NodeJS.Timeout | undefined
  readonly #warnedMs = new Map<string, number>()
  #unacknowledged = 0
  #lost = 0
  #buffered = 0
  #flushing = false
  #flushTimedOut = false
  #closed = false

  constructor(evaluate: (call: ScriptCall) => Promise<Acknowledged>, options: SettlementOptions) {
    this.#evaluate = evaluate
    this.#log = options.log
    this.#options = { holdMs: HOLD_MS, bufferedMax: BUFFERED_MAX, flushMs: FLUSH_MS, ...options }
  }

  /** Resolves when it is written, or after the time a client should wait for that. */
  async write(settlement: Settlement): Promise<void> {
    if (this.#buffered >= this.#options.bufferedMax) {
      this.#drop(settlement)
      return
    }
    this.#buffered += 1
    const { organizationId } = settlement.opened
    let batch = this.#batches.get(organizationId)
    if (batch !== undefined && batch.settlements.length >= BATCH_MAX) {
      this.#start(batch)
      batch = undefined
    }
    if (batch === undefined) {
      if (this.#batches.size === 0) setImmediate(() => this.#startBatches())
      batch = { settlements: [], done: Promise.withResolvers<void>() }
      this.#batches.set(organizationId, batch)
    }
    batch.settlements.push(settlement)
    await batch.done.promise
  }

  /** Settlements that were written, but not acknowledged in time, since the start. */
  unacknowledged(): number {
    return this.#unacknowledged
  }

  /** Usage records that were dropped, since the start. */
  lost(): number {
    return this.#lost
  }

  /** Call when a server was lost, and with it possibly writes that were not yet replicated. */
  resendRecent(): void {
    if (this.#closed || this.#recent.length === 0) return
    this.#resendTimer ??= setTimeout(() => this.#resend(), RESEND_DELAY_MS)
  }

  #resend(): void {
    clearTimeout(this.#resendTimer)
    this.#resendTimer = undefined
    const batches = this.#recent
    this.#recent = []
    this.#recentCount = 0
    const sinceMs = performance.now() - RESEND_DELAY_MS - RECENT_MS
    for (const { settlements, sentMs } of batches) {
      if (sentMs < sinceMs) continue
      this.#buffered += settlements.length
      this.#start({ settlements, done: Promise.withResolvers<void>() }, sentMs)
    }
  }

  /** Waits until everything is written, or as long as a shutdown may take. */
  async flush(): Promise<void> {
    this.#flushing = true
    if (this.#resendTimer !== undefined) this.#resend()
    this.#startBatches()
    for (const timer of this.#timers) clearTimeout(timer)
    const deadline = setTimeout(() => (this.#flushTimedOut = true), this.#options.flushMs)
    await this.#running.idle()
    clearTimeout(deadline)
    clearTimeout(this.#resendTimer)
    this.#closed = true
  }

  #startBatches(): void {
    const batches = this.#batches.values()
    this.#batches = new Map()
    for (const batch of batches) this.#start(batch)
  }

  #start({ settlements, done }: Batch, sentMs?: number): void {
    const timeout = setTimeout(() => {
      if (this.#mayWarn('delayed'))
        this.#log.warn({ count: this.#buffered }, 'usage settlement delayed, buffered in memory')
      done.resolve()
    }, this.#options.holdMs)
    void done.promise.then(() => clearTimeout(timeout))
    const sending = this.#send(settlements, sentMs).finally(() => {
      this.#buffered -= settlements.length
      done.resolve()
    })
    void this.#running.run(sending)
  }

  #mayWarn(about: 'delayed' | 'unacknowledged'): boolean {
    const nowMs = performance.now()
    if (nowMs - (this.#warnedMs.get(about) ?? -Infinity) < WARN_INTERVAL_MS) return false
    this.#warnedMs.set(about, nowMs)
    return true
  }

  async #send(settlements: readonly Settlement[], firstSentMs?: number): Promise<void> {
    const call = settleCall(settlements)
    for (let attempt = 1; ; attempt += 1) {
      try {
        const sentMs = firstSentMs ?? performance.now()
        const { reply, acknowledged } = await this.#evaluate(call)
        if (!acknowledged) this.#reportUnacknowledged(settlements.length)
        const done = reply as number[]
        this.#remember({ settlements, sentMs })
        const isUnknown = ({ record }: Settlement, at: number) => record === null && done[at] === 0
        this.#retryRelease(settlements.filter(isUnknown))
        return
      } catch (error) {
        if (error instanceof ValkeyUnavailable && !this.#mayGiveUp(settlements))
          await pause(linearBackoffMs(attempt, RETRY_MS, RETRY_MS_MAX))
        else {
          this.#log.error({ error: traceError(error) }, 'usage settlement failed')
          for (const settlement of settlements) this.#drop(settlement)
          return
        }
      }
    }
  }

  // They are written. If the server is lost before they are posted, the recent ones are sent again.
  #reportUnacknowledged(count: number): void {
    this.#unacknowledged += count
    if (this.#mayWarn('unacknowledged'))
      this.#log.warn({ count: this.#unacknowledged }, 'usage records not acknowledged')
  }

  /** A shutdown does not wait for releases: a worker releases requests that are left open. */
  #mayGiveUp(settlements: readonly Settlement[]): boolean {
    const onlyReleases = settlements.every(({ record }) => record === null)
    return this.#flushTimedOut || (this.#flushing && onlyReleases)
  }

  #remember(batch: SentBatch): void {
    this.#recent.push(batch)
    this.#recentCount += batch.settlements.length
    const sinceMs = performance.now() - RECENT_MS
    let old = 0
    for (const { settlements, sentMs } of this.#recent) {
      if (sentMs >= sinceMs && this.#recentCount <= RECENT_MAX) break
      this.#recentCount -= settlements.length
      old += 1
    }
    if (old > 0) this.#recent.splice(0, old)
  }

  // Not via `write`: a release must not be repeated a third time.
  #retryRelease(settlements: readonly Settlement[]): void {
    if (settlements.length === 0) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      void this.#evaluate(settleCall(settlements)).catch(() => {})
    }, RELEASE_RETRY_MS)
    timer.unref()
    this.#timers.add(timer)
  }

  /** The last resort: the log entry has everything that is needed to post the usage by hand. */
  #drop({ opened, record }: Settlement): void {
    const { id: requestId, organizationId, projectId, credentialId } = record ?? opened
    const ids = { requestId, organizationId, projectId, credentialId }
    if (record === null) this.#log.warn(ids, 'request release failed')
    else {
      this.#lost += 1
      const { model, outcome, basis, cost } = record
      const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = record
      const counts = { promptTokens, cachedTokens, completionTokens, reasoningTokens }
      const facts = { model, engine: record.engine ?? '', outcome, basis, cost }
      this.#log.error({ ...ids, ...facts, ...counts }, 'usage record dropped')
    }
  }
}

function settleCall(settlements: readonly Settlement[]): ScriptCall {
  const organizationId = settlements[0]?.opened.organizationId ?? ''
  const keys = organizationKeys(organizationId)
  const { open, progress, usage, funds, settled, hour, key, limits, running } = keys
  const args: ValkeyArgument[] = [organizationId]
  for (const { opened, record, charge } of settlements) {
    args.push(opened.id, opened.projectId, opened.reserved)
    if (record === null) args.push('', 0, 0, 0, 0, 0, 0, 0, 0)
    else {
      const madeMs = timeOfUuid(record.id)
      args.push(JSON.stringify(record), Math.floor(record.settledAtMs / MINUTE_MS))
      args.push(Math.floor(madeMs / HOUR_MS), madeMs, record.cost)
      args.push(record.promptTokens, record.cachedTokens)
      args.push(record.completionTokens, record.reasoningTokens)
    }
    args.push(opened.limitsId ?? '', ...runningArguments(opened))
    const { startTag = 0, cost = 0 } = charge ?? {}
    args.push(
      record?.model ?? '',
      Math.ceil(cost * VIRTUAL_TIME_SCALE),
      Math.floor(startTag * VIRTUAL_TIME_SCALE),
    )
  }
  return { keys: [open, progress, usage, funds, settled, hour, key, limits, running], args }
}

/** The credential and the model that a request counts as running under; empty if it does not. */
export function runningArguments(opened: OpenedRecord): [credential: string, model: string] {
  if (opened.counted !== true) return ['', '']
  return [opened.credentialId, opened.model ?? '']
}

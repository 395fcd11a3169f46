import { setTimeout as pause } from 'node:timers/promises'
import { linearBackoffMs } from '../../lib/backoff.ts'
import type { Funds } from '../../tenancy/funds.ts'
import {
  LimitsUnavailable,
  type LimitsAsk,
  type LimitsDecision,
} from '../../tenancy/rate-limits.ts'
import { LIMITS_SCRIPT, assertCountable, limitsCall, readReply, sharesCall } from './limits-call.ts'
import { scriptCaller } from '../valkey/scripts.ts'
import { ValkeyUnavailable } from '../valkey/valkey.ts'
import type { ScriptCall } from '../valkey/scripts.ts'
import type { Valkey } from '../valkey/valkey.ts'

/** Requests of one organization that share a call: more would only hold up the server's others. */
const BATCH_MAX = 64

/** A failover takes up to two seconds; a client that waits longer is better off with an answer. */
const HOLD_MS = 2500
const HELD_MAX = 1000
const HELD_PER_ORGANIZATION_MAX = 64

/** A bound on what waits for an answer while nobody knows yet that none will come. */
const WAITING_MAX = 10_000

const RETRY_MS = 40
const RETRY_MS_MAX = 160

export type Limits = {
  /**
   * Decides one request, in at most one round trip. Throws `LimitsUnavailable` if Valkey was away
   * for as long as a request may be held.
   *
   * A call whose answer was lost is sent again. What opened a usage record is then known by it and
   * takes nothing twice. What opens none may have taken its request twice, which errs to the safe
   * side: never is more admitted than the limits allow.
   */
  admit(ask: LimitsAsk): Promise<LimitsDecision>
  /** Makes every identity of the organization that was built from a lower version stale. */
  raiseVersion(organizationId: string, version: number): Promise<void>
  /** Refuses new requests and waits for those that are under way. */
  [Symbol.asyncDispose](): Promise<void>
}

const AWAY = 'Valkey was away for too long'
const CROWDED = 'too many requests wait for Valkey'

const NO_LIMITS = { requestsPerMinute: 0, requestsPerDay: 0, tokensPerMinute: 0, tokensPerDay: 0 }

const NO_FUNDS: Funds = {
  billing: 'none',
  granted: 0,
  spent: 0,
  spendingLimit: null,
  projectSpent: 0,
}

export function createLimits(
  valkey: Pick<Valkey, 'call'>,
  options: { readonly holdMs?: number } = {},
): Limits {
  return new BatchingLimits(scriptCaller(valkey, LIMITS_SCRIPT), options.holdMs ?? HOLD_MS)
}

type Waiting = {
  readonly ask: LimitsAsk
  readonly sinceMs: number
  readonly resolve: (decision: LimitsDecision) => void
  readonly reject: (error: Error) => void
  /** Ends the hold; set while the request is held. */
  expiry: NodeJS.Timeout | null
  /** Whether it was sent at all. */
  asked: boolean
  settled: boolean
}

class BatchingLimits implements Limits {
  readonly #evaluate: (call: ScriptCall) => Promise<unknown>
  readonly #holdMs: number
  readonly #running = new Set<Promise<void>>()
  readonly #heldOf = new Map<string, number>()
  #gathering = new Map<string, Waiting[]>()
  #held = 0
  #waiting = 0
  #closed = false

  constructor(evaluate: (call: ScriptCall) => Promise<unknown>, holdMs: number) {
    this.#evaluate = evaluate
    this.#holdMs = holdMs
  }

  async admit(ask: LimitsAsk): Promise<LimitsDecision> {
    assertCountable(ask)
    if (this.#closed) throw new LimitsUnavailable('the limits are closed')
    if (this.#waiting >= WAITING_MAX) throw new LimitsUnavailable(CROWDED)
    const { promise, resolve, reject } = Promise.withResolvers<LimitsDecision>()
    const sinceMs = performance.now()
    const state = { expiry: null, asked: false, settled: false }
    const waiting: Waiting = { ask, sinceMs, resolve, reject, ...state }
    this.#waiting += 1
    // Others of the organization got no answer and are held: so is this one, from the start.
    if (this.#heldOf.has(ask.organizationId)) this.#hold(waiting, null)
    if (!waiting.settled) this.#gather(waiting)
    return promise
  }

  async raiseVersion(organizationId: string, version: number): Promise<void> {
    const nothing = { fresh: true, limits: NO_LIMITS, funds: NO_FUNDS }
    const call = limitsCall({ organizationId, version, ...nothing }, [])
    const untilMs = performance.now() + this.#holdMs
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#evaluate(call)
        return
      } catch (error) {
        if (!(error instanceof ValkeyUnavailable)) throw error
        if (performance.now() >= untilMs) throw new LimitsUnavailable(AWAY, { cause: error })
      }
      await pause(retryDelayMs(attempt))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#sendGathered()
    await Promise.all(this.#running)
  }

  // What comes within one turn of the event loop shares a call, as far as it may.
  #gather(waiting: Waiting): void {
    const { organizationId } = waiting.ask
    const batch = this.#gathering.get(organizationId)
    if (batch !== undefined && batch.length < BATCH_MAX && sharesCall(batch[0]!.ask, waiting.ask)) {
      batch.push(waiting)
      return
    }
    if (batch !== undefined) this.#send(batch)
    else if (this.#gathering.size === 0) setImmediate(() => this.#sendGathered())
    this.#gathering.set(organizationId, [waiting])
  }

  #sendGathered(): void {
    const batches = this.#gathering.values()
    this.#gathering = new Map()
    for (const batch of batches) this.#send(batch)
  }

  #send(batch: readonly Waiting[]): void {
    const run = this.#decide(batch).finally(() => this.#running.delete(run))
    this.#running.add(run)
  }

  async #decide(batch: readonly Waiting[]): Promise<void> {
    let undecided = batch.filter((waiting) => !waiting.settled)
    for (let attempt = 1; undecided.length > 0; attempt += 1) {
      const asks = undecided.map((waiting) => waiting.ask)
      for (const waiting of undecided) waiting.asked = true
      try {
        const decisions = readReply(await this.#evaluate(limitsCall(asks[0]!, asks)), asks)
        for (const [index, waiting] of undecided.entries()) this.#settle(waiting, decisions[index]!)
        return
      } catch (error) {
        if (!(error instanceof ValkeyUnavailable)) {
          for (const waiting of undecided) this.#settle(waiting, error as Error)
          return
        }
        for (const waiting of undecided) this.#hold(waiting, error)
        await pause(retryDelayMs(attempt))
        undecided = undecided.filter((waiting) => !waiting.settled)
      }
    }
  }

  #hold(waiting: Waiting, cause: unknown): void {
    if (waiting.settled || waiting.expiry !== null) return
    const { organizationId } = waiting.ask
    const others = this.#heldOf.get(organizationId) ?? 0
    if (this.#held >= HELD_MAX || others >= HELD_PER_ORGANIZATION_MAX) {
      this.#settle(waiting, new LimitsUnavailable(CROWDED, { cause, asked: waiting.asked }))
      return
    }
    this.#heldOf.set(organizationId, others + 1)
    this.#held += 1
    const expire = () =>
      this.#settle(waiting, new LimitsUnavailable(AWAY, { cause, asked: waiting.asked }))
    waiting.expiry = setTimeout(expire, this.#holdMs - (performance.now() - waiting.sinceMs))
  }

  #settle(waiting: Waiting, outcome: LimitsDecision | Error): void {
    if (waiting.settled) return
    waiting.settled = true
    this.#waiting -= 1
    if (waiting.expiry !== null) {
      clearTimeout(waiting.expiry)
      const { organizationId } = waiting.ask
      const others = this.#heldOf.get(organizationId)! - 1
      if (others === 0) this.#heldOf.delete(organizationId)
      else this.#heldOf.set(organizationId, others)
      this.#held -= 1
    }
    if (outcome instanceof Error) waiting.reject(outcome)
    else waiting.resolve(outcome)
  }
}

function retryDelayMs(attempt: number): number {
  return linearBackoffMs(attempt, RETRY_MS, RETRY_MS_MAX)
}

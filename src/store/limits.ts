import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import {
  LimitsUnavailable,
  type Capacities,
  type Dimension,
  type LimitsAsk,
  type LimitsDecision,
} from '../tenancy/rate-limits.ts'
import { ValkeyAway, organizationKeys, scriptCaller } from './valkey.ts'
import type { ScriptCall, Valkey } from './valkey.ts'

/** A larger limit could not be counted exactly in 1/60,000 of a token. */
export const LIMIT_MAX = 10_000_000_000

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

/**
 * Entries that a partition's usage stream keeps at most. Records are moved to the ledger within
 * seconds, so this is reached only when that has stood still for long; beyond it the oldest records
 * go, because a server out of memory would admit nobody.
 */
const USAGE_STREAM_ENTRIES_MAX = 1_000_000

export type Limits = {
  /**
   * Decides one request, in at most one round trip. Throws `LimitsUnavailable` if Valkey was away
   * for as long as a request may be held.
   *
   * A call whose answer was lost is sent again, and may then have taken its cost twice. That errs
   * to the safe side, by no more than was under way when a server failed: never is more admitted
   * than the limits allow. The usage stream then holds the record twice; its request id tells that.
   */
  admit(ask: LimitsAsk): Promise<LimitsDecision>
  /** Makes every identity of the organization that was built from a lower version stale. */
  raiseVersion(organizationId: string, version: number): Promise<void>
  /** Refuses new requests and waits for those that are under way. */
  [Symbol.asyncDispose](): Promise<void>
}

const AWAY = 'Valkey was away for too long'
const CROWDED = 'too many requests wait for Valkey'

/** In the order of the script's arguments, and of the bits with which it names them. */
const DIMENSIONS = [
  'requestsPerMinute',
  'requestsPerDay',
  'tokensPerMinute',
  'tokensPerDay',
] as const satisfies Dimension[]

const NO_LIMITS = { requestsPerMinute: 0, requestsPerDay: 0, tokensPerMinute: 0, tokensPerDay: 0 }

export const LIMITS_SCRIPT = readFileSync(new URL('limits.lua', import.meta.url), 'utf8')

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
    const waiting: Waiting = { ask, sinceMs, resolve, reject, expiry: null, settled: false }
    this.#waiting += 1
    // Others of the organization got no answer and are held: so is this one, from the start.
    if (this.#heldOf.has(ask.organizationId)) this.#hold(waiting, null)
    if (!waiting.settled) this.#gather(waiting)
    return promise
  }

  async raiseVersion(organizationId: string, version: number): Promise<void> {
    const call = limitsCall({ organizationId, version, fresh: true, limits: NO_LIMITS }, [])
    const untilMs = performance.now() + this.#holdMs
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#evaluate(call)
        return
      } catch (error) {
        if (!(error instanceof ValkeyAway)) throw error
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
      try {
        const decisions = readReply(await this.#evaluate(limitsCall(asks[0]!, asks)), asks)
        for (const [index, waiting] of undecided.entries()) this.#settle(waiting, decisions[index]!)
        return
      } catch (error) {
        if (!(error instanceof ValkeyAway)) {
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
      this.#settle(waiting, new LimitsUnavailable(CROWDED, { cause }))
      return
    }
    this.#heldOf.set(organizationId, others + 1)
    this.#held += 1
    const expire = () => this.#settle(waiting, new LimitsUnavailable(AWAY, { cause }))
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

/** What requests that share a call have in common. */
type Shared = Omit<LimitsAsk, 'tokens' | 'record'>

export function limitsCall(shared: Shared, asks: readonly LimitsAsk[]): ScriptCall {
  const { limits, version, usage } = organizationKeys(shared.organizationId)
  const args = [
    shared.version,
    shared.fresh ? 1 : 0,
    ...DIMENSIONS.map((dimension) => shared.limits[dimension]),
    USAGE_STREAM_ENTRIES_MAX,
    ...asks.flatMap((ask) => [ask.tokens, ask.record]),
  ]
  return { keys: [limits, version, usage], args }
}

const REPLY_HEAD = 2
const REPLY_PER_ASK = 9

export function readReply(reply: unknown, asks: readonly LimitsAsk[]): LimitsDecision[] {
  const numbers = reply as number[]
  if (numbers[0] === 0) return asks.map(() => ({ kind: 'stale' }))
  const dayMs = numbers[1]!
  return asks.map(({ limits }, index) => {
    const start = REPLY_HEAD + index * REPLY_PER_ASK
    const at = (offset: number) => numbers[start + offset]!
    const capacities: Capacities = {
      requestsPerMinute: { limit: limits.requestsPerMinute, remaining: at(3), resetMs: at(4) },
      requestsPerDay: { limit: limits.requestsPerDay, remaining: at(5), resetMs: dayMs },
      tokensPerMinute: { limit: limits.tokensPerMinute, remaining: at(6), resetMs: at(7) },
      tokensPerDay: { limit: limits.tokensPerDay, remaining: at(8), resetMs: dayMs },
    }
    if (at(0) === 0) return { kind: 'admitted', capacities }
    const violated = DIMENSIONS.filter((_, bit) => (at(0) & (1 << bit)) !== 0)
    return { kind: 'refused', capacities, violated, retryAfterMs: at(2), never: at(1) === 1 }
  })
}

function sharesCall(one: LimitsAsk, other: LimitsAsk): boolean {
  const sameLimits = DIMENSIONS.every((name) => one.limits[name] === other.limits[name])
  return sameLimits && one.version === other.version && one.fresh === other.fresh
}

function assertCountable({ limits, version, tokens }: LimitsAsk): void {
  const inRange = (n: number, max: number) => Number.isSafeInteger(n) && n >= 0 && n <= max
  const countable =
    DIMENSIONS.every((name) => inRange(limits[name], LIMIT_MAX)) &&
    inRange(version, Number.MAX_SAFE_INTEGER) &&
    inRange(tokens, Number.MAX_SAFE_INTEGER)
  if (!countable) throw new RangeError('limits, tokens and versions are counted in whole numbers')
}

function retryDelayMs(attempt: number): number {
  return Math.min(RETRY_MS * attempt, RETRY_MS_MAX) * (0.5 + Math.random() / 2)
}

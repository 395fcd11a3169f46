import { setTimeout as pause } from 'node:timers/promises'
import { linearBackoffMs } from '../../lib/backoff.ts'
import { RunningCount } from '../../lib/running/running-count.ts'
import {
  LimitsUnavailable,
  type LimitsAsk,
  type LimitsDecision,
  type VersionAsk,
} from '../../tenancy/rate-limits.ts'
import {
  LIMITS_SCRIPT,
  assertCountable,
  limitsCall,
  readReply,
  readVersion,
  sharesCall,
  versionCall,
} from './limits-call.ts'
import { scriptCaller, type ScriptCall } from '../valkey/scripts.ts'
import { ValkeyUnavailable, type Valkey } from '../valkey/valkey.ts'

/** Requests of one organization per call: larger calls would delay the server's other clients. */
const BATCH_MAX = 64

/** A failover takes up to two seconds; after that an error helps the client more than waiting. */
const HOLD_MS = 2500
const HELD_MAX = 1000
const HELD_PER_ORGANIZATION_MAX = 64

/** Bounds the requests that wait for a reply before the first timeout reveals an outage. */
const PENDING_MAX = 10_000

const RETRY_MS = 40
const RETRY_MS_MAX = 160

export type Limits = {
  /**
   * Decides one request, in at most one round trip. Throws `LimitsUnavailable` if Valkey stays
   * unavailable for as long as a request may be held.
   *
   * A call whose reply was lost is sent again. A request that opens a usage record is recognised by
   * it and not counted twice. One that opens none may be counted twice, which errs on the safe
   * side: never more is admitted than the limits allow.
   */
  admit(ask: LimitsAsk): Promise<LimitsDecision>
  /**
   * The version that makes an identity stale, 0 if none is known; undefined if it is current, or if
   * Valkey is unavailable. The version of a fresh identity is noted.
   */
  findNewerVersion(ask: VersionAsk): Promise<number | undefined>
  /** Rejects new requests and waits for pending ones. */
  [Symbol.asyncDispose](): Promise<void>
}

const UNAVAILABLE = 'Valkey is unavailable'
const TOO_MANY = 'too many requests are waiting for Valkey'

export function createLimits(
  valkey: Pick<Valkey, 'call'>,
  options: { readonly holdMs?: number } = {},
): Limits {
  return new BatchingLimits(scriptCaller(valkey, LIMITS_SCRIPT), options.holdMs ?? HOLD_MS)
}

type PendingRequest = {
  readonly ask: LimitsAsk
  readonly sinceMs: number
  readonly resolve: (decision: LimitsDecision) => void
  readonly reject: (error: Error) => void
  /** Ends the hold; set while the request is held. */
  expiry: NodeJS.Timeout | null
  /** Whether it was sent to Valkey. */
  sent: boolean
  settled: boolean
}

class BatchingLimits implements Limits {
  readonly #evaluate: (call: ScriptCall) => Promise<unknown>
  readonly #holdMs: number
  readonly #running = new RunningCount()
  readonly #heldOf = new Map<string, number>()
  #batches = new Map<string, PendingRequest[]>()
  #held = 0
  #pending = 0
  #closed = false

  constructor(evaluate: (call: ScriptCall) => Promise<unknown>, holdMs: number) {
    this.#evaluate = evaluate
    this.#holdMs = holdMs
  }

  async admit(ask: LimitsAsk): Promise<LimitsDecision> {
    assertCountable(ask)
    if (this.#closed) throw new LimitsUnavailable('shutting down')
    if (this.#pending >= PENDING_MAX) throw new LimitsUnavailable(TOO_MANY)
    const { promise, resolve, reject } = Promise.withResolvers<LimitsDecision>()
    const sinceMs = performance.now()
    const state = { expiry: null, sent: false, settled: false }
    const pending: PendingRequest = { ask, sinceMs, resolve, reject, ...state }
    this.#pending += 1
    // Other requests of the organization got no reply and are held, so this one is held at once.
    if (this.#heldOf.has(ask.organizationId)) this.#hold(pending, null)
    if (!pending.settled) this.#enqueue(pending)
    return promise
  }

  async findNewerVersion(ask: VersionAsk): Promise<number | undefined> {
    try {
      return readVersion(await this.#evaluate(versionCall(ask)))
    } catch (error) {
      if (error instanceof ValkeyUnavailable) return undefined
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#sendBatches()
    await this.#running.idle()
  }

  // Requests of one organization that arrive within one turn of the event loop share a call.
  #enqueue(pending: PendingRequest): void {
    const { organizationId } = pending.ask
    const batch = this.#batches.get(organizationId)
    if (batch !== undefined && batch.length < BATCH_MAX && sharesCall(batch[0]!.ask, pending.ask)) {
      batch.push(pending)
      return
    }
    if (batch !== undefined) this.#send(batch)
    else if (this.#batches.size === 0) setImmediate(() => this.#sendBatches())
    this.#batches.set(organizationId, [pending])
  }

  #sendBatches(): void {
    const batches = this.#batches.values()
    this.#batches = new Map()
    for (const batch of batches) this.#send(batch)
  }

  #send(batch: readonly PendingRequest[]): void {
    void this.#running.run(this.#decide(batch))
  }

  async #decide(batch: readonly PendingRequest[]): Promise<void> {
    let undecided = batch.filter((pending) => !pending.settled)
    for (let attempt = 1; undecided.length > 0; attempt += 1) {
      const asks = undecided.map((pending) => pending.ask)
      for (const pending of undecided) pending.sent = true
      try {
        const decisions = readReply(await this.#evaluate(limitsCall(asks)), asks)
        for (const [index, pending] of undecided.entries()) this.#settle(pending, decisions[index]!)
        return
      } catch (error) {
        if (!(error instanceof ValkeyUnavailable)) {
          for (const pending of undecided) this.#settle(pending, error as Error)
          return
        }
        for (const pending of undecided) this.#hold(pending, error)
        await pause(retryDelayMs(attempt))
        undecided = undecided.filter((pending) => !pending.settled)
      }
    }
  }

  #hold(pending: PendingRequest, cause: unknown): void {
    if (pending.settled || pending.expiry !== null) return
    const { organizationId } = pending.ask
    const others = this.#heldOf.get(organizationId) ?? 0
    if (this.#held >= HELD_MAX || others >= HELD_PER_ORGANIZATION_MAX) {
      this.#settle(pending, new LimitsUnavailable(TOO_MANY, { cause, asked: pending.sent }))
      return
    }
    this.#heldOf.set(organizationId, others + 1)
    this.#held += 1
    const expire = () =>
      this.#settle(pending, new LimitsUnavailable(UNAVAILABLE, { cause, asked: pending.sent }))
    const leftMs = this.#holdMs - (performance.now() - pending.sinceMs)
    pending.expiry = setTimeout(expire, Math.max(0, leftMs))
  }

  #settle(pending: PendingRequest, outcome: LimitsDecision | Error): void {
    if (pending.settled) return
    pending.settled = true
    this.#pending -= 1
    if (pending.expiry !== null) {
      clearTimeout(pending.expiry)
      const { organizationId } = pending.ask
      const others = this.#heldOf.get(organizationId)! - 1
      if (others === 0) this.#heldOf.delete(organizationId)
      else this.#heldOf.set(organizationId, others)
      this.#held -= 1
    }
    if (outcome instanceof Error) pending.reject(outcome)
    else pending.resolve(outcome)
  }
}

function retryDelayMs(attempt: number): number {
  return linearBackoffMs(attempt, RETRY_MS, RETRY_MS_MAX)
}

import { chooseEngine, hasRoom, type Member } from './choose-engine.ts'
import { createFairQueue, type FairQueue, type Waiting } from './fair-queue.ts'
import { createRetryBudget } from './retry-budget.ts'
import { createSlotShares } from './slot-shares.ts'
import type { CacheKey } from './slot-table.ts'

/** A request for a slot on an engine of one model. */
export type SlotRequest = Waiting &
  CacheKey & {
    /** Whether the output must follow a JSON Schema from the client. */
    readonly constrained: boolean
  }

/** No slot became free within the queue timeout, or the queue was full. */
export class NoCapacity extends Error {
  override readonly name = 'NoCapacity'
  readonly retryAfterMs: number

  constructor(retryAfterMs: number) {
    super('no free slot')
    this.retryAfterMs = retryAfterMs
  }
}

/** The engines of one model and the queue in front of them. */
export type ModelPool = {
  readonly members: readonly Member[]
  /** An engine with a free slot, immediately or after waiting in a fair, bounded queue. */
  take(request: SlotRequest, signal: AbortSignal): Promise<Member>
  /** Another engine with a free slot, within the retry budget. Does not wait. */
  takeOther(request: SlotRequest, tried: ReadonlySet<Member>): Member | undefined
  /** A request that got a slot is over. `usedTokens` is undefined if that is not known. */
  released(request: SlotRequest, usedTokens: number | undefined): void
  onSlotFreed(): void
}

type Entry = SlotRequest & { resolve(member: Member | undefined): void }

/** Most clients prefer a retry to a longer wait. */
const TIMEOUT_MS = 10_000
/** Waiting requests per slot; one organization may use half of them. */
const WAITING_PER_SLOT_MAX = 4
const RETRY_AFTER_MS_MIN = 1_000
const RETRY_AFTER_MS_MAX = 30_000
/** How soon the queue notices that an engine is healthy again, without a freed slot. */
const POLL_MS = 500
/** Weight of the newest interval in the moving average between freed slots. */
const INTERVAL_WEIGHT = 0.1

export function createModelPool(members: readonly Member[]): ModelPool {
  const slots = members.reduce((sum, { engine }) => sum + engine.slots, 0)
  const queue = createFairQueue<Entry>(slots * WAITING_PER_SLOT_MAX)
  const retries = createRetryBudget()
  const shares = createSlotShares()
  const pace = createPace()
  let pollTimer: NodeJS.Timeout | undefined

  function choose({ prefix }: SlotRequest, from: readonly Member[]): Member | undefined {
    const member = chooseEngine(from, prefix, performance.now())
    member?.health.began()
    return member
  }

  function serveQueue(): void {
    const usable = usableSlots(members)
    const mayRun = (organizationId: string) => shares.mayTake(organizationId, usable)
    // Slots of ejected engines do not count: a request dequeued for one would be rejected.
    while (queue.length > 0 && chooseEngine(members, 0, performance.now()) !== undefined) {
      const next = queue.shift(mayRun)
      if (next === undefined) break
      const member = choose(next, members)
      if (member !== undefined) shares.took(next.organizationId)
      next.resolve(member)
    }
    if (queue.length > 0) return
    clearInterval(pollTimer)
    pollTimer = undefined
  }

  async function wait(request: SlotRequest, signal: AbortSignal): Promise<Member> {
    const waiting = waitIn(queue, request, signal)
    pollTimer ??= setInterval(serveQueue, POLL_MS)
    // Those before it may have their share already.
    serveQueue()
    const member = await waiting
    if (member !== undefined) return member
    signal.throwIfAborted()
    throw new NoCapacity(pace.retryAfterMs(queue.length))
  }

  return {
    members,
    async take(request, signal) {
      retries.earn()
      const { organizationId, tokens } = request
      shares.asked(organizationId)
      // A new request does not overtake the queue.
      const mayRun = queue.length === 0 && shares.mayTake(organizationId, usableSlots(members))
      const member = mayRun ? choose(request, members) : undefined
      if (member === undefined) return wait(request, signal)
      shares.took(organizationId)
      queue.charge(organizationId, tokens)
      return member
    },
    takeOther(request, tried) {
      const others = members.filter((member) => !tried.has(member) && hasRoom(member))
      if (others.length === 0 || !retries.spend()) return undefined
      return choose(request, others)
    },
    released({ organizationId, tokens }, usedTokens) {
      shares.released(organizationId)
      if (usedTokens !== undefined) queue.settle(organizationId, usedTokens - tokens)
    },
    onSlotFreed() {
      pace.onSlotFreed()
      serveQueue()
    },
  }
}

/** Undefined if the request was dropped, aborted or not served in time. */
async function waitIn(
  queue: FairQueue<Entry>,
  request: SlotRequest,
  signal: AbortSignal,
): Promise<Member | undefined> {
  const { promise, resolve } = Promise.withResolvers<Member | undefined>()
  const entry: Entry = { ...request, resolve }
  const giveUp = () => {
    if (queue.remove(entry)) resolve(undefined)
  }
  queue.push(entry)?.resolve(undefined)
  const timeout = setTimeout(giveUp, TIMEOUT_MS)
  signal.addEventListener('abort', giveUp, { once: true })
  const member = await promise
  clearTimeout(timeout)
  signal.removeEventListener('abort', giveUp)
  return member
}

/** The slots of the engines that requests are sent to. */
function usableSlots(members: readonly Member[]): number {
  const nowMs = performance.now()
  const healthy = members.filter(({ health }) => health.isHealthy(nowMs))
  const usable = healthy.length > 0 ? healthy : members
  return usable.reduce((sum, { engine }) => sum + engine.slots, 0)
}

/** Estimates how long a queue takes from the rate at which slots are freed. */
function createPace() {
  let intervalMs = 0
  let lastFreedMs = performance.now()
  return {
    onSlotFreed() {
      const nowMs = performance.now()
      intervalMs += (nowMs - lastFreedMs - intervalMs) * INTERVAL_WEIGHT
      lastFreedMs = nowMs
    },
    retryAfterMs(waiting: number): number {
      const drainedMs = intervalMs * (waiting + 1)
      return Math.min(Math.max(drainedMs, RETRY_AFTER_MS_MIN), RETRY_AFTER_MS_MAX)
    },
  }
}

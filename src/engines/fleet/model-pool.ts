import { chooseEngine, hasRoom, type Member } from './choose-engine.ts'
import { createFairQueue, type Waiting } from './fair-queue.ts'
import { createRetryBudget } from './retry-budget.ts'

/** A request for a slot on an engine of one model. */
export type SlotRequest = Waiting & {
  /** Hash of the start of the conversation, the same on each of its turns. */
  readonly prefix: number
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
  let intervalMs = 0
  let lastFreedMs = performance.now()
  let pollTimer: NodeJS.Timeout | undefined

  const noCapacity = () => {
    const drainedMs = intervalMs * (queue.length + 1)
    return new NoCapacity(Math.min(Math.max(drainedMs, RETRY_AFTER_MS_MIN), RETRY_AFTER_MS_MAX))
  }

  function choose({ prefix }: SlotRequest, from: readonly Member[]): Member | undefined {
    const member = chooseEngine(from, prefix, performance.now())
    member?.health.began()
    return member
  }

  function serveQueue(): void {
    // Slots of ejected engines do not count: a request dequeued for one would be rejected.
    while (queue.length > 0 && chooseEngine(members, 0, performance.now()) !== undefined) {
      const next = queue.shift()
      next?.resolve(next && choose(next, members))
    }
    if (queue.length > 0) return
    clearInterval(pollTimer)
    pollTimer = undefined
  }

  async function wait(request: SlotRequest, signal: AbortSignal): Promise<Member> {
    const { promise, resolve } = Promise.withResolvers<Member | undefined>()
    const entry: Entry = { ...request, resolve }
    const giveUp = () => {
      if (queue.remove(entry)) resolve(undefined)
    }
    queue.push(entry)?.resolve(undefined)
    pollTimer ??= setInterval(serveQueue, POLL_MS)
    const timeout = setTimeout(giveUp, TIMEOUT_MS)
    signal.addEventListener('abort', giveUp, { once: true })
    const member = await promise
    clearTimeout(timeout)
    signal.removeEventListener('abort', giveUp)
    if (member !== undefined) return member
    signal.throwIfAborted()
    throw noCapacity()
  }

  return {
    members,
    async take(request, signal) {
      retries.earn()
      // A new request does not overtake the queue.
      const member = queue.length === 0 ? choose(request, members) : undefined
      return member ?? wait(request, signal)
    },
    takeOther(request, tried) {
      const others = members.filter((member) => !tried.has(member) && hasRoom(member))
      if (others.length === 0 || !retries.spend()) return undefined
      return choose(request, others)
    },
    onSlotFreed() {
      const nowMs = performance.now()
      intervalMs += (nowMs - lastFreedMs - intervalMs) * INTERVAL_WEIGHT
      lastFreedMs = nowMs
      serveQueue()
    },
  }
}

import { chooseEngine, hasRoom, type Member } from './choose-engine.ts'
import { createFairQueue, type Waiting } from './fair-queue.ts'
import { createRetryBudget } from './retry-budget.ts'

/** What is asked of the engines of one model. */
export type SlotAsk = Waiting & {
  /** A number for the beginning of the conversation, the same on each of its turns. */
  readonly prefix: number
  /** Whether the engine must follow a JSON Schema of the client's. */
  readonly constrained: boolean
}

/** No slot, neither now nor within the time that a request may wait. */
export class NoCapacity extends Error {
  override readonly name = 'NoCapacity'
  readonly retryAfterMs: number

  constructor(retryAfterMs: number) {
    super('every slot is taken')
    this.retryAfterMs = retryAfterMs
  }
}

/** Where requests of one model wait for their engine. */
export type ModelPool = {
  readonly members: readonly Member[]
  /** An engine with room, at once or after waiting in a fair and bounded queue. */
  take(ask: SlotAsk, signal: AbortSignal): Promise<Member>
  /** Another engine with room, within the budget of retries. Does not wait. */
  takeOther(ask: SlotAsk, tried: ReadonlySet<Member>): Member | undefined
  /** A slot of one of the members came free. */
  freed(): void
}

type Entry = SlotAsk & { settle(member: Member | undefined): void }

/** Waiting longer than this helps nobody: most clients would rather try again. */
const TIMEOUT_MS = 10_000
/** So many may wait for each slot, half of them from one organization. */
const WAITING_PER_SLOT_MAX = 4
const RETRY_AFTER_MS_MIN = 1_000
const RETRY_AFTER_MS_MAX = 30_000
/** How soon those who wait meet an engine that is healthy again without a slot coming free. */
const LOOK_AGAIN_MS = 500
/** How much of the past counts for the rate at which slots come free. */
const INTERVAL_WEIGHT = 0.1

export function createModelPool(members: readonly Member[]): ModelPool {
  const slots = members.reduce((sum, { engine }) => sum + engine.slots, 0)
  const queue = createFairQueue<Entry>(slots * WAITING_PER_SLOT_MAX)
  const retries = createRetryBudget()
  let intervalMs = 0
  let lastFreedMs = performance.now()
  let looking: NodeJS.Timeout | undefined

  const noCapacity = () => {
    const drainedMs = intervalMs * (queue.length + 1)
    return new NoCapacity(Math.min(Math.max(drainedMs, RETRY_AFTER_MS_MIN), RETRY_AFTER_MS_MAX))
  }

  function choose({ prefix }: SlotAsk, from: readonly Member[]): Member | undefined {
    const member = chooseEngine(from, prefix, performance.now())
    member?.health.began()
    return member
  }

  function serveQueue(): void {
    // Room on an engine that is left alone is none: taking someone out for it would refuse them.
    while (queue.length > 0 && chooseEngine(members, 0, performance.now()) !== undefined) {
      const next = queue.shift()
      next?.settle(next && choose(next, members))
    }
    if (queue.length > 0) return
    clearInterval(looking)
    looking = undefined
  }

  async function wait(ask: SlotAsk, signal: AbortSignal): Promise<Member> {
    const { promise, resolve } = Promise.withResolvers<Member | undefined>()
    const entry: Entry = { ...ask, settle: resolve }
    const leave = () => {
      if (queue.remove(entry)) resolve(undefined)
    }
    queue.push(entry)?.settle(undefined)
    looking ??= setInterval(serveQueue, LOOK_AGAIN_MS)
    const timeout = setTimeout(leave, TIMEOUT_MS)
    signal.addEventListener('abort', leave, { once: true })
    const member = await promise
    clearTimeout(timeout)
    signal.removeEventListener('abort', leave)
    if (member !== undefined) return member
    signal.throwIfAborted()
    throw noCapacity()
  }

  return {
    members,
    async take(ask, signal) {
      retries.earn()
      // Nobody overtakes those who wait.
      const member = queue.length === 0 ? choose(ask, members) : undefined
      return member ?? wait(ask, signal)
    },
    takeOther(ask, tried) {
      const others = members.filter((member) => !tried.has(member) && hasRoom(member))
      if (others.length === 0 || !retries.spend()) return undefined
      return choose(ask, others)
    },
    freed() {
      const nowMs = performance.now()
      intervalMs += (nowMs - lastFreedMs - intervalMs) * INTERVAL_WEIGHT
      lastFreedMs = nowMs
      serveQueue()
    },
  }
}

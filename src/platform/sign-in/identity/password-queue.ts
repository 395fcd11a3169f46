import { LRUCache } from 'lru-cache'
import { ApiError } from '../../../contract/error.ts'
import { MINUTE_MS } from '../../../lib/time.ts'

/** How many run at once and how many wait. Each takes 19 MiB and a processor for about 20 ms. */
const LANES = {
  strangers: { runningMax: 2, waitingMax: 32 },
  // A place of its own: no flood of strangers takes it.
  known: { runningMax: 1, waitingMax: 32 },
} as const
/** Longer than the whole queue takes. One that is overtaken for so long is refused. */
const WAIT_MS_MAX = 5_000

/** Beyond it, the one that asked longest ago is forgotten. */
const KNOWN_MAX = 10_000
const REMEMBERED_MS = 15 * MINUTE_MS

/** For whom a password is computed. */
export type PasswordParty = {
  /** `known`: who has a session, or an account that signed in with this device before. */
  readonly lane: keyof typeof LANES
  /** Those who share the lane fairly, such as a client and an email address. */
  readonly names: readonly string[]
}

export type PasswordQueue = {
  /**
   * Runs a computation. Within a lane those are next whose names asked least often in the last
   * minutes, so that somebody who signs in overtakes whoever guesses. Throws `service_unavailable`
   * if too many are waiting in the lane.
   */
  run<Result>(party: PasswordParty, task: () => Promise<Result>): Promise<Result>
}

type Waiting = {
  /** How often the names asked before. */
  readonly rank: number
  readonly sinceMs: number
  readonly turn: PromiseWithResolvers<void>
}

export function createPasswordQueue(now: () => number = () => performance.now()): PasswordQueue {
  const strangers = createLane(LANES.strangers, now)
  const known = createLane(LANES.known, now)
  return {
    async run({ lane, names }, task) {
      const { takeTurn, release } = lane === 'known' ? known : strangers
      await takeTurn(names)
      try {
        return await task()
      } finally {
        release()
      }
    },
  }
}

function createLane(
  { runningMax, waitingMax }: (typeof LANES)[keyof typeof LANES],
  now: () => number,
) {
  const asked = new LRUCache<string, number>({ max: KNOWN_MAX, ttl: REMEMBERED_MS })
  const waiting: Waiting[] = []
  let running = 0

  function rankOf(names: readonly string[]): number {
    let rank = 0
    for (const name of names) {
      const times = asked.get(name) ?? 0
      rank += times
      asked.set(name, times + 1)
    }
    return rank
  }

  function drop(entry: Waiting): void {
    waiting.splice(waiting.indexOf(entry), 1)
    entry.turn.reject(tooBusy())
  }

  async function takeTurn(names: readonly string[]): Promise<void> {
    const rank = rankOf(names)
    if (running < runningMax) {
      running += 1
      return
    }
    const entry = { rank, sinceMs: now(), turn: Promise.withResolvers<void>() }
    waiting.push(entry)
    // The last of those that asked most often.
    if (waiting.length > waitingMax)
      drop(waiting.reduce((worst, other) => (other.rank >= worst.rank ? other : worst)))
    await entry.turn.promise
  }

  /** Passes the place on, or frees it. */
  function release(): void {
    for (const entry of waiting.filter(({ sinceMs }) => now() - sinceMs > WAIT_MS_MAX)) drop(entry)
    const [first, ...others] = waiting
    if (first === undefined) {
      running -= 1
      return
    }
    const next = others.reduce((best, other) => (other.rank < best.rank ? other : best), first)
    waiting.splice(waiting.indexOf(next), 1)
    next.turn.resolve()
  }

  return { takeTurn, release }
}

function tooBusy(): ApiError {
  const message = 'Too many passwords are being checked at the moment. Retry in a few seconds.'
  return new ApiError('service_unavailable', message, { headers: { 'retry-after': '2' } })
}

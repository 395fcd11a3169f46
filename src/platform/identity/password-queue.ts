import { LRUCache } from 'lru-cache'
import { ApiError } from '../../contract/error.ts'
import { MINUTE_MS } from '../../lib/time.ts'

/** Each computation takes 19 MiB and a processor for about 20 ms. */
const RUNNING_MAX = 2
const WAITING_MAX = 32
/** Longer than the whole queue takes. One that is overtaken for so long is refused. */
const WAIT_MS_MAX = 5_000

/** Beyond it, the one that asked longest ago is forgotten. */
const KNOWN_MAX = 10_000
const REMEMBERED_MS = 15 * MINUTE_MS

export type PasswordQueue = {
  /**
   * Runs a computation for those named by `parties`, such as a client and an e-mail address. The
   * parties that asked least often in the last minutes are next, so that somebody who signs in
   * overtakes whoever guesses. Throws `service_unavailable` if too many are waiting.
   */
  run<Result>(parties: readonly string[], task: () => Promise<Result>): Promise<Result>
}

type Waiting = {
  /** How often the parties asked before. */
  readonly rank: number
  readonly sinceMs: number
  readonly turn: PromiseWithResolvers<void>
}

export function createPasswordQueue(now: () => number = () => performance.now()): PasswordQueue {
  const asked = new LRUCache<string, number>({ max: KNOWN_MAX, ttl: REMEMBERED_MS })
  const waiting: Waiting[] = []
  let running = 0

  function rankOf(parties: readonly string[]): number {
    let rank = 0
    for (const party of parties) {
      const times = asked.get(party) ?? 0
      rank += times
      asked.set(party, times + 1)
    }
    return rank
  }

  function drop(entry: Waiting): void {
    waiting.splice(waiting.indexOf(entry), 1)
    entry.turn.reject(tooBusy())
  }

  async function takeTurn(rank: number): Promise<void> {
    if (running < RUNNING_MAX) {
      running += 1
      return
    }
    const entry = { rank, sinceMs: now(), turn: Promise.withResolvers<void>() }
    waiting.push(entry)
    // The last of those that asked most often.
    if (waiting.length > WAITING_MAX)
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

  return {
    async run(parties, task) {
      await takeTurn(rankOf(parties))
      try {
        return await task()
      } finally {
        release()
      }
    },
  }
}

function tooBusy(): ApiError {
  const message = 'Too many passwords are being checked at the moment. Retry in a few seconds.'
  return new ApiError('service_unavailable', message, { headers: { 'retry-after': '2' } })
}

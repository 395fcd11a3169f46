import { ApiError } from '../../contract/error.ts'
import { limitConcurrency, TooBusy } from '../../lib/limit-concurrency.ts'
import { MINUTE_MS } from '../../lib/time.ts'

/** Fewer than half of the connections to PostgreSQL: one caller leaves the rest to others. */
const RUNNING_MAX = 4
/** More than a page of the console asks for at once. */
const WAITING_MAX = 60
/** Many people share a network. They wait for a look-up each, which takes about a millisecond. */
const WAITING_PER_NETWORK_MAX = 1_000

type Turns = { readonly run: ReturnType<typeof limitConcurrency>; users: number }

export type CallerTurns = <Result>(caller: string, task: () => Promise<Result>) => Promise<Result>

/** Lets each caller have a few requests at work at once; more of them wait, and then get 429. */
export function createCallerTurns(waitingMax: number = WAITING_MAX): CallerTurns {
  const turnsOf = new Map<string, Turns>()
  const limits = { running: RUNNING_MAX, waiting: waitingMax, deadlineMs: MINUTE_MS }
  return async (caller, task) => {
    const turns = turnsOf.get(caller) ?? { run: limitConcurrency(limits), users: 0 }
    turnsOf.set(caller, turns)
    turns.users += 1
    try {
      return await turns.run(task)
    } catch (error) {
      if (!(error instanceof TooBusy)) throw error
      const message = `At most ${RUNNING_MAX + waitingMax} of your requests may run at once.`
      throw new ApiError('rate_limit_exceeded', message, { headers: { 'retry-after': '1' } })
    } finally {
      turns.users -= 1
      if (turns.users === 0) turnsOf.delete(caller)
    }
  }
}

/**
 * The same for finding out who a caller is. That is not known before, so their network takes turns:
 * without them one client that asks often has every connection to PostgreSQL.
 */
export function createNetworkTurns(): CallerTurns {
  return createCallerTurns(WAITING_PER_NETWORK_MAX)
}

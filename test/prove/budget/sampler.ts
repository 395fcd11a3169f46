import { balanceOf, checkLedger } from '../../../src/store/ledger/double-entry.ts'
import { isUnavailable } from '../../../src/store/postgres/postgres.ts'
import { ValkeyUnavailable } from '../../../src/store/valkey/valkey.ts'
import { fundsKey, type Budget, type World } from './world.ts'

export type Spending = { readonly spent: number; readonly reserved: number }

/** What Valkey holds of a budget at this moment. */
export async function readSpending({ valkey }: World, budget: Budget): Promise<Spending> {
  const { spent, reserved } = budget.fields
  const found = await valkey.call('HMGET', [fundsKey(budget), spent, reserved])
  const [one, other] = found as (string | null)[]
  return { spent: Number(one ?? 0), reserved: Number(other ?? 0) }
}

/** Looks again and again whether any budget is exceeded or the books do not sum to zero. */
export type Sampler = {
  watch(budget: Budget): void
  /** What was seen of faults; nothing if all held. */
  stop(): Promise<{ readonly samples: number; readonly faults: readonly string[] }>
}

export function startSampler(world: World): Sampler {
  const watched = new Map<string, Budget>()
  const faults = new Set<string>()
  let samples = 0
  const stopping = new AbortController()
  const { database } = world.postgres
  const lookAtValkey = async () => {
    for (const [key, budget] of watched) {
      const { spent, reserved } = await readSpending(world, budget)
      // A grant may have been noted here since it was read there.
      const bound = watched.get(key)?.bound ?? budget.bound
      if (spent + reserved > bound) faults.add(`valkey: ${spent} + ${reserved} of ${bound}`)
      if (spent < 0 || reserved < 0) faults.add(`valkey: ${spent} and ${reserved}`)
    }
  }
  const lookAtBooks = async () => {
    const { sum, wrong } = await checkLedger(database)
    if (sum !== 0) faults.add(`the books sum to ${sum}`)
    for (const account of wrong) faults.add(`${account} is not the sum of its transfers`)
    for (const { organizationId, prepaid } of watched.values()) {
      const { balance } = await balanceOf(database, organizationId)
      if (prepaid && balance < 0) faults.add(`a balance of ${balance}`)
    }
  }
  const repeat = async (look: () => Promise<void>) => {
    while (!stopping.signal.aborted) {
      try {
        await look()
        samples += 1
      } catch (error) {
        // A busy machine may be late with an answer; that says nothing about money.
        if (!isUnavailable(error) && !(error instanceof ValkeyUnavailable))
          faults.add(String(error))
      }
      await new Promise(setImmediate)
    }
  }
  const ended = Promise.all([repeat(lookAtValkey), repeat(lookAtBooks)])
  return {
    watch: (budget) => void watched.set(budget.organizationId, budget),
    async stop() {
      stopping.abort()
      await ended
      return { samples, faults: [...faults] }
    },
  }
}

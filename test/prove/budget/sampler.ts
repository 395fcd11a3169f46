import { balanceOf } from '../../../src/store/ledger/double-entry.ts'
import { checkLedger } from '../../harness/figures/check-ledger.ts'
import { isUnavailable } from '../../../src/store/postgres/postgres.ts'
import { ValkeyUnavailable } from '../../../src/store/valkey/valkey.ts'
import type { Environment } from '../../harness/environment.ts'
import type { Budget } from './environment.ts'

export type Spending = { readonly spent: number; readonly reserved: number }

/** The spending that Valkey has counted for a budget at this moment. */
export async function readSpending(
  { valkey }: Pick<Environment, 'valkey'>,
  { fields }: Budget,
): Promise<Spending> {
  const found = await valkey.call('HMGET', [fields.hash, fields.spent, fields.reserved])
  const [spent, reserved] = found as (string | null)[]
  return { spent: Number(spent ?? 0), reserved: Number(reserved ?? 0) }
}

/** Checks continuously that no budget is exceeded and that the ledger sums to zero. */
export type Sampler = {
  watch(budget: Budget): void
  /** Resolves to the number of samples. */
  stop(): Promise<number>
}

export function startSampler(
  { postgres: { database }, valkey }: Environment,
  fail: (what: string) => void,
): Sampler {
  const watched = new Map<string, Budget>()
  const reported = new Set<string>()
  // A violation that lasts would be reported thousands of times.
  const report = (what: string) => {
    if (!reported.has(what)) fail(what)
    reported.add(what)
  }
  let samples = 0
  const stopping = new AbortController()
  const checkValkey = async () => {
    for (const [key, budget] of watched) {
      const { spent, reserved } = await readSpending({ valkey }, budget)
      // The bound may have grown by a grant since the iteration began.
      const bound = watched.get(key)?.bound ?? budget.bound
      if (spent + reserved > bound) report(`valkey: ${spent} + ${reserved} of ${bound}`)
      if (spent < 0 || reserved < 0) report(`valkey: ${spent} and ${reserved}`)
    }
  }
  const checkPostgres = async () => {
    const { sum, wrong } = await checkLedger(database)
    if (sum !== 0) report(`the ledger sums to ${sum}`)
    for (const account of wrong) report(`${account} is not the sum of its transfers`)
    for (const { organizationId, prepaid } of watched.values()) {
      const { balance } = await balanceOf(database, organizationId)
      if (prepaid && balance < 0) report(`a balance of ${balance}`)
    }
  }
  const repeat = async (check: () => Promise<void>) => {
    while (!stopping.signal.aborted) {
      try {
        await check()
        samples += 1
      } catch (error) {
        // On a busy machine an answer may be late, which says nothing about money.
        if (!isUnavailable(error) && !(error instanceof ValkeyUnavailable)) report(String(error))
      }
      await new Promise(setImmediate)
    }
  }
  const ended = Promise.all([repeat(checkValkey), repeat(checkPostgres)])
  return {
    watch: (budget) => void watched.set(budget.organizationId, budget),
    async stop() {
      stopping.abort()
      await ended
      return samples
    },
  }
}

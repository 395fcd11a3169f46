import { DAY_MS } from '../../../lib/time.ts'
import {
  claimDay,
  releaseDay,
  settleDay,
  type DueDay,
} from '../../../store/payments/books/provider-days.ts'
import type { Environment } from '../../use-case/environment.ts'
import { providerOf } from '../provider-of.ts'
import { compareDay } from './compare-day.ts'
import { storeMoney } from './store-money.ts'

/** A process that died while it compared delays the next one by no more. */
const LEASE_SECONDS = 600
/** An entry has its movement by then. */
const RIPE_MS = 3 * DAY_MS

type Comparing = Pick<Environment, 'database' | 'paymentProvider'> & {
  readonly settings: Pick<Environment['settings'], 'currency'>
}

/**
 * Compares one day of the provider's books with the ledger, and posts its fees. Whoever is killed
 * on the way has stored some movements, which the next one stores again. Returns whether there may
 * be another day.
 */
export async function compareBooks(environment: Comparing, now = new Date()): Promise<boolean> {
  const { database } = environment
  const due = await claimDay(database, now, LEASE_SECONDS)
  if (due === undefined) return false
  try {
    await compare(environment, due, now)
  } finally {
    await releaseDay(database)
  }
  return true
}

async function compare(environment: Comparing, due: DueDay, now: Date): Promise<void> {
  const { database, settings } = environment
  const { provider } = await providerOf(environment)
  const { ignored } = await storeMoney(database, provider, due.day)
  const { currency } = settings
  const ripeAt = new Date(now.getTime() - RIPE_MS)
  const compared = await compareDay(database, { day: due.day, currency, ripeAt })
  await database
    .transaction()
    .execute(async (transaction) =>
      settleDay(transaction, due, { ...compared, ignored }, { now, currency }),
    )
}

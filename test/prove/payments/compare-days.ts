import { connectStripe } from '../../../src/payments/stripe/stripe.ts'
import { compareBooks } from '../../../src/platform/payments/books/compare-books.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import type { Environment } from '../../harness/environment.ts'
import type { BookSums } from '../../harness/payments/control.ts'
import { daysOf, postedFees } from '../../harness/payments/book-days.ts'

export type DaysComparison = {
  readonly days: number
  readonly feesCents: number
  readonly wrong: readonly string[]
}

/** Late enough for the last day of the run. */
const LATER_MS = 4 * DAY_MS
const CURRENCY = 'USD'

/**
 * The product's own comparison, as consoles will make it in some days, twice: it must find no
 * difference, and have posted each fee once. It takes the place of a console whose clock is ahead.
 */
export async function compareDays(
  { postgres }: Environment,
  apiUrl: string,
  sums: BookSums,
): Promise<DaysComparison> {
  const key = 'rk_test_0123456789abcdef'
  const paymentProvider = connectStripe({ key, apiUrl, webhookSecrets: [] })
  const settings = { currency: CURRENCY }
  const comparing = { database: postgres.database, paymentProvider, settings }
  const now = new Date(Date.now() + LATER_MS)
  // Of a console that was killed while it compared.
  await postgres.pool.query('update provider_cursors set leased_until = null')
  for (let turn = 0; turn < 2; turn += 1) {
    await postgres.pool.query('delete from provider_days')
    while (await compareBooks(comparing, now)) continue
  }
  const days = await daysOf({ postgres })
  const { cents } = await postedFees({ postgres })
  return {
    days: days.length,
    feesCents: cents,
    wrong: [
      ...days.flatMap(({ day, items }) =>
        items.map(({ ref, missing }) => `${day}: ${ref} has no ${missing}`),
      ),
      ...days.filter(({ awaited }) => awaited > 0).map(({ day }) => `${day}: entries wait`),
      ...(days.length === 0 ? ['no day was compared'] : []),
      ...(cents === sums.fees ? [] : [`fees are ${sums.fees} cents, ${cents} were posted`]),
    ],
  }
}

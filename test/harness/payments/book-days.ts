import { compareBooks } from '../../../src/platform/payments/books/compare-books.ts'
import { listProviderDays } from '../../../src/store/payments/books/list-provider-days.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import type { PayingConsole } from './paying-console.ts'

/** A day is compared this many days after it, and its entries are three days old by then. */
export const DUE_DAYS = 4

export function inDays(days: number): Date {
  return new Date(Date.now() + days * DAY_MS)
}

/** Compares all days that are due at a time, as a console does; returns how many. */
export async function compareAll(
  { environment }: Pick<PayingConsole, 'environment'>,
  now: Date = inDays(DUE_DAYS),
): Promise<number> {
  let compared = 0
  while (await compareBooks(environment, now)) compared += 1
  return compared
}

export async function daysOf({ postgres }: Pick<PayingConsole, 'postgres'>) {
  return listProviderDays(postgres.database, { limit: 100 })
}

/** What the ledger has of the provider's fees, in cents, and how many transfers these are. */
export async function postedFees({ postgres }: Pick<PayingConsole, 'postgres'>) {
  const { rows } = await postgres.pool.query<{ cents: number; held: number; transfers: number }>(
    `select ((select debits - credits from ledger_accounts where id = 'fees') / 10000)::int
         as cents,
       ((select debits - credits from ledger_accounts where id = 'provider:stripe') / 10000)::int
         as held,
       (select count(*)::int from transfers where kind = 'fee') as transfers`,
  )
  return rows[0]!
}

/** Nothing is found by the list of events. */
export async function stopPolling({ postgres }: Pick<PayingConsole, 'postgres'>): Promise<void> {
  await postgres.pool.query(
    `update provider_cursors set polled_at = now() + interval '1 day' where name = 'events'`,
  )
}

import { sql, type Kysely } from 'kysely'
import type { Pool } from 'pg'
import type { Tables } from '../postgres/tables.ts'

export type OwnAccount = {
  readonly id: string
  readonly debits: number
  readonly credits: number
}

export type Ledger = {
  /** Where money of organizations comes from and goes to. */
  readonly own: readonly OwnAccount[]
  /** Credits less debits of all accounts, which must be 0; null until they were added up. */
  readonly sum: number | null
  readonly summedAt: Date | null
}

export async function readLedger(database: Kysely<Tables>): Promise<Ledger> {
  const { rows } = await sql<OwnAccount & { sum: number | null; summed_at: Date | null }>`
    select accounts.id, debits, credits, books.sum, books.summed_at
    from ledger_accounts accounts left join books on true
    where accounts.id in ('grants', 'adjustments', 'revenue', 'provider:stripe', 'tax',
        'refunds_pending', 'fees', 'losses', 'vouchers')
      -- Nothing shows of payments and vouchers until there were some.
      and (accounts.id in ('grants', 'adjustments', 'revenue') or debits + credits > 0)
    order by accounts.id`.execute(database)
  const own = rows.map(({ id, debits, credits }) => ({ id, debits, credits }))
  return { own, sum: rows[0]?.sum ?? null, summedAt: rows[0]?.summed_at ?? null }
}

/** In one statement, because all accounts sum to zero at every commit, not between two. */
export async function sumLedger(pool: Pick<Pool, 'query'>): Promise<void> {
  await pool.query(`update books set summed_at = now(),
    sum = (select coalesce(sum(credits - debits), 0)::bigint from ledger_accounts)`)
}

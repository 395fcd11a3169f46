import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Pool } from 'pg'
import type { Tables } from '../postgres/tables.ts'

export type HouseAccount = {
  readonly id: string
  readonly debits: number
  readonly credits: number
}

export type Books = {
  /** Where money of organizations comes from and goes to. */
  readonly house: readonly HouseAccount[]
  /** Credits less debits of all accounts, which must be 0; null until they were added up. */
  readonly sum: number | null
  readonly summedAt: Date | null
}

export async function readBooks(database: Kysely<Tables>): Promise<Books> {
  const { rows } = await sql<HouseAccount & { sum: number | null; summed_at: Date | null }>`
    select accounts.id, debits, credits, books.sum, books.summed_at
    from ledger_accounts accounts left join books on true
    where accounts.id in ('grants', 'adjustments', 'revenue') order by accounts.id`.execute(
    database,
  )
  const house = rows.map(({ id, debits, credits }) => ({ id, debits, credits }))
  return { house, sum: rows[0]?.sum ?? null, summedAt: rows[0]?.summed_at ?? null }
}

/** In one statement, because all accounts sum to zero at every commit, not between two. */
export async function sumBooks(pool: Pick<Pool, 'query'>): Promise<void> {
  await pool.query(`update books set summed_at = now(),
    sum = (select coalesce(sum(credits - debits), 0)::bigint from ledger_accounts)`)
}

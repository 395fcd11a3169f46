import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../../src/store/postgres/tables.ts'

type LedgerCheck = {
  /** Credits less debits of all accounts; must be 0. */
  readonly sum: number
  /** Accounts whose sums do not match their transfers; must be empty. */
  readonly wrong: readonly string[]
}

/** Reads every transfer. */
export async function checkLedger(database: Kysely<Tables>): Promise<LedgerCheck> {
  const { rows } = await sql<{ sum: number; wrong: string[] }>`
    with sides as (
      select debit_account as id, amount as debits, 0::bigint as credits from transfers
      union all
      select credit_account, 0, amount from transfers
      union all
      select debit_account, amount, 0 from usage_transfers
      union all
      select credit_account, 0, amount from usage_transfers
    ), sums as (
      select id, sum(debits) as debits, sum(credits) as credits from sides group by id
    )
    select
      sum(accounts.credits - accounts.debits)::bigint as sum,
      coalesce(array_agg(id order by id) filter (
        where coalesce(accounts.debits, 0) <> coalesce(sums.debits, 0)
           or coalesce(accounts.credits, 0) <> coalesce(sums.credits, 0)
      ), '{}') as wrong
    from ledger_accounts accounts full join sums using (id)`.execute(database)
  const [found] = rows
  if (found === undefined) throw new Error('the ledger has no accounts')
  return found
}

import type { Pool } from 'pg'

export type LedgerSums = {
  readonly requests: number
  readonly prompt: number
  readonly cached: number
  readonly completion: number
  readonly reasoning: number
  readonly cost: number
}

const COUNTS = `
  coalesce(sum(prompt_tokens), 0)::bigint as prompt,
  coalesce(sum(cached_tokens), 0)::bigint as cached,
  coalesce(sum(completion_tokens), 0)::bigint as completion,
  coalesce(sum(reasoning_tokens), 0)::bigint as reasoning,
  coalesce(sum(cost), 0)::bigint as cost`

/** The sums of the rows themselves. */
export async function sumRecords(pool: Pool): Promise<LedgerSums> {
  const { rows } = await pool.query<LedgerSums>(
    `select count(*)::bigint as requests, ${COUNTS} from usage_records`,
  )
  return rows[0]!
}

export async function sumRollUps(
  pool: Pool,
  table: 'usage_hourly' | 'usage_daily',
): Promise<LedgerSums> {
  const { rows } = await pool.query<LedgerSums>(
    `select coalesce(sum(requests), 0)::bigint as requests, ${COUNTS} from ${table}`,
  )
  return rows[0]!
}

/** Every key of the roll-ups whose sums are not those of its rows. */
export async function countWrongRollUps(pool: Pool): Promise<number> {
  const counts = `sum(prompt_tokens) as a, sum(cached_tokens) as b, sum(completion_tokens) as c,
    sum(reasoning_tokens) as d, sum(cost) as e`
  const wrong = (table: string, time: string, timeOfRow: string) => `
    select count(*)::int as count from (
      select ${timeOfRow} as time, organization_id, project_id, credential_id, model,
        count(*) as requests, ${counts}
      from usage_records group by 1, 2, 3, 4, 5
    ) as summed full join (
      select ${time} as time, organization_id, project_id, credential_id, model,
        sum(requests) as requests, ${counts}
      from ${table} where requests <> 0 group by 1, 2, 3, 4, 5
    ) as rolled using (time, organization_id, project_id, credential_id, model)
    where (summed.requests, summed.a, summed.b, summed.c, summed.d, summed.e)
      is distinct from (rolled.requests, rolled.a, rolled.b, rolled.c, rolled.d, rolled.e)`
  const milliseconds = `('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint`
  const made = `to_timestamp(${milliseconds} / 1000)`
  const hourly = await pool.query<{ count: number }>(
    wrong('usage_hourly', 'hour', `date_trunc('hour', ${made})`),
  )
  const daily = await pool.query<{ count: number }>(wrong('usage_daily', 'day', 'opened_on'))
  return (hourly.rows[0]?.count ?? 1) + (daily.rows[0]?.count ?? 1)
}

export type Books = {
  /** Debits less credits of all accounts. */
  readonly sum: number
  /** Accounts whose sums are not those of their transfers. */
  readonly wrongAccounts: number
  /** Organizations whose account of use is not what their records cost. */
  readonly wrongUses: number
  readonly revenue: number
}

export async function checkLedgerOfUsage(pool: Pool): Promise<Books> {
  const { rows } = await pool.query<Books>(`
    select
      (select coalesce(sum(debits - credits), 0)::bigint from ledger_accounts) as sum,
      (select count(*)::int from ledger_accounts where (debits, credits) is distinct from (
        (select coalesce(sum(amount), 0) from transfers where debit_account = ledger_accounts.id),
        (select coalesce(sum(amount), 0) from transfers where credit_account = ledger_accounts.id)
      )) as "wrongAccounts",
      (select count(*)::int from (
        select 'usage:' || organization_id as id, sum(cost) as cost
        from usage_records group by 1
      ) as used full join ledger_accounts using (id)
      where (used.id is not null or ledger_accounts.id like 'usage:%')
        and coalesce(used.cost, 0) <> coalesce(debits - credits, 0)) as "wrongUses",
      (select credits - debits from ledger_accounts where id = 'revenue') as revenue`)
  return rows[0]!
}

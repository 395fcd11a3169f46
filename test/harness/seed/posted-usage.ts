import type { Pool, PoolClient } from 'pg'

type Queries = Pick<Pool, 'query'>

/** A usage record as the worker posted it to PostgreSQL. */
export type PostedRecord = {
  readonly id: string
  readonly organization: string
  readonly engine: string | null
  readonly outcome: string
  readonly basis: string
  readonly prompt: number
  readonly cached: number
  readonly completion: number
  readonly reasoning: number
  readonly cost: number
}

export async function readPosted(pool: Queries): Promise<PostedRecord[]> {
  const { rows } = await pool.query<PostedRecord>(
    `select id, organization_id as organization, engine, outcome, basis,
       prompt_tokens as prompt, cached_tokens as cached,
       completion_tokens as completion, reasoning_tokens as reasoning, cost
     from usage_records`,
  )
  return rows
}

export type UsageSums = {
  readonly requests: number
  readonly prompt: number
  readonly cached: number
  readonly completion: number
  readonly reasoning: number
  readonly cost: number
}

const SUMS = `
  coalesce(sum(prompt_tokens), 0)::bigint as prompt,
  coalesce(sum(cached_tokens), 0)::bigint as cached,
  coalesce(sum(completion_tokens), 0)::bigint as completion,
  coalesce(sum(reasoning_tokens), 0)::bigint as reasoning,
  coalesce(sum(cost), 0)::bigint as cost`

export async function sumRecords(pool: Queries): Promise<UsageSums> {
  const { rows } = await pool.query<UsageSums>(
    `select count(*)::bigint as requests, ${SUMS} from usage_records`,
  )
  return rows[0]!
}

export async function sumRollUps(
  pool: Queries,
  table: 'usage_hourly' | 'usage_daily',
): Promise<UsageSums> {
  const { rows } = await pool.query<UsageSums>(
    `select coalesce(sum(requests), 0)::bigint as requests, ${SUMS} from ${table}`,
  )
  return rows[0]!
}

const COUNTED = ['prompt_tokens', 'cached_tokens', 'completion_tokens', 'reasoning_tokens', 'cost']
const ROLLED_UP_BY = 'organization_id, project_id, credential_id, model'

/** Counts roll-ups that are not the sum of their records, and records without a roll-up. */
function wrongRollUps(table: string, time: string, timeOfRecord: string): string {
  const sums = COUNTED.map((name) => `sum(${name})::bigint as ${name}`).join(', ')
  const failed = "count(*) filter (where outcome <> 'completed') as failed"
  const compared = ['requests', 'failed', ...COUNTED]
  const same = compared.map((name) => `rolled.${name} = summed.${name}`)
  return `select count(*)::int as wrong from (
      select ${timeOfRecord} as ${time}, ${ROLLED_UP_BY}, count(*) as requests, ${failed},
        ${sums}
      from usage_records group by ${timeOfRecord}, ${ROLLED_UP_BY}
    ) as summed full join ${table} as rolled using (${time}, ${ROLLED_UP_BY})
    where (${same.join(' and ')}) is not true`
}

// The first 48 bits of a request id are its time in milliseconds.
const OPENED_HOUR = `to_timestamp((('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint
  / 3600000) * 3600)`

const CHECKS = {
  hourly: wrongRollUps('usage_hourly', 'hour', OPENED_HOUR),
  daily: wrongRollUps('usage_daily', 'day', 'opened_on'),
  balance: `select coalesce(sum(debits - credits), 0)::bigint as wrong from ledger_accounts`,
  // Accounts that are not the sum of their transfers.
  accounts: `with all_transfers as (
      select debit_account, credit_account, amount from transfers
      union all select debit_account, credit_account, amount from usage_transfers
    )
    select count(*)::int as wrong from ledger_accounts as account
    left join (select debit_account as id, sum(amount) as sum from all_transfers group by 1)
      as debit using (id)
    left join (select credit_account as id, sum(amount) as sum from all_transfers group by 1)
      as credit using (id)
    where debits <> coalesce(debit.sum, 0) or credits <> coalesce(credit.sum, 0)`,
  // Organizations whose usage account is not the cost of their records.
  costs: `select count(*)::int as wrong from (
      select 'usage:' || organization_id as id, sum(cost) as cost from usage_records group by 1
    ) as used full join (
      select id, debits - credits as cost from ledger_accounts where id like 'usage:%'
    ) as posted using (id)
    where coalesce(used.cost, 0) <> coalesce(posted.cost, 0)`,
  revenue: `select (credits - debits - (select coalesce(sum(cost), 0) from usage_records))::bigint
      as wrong from ledger_accounts where id = 'revenue'`,
} as const

/** Lists the roll-ups and ledger accounts that are not the sum of the usage records. */
export async function findWrongSums(pool: Queries): Promise<string[]> {
  const found: string[] = []
  for (const [name, text] of Object.entries(CHECKS)) {
    const { rows } = await pool.query<{ wrong: number }>(text)
    if (rows[0]?.wrong !== 0) found.push(`${name}: ${rows[0]?.wrong}`)
  }
  return found
}

/** The cost of an organization's usage according to the ledger. */
export async function readPostedCost(pool: Queries, organizationId: string): Promise<number> {
  const { rows } = await pool.query<{ cost: number }>(
    'select debits - credits as cost from ledger_accounts where id = $1',
    [`usage:${organizationId}`],
  )
  return rows[0]?.cost ?? 0
}

/** Empties all tables that reconciliation reads and writes. */
export async function emptyUsage(pool: Queries): Promise<void> {
  await pool.query('truncate usage_records, usage_hourly, reconciliations')
}

/** Removes every usage record; the returned function restores them. */
export async function hideRecords(pool: Queries): Promise<() => Promise<void>> {
  await pool.query('create table hidden_records as select * from usage_records')
  await pool.query('delete from usage_records')
  return async () => {
    await pool.query('insert into usage_records select * from hidden_records')
    await pool.query('drop table hidden_records')
  }
}

export async function addTokenToRecords(pool: Queries): Promise<void> {
  await pool.query('update usage_records set completion_tokens = completion_tokens + 1')
}

/** The findings of reconciliation, by source and name. */
export async function readDifferences(pool: Queries): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ name: string; difference: number }>(
    `select source || ' ' || name as name, difference from reconciliations order by 1`,
  )
  return Object.fromEntries(rows.map(({ name, difference }) => [name, difference]))
}

/** Counts the transactions that write findings of reconciliation from now on. */
export async function countReconciliations(pool: Queries): Promise<() => Promise<number>> {
  await pool.query(`create table reconciled (run bigint primary key)`)
  await pool.query(`create function note_reconciled() returns trigger
    language plpgsql security definer as $$ begin
    insert into reconciled values (txid_current()) on conflict do nothing; return new; end $$`)
  await pool.query(`create trigger note_reconciled before insert or update on reconciliations
    for each row execute function note_reconciled()`)
  return async () => {
    const { rows } = await pool.query<{ runs: number }>(
      'select count(*)::int as runs from reconciled',
    )
    return rows[0]?.runs ?? 0
  }
}

/** Keeps partitions of usage records from being created, while rows can be inserted. */
export async function blockPartitions(pool: Pool): Promise<() => Promise<void>> {
  const client: PoolClient = await pool.connect()
  await client.query('begin; lock table usage_records_default in row exclusive mode')
  return async () => {
    await client.query('rollback')
    client.release()
  }
}

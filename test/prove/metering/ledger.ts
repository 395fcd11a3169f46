import type { Pool } from 'pg'

/** A row of the ledger, as far as it is judged. */
export type Row = {
  readonly id: string
  readonly organizationId: string
  readonly outcome: string
  readonly basis: string
  readonly prompt: number
  readonly cached: number
  readonly completion: number
  readonly reasoning: number
  readonly cost: number
}

const ROWS = `select id, organization_id as "organizationId", outcome, basis,
    prompt_tokens as prompt, cached_tokens as cached, completion_tokens as completion,
    reasoning_tokens as reasoning, cost
  from usage_records`

const SUMMED = ['prompt_tokens', 'cached_tokens', 'completion_tokens', 'reasoning_tokens', 'cost']

const KEY = 'organization_id, project_id, credential_id, model'

/** Roll-ups that are not the sum of their rows, and rows without a roll-up. */
function wrongRollUps(table: string, time: string, ofRow: string): string {
  const sums = SUMMED.map((name) => `sum(${name})::bigint as ${name}`).join(', ')
  const same = ['requests', ...SUMMED].map((name) => `kept.${name} = summed.${name}`)
  return `select count(*)::int as count from (
      select ${ofRow} as ${time}, ${KEY}, count(*) as requests, ${sums}
      from usage_records group by ${ofRow}, ${KEY}
    ) as summed full join ${table} as kept using (${time}, ${KEY})
    where (${same.join(' and ')}) is not true`
}

// The time stands in the first 48 bits of the id, which the ledger itself does not know.
const OPENED = `to_timestamp((('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint
  / 3600000) * 3600)`

const WRONG = {
  hourly: wrongRollUps('usage_hourly', 'hour', OPENED),
  daily: wrongRollUps('usage_daily', 'day', 'opened_on'),
  unbalanced: `select (sum(debits) - sum(credits))::bigint as count from ledger_accounts`,
  // Every account is the sum of its transfers, and what is used the sum of the rows' costs.
  accounts: `select count(*)::int as count from ledger_accounts as account
    where debits <> (select coalesce(sum(amount), 0) from transfers
                     where debit_account = account.id)
       or credits <> (select coalesce(sum(amount), 0) from transfers
                      where credit_account = account.id)`,
  costs: `select count(*)::int as count from (
      select 'usage:' || organization_id as id, sum(cost) as cost from usage_records group by 1
    ) as used full join (
      select id, debits - credits as cost from ledger_accounts where id like 'usage:%'
    ) as booked using (id)
    where coalesce(used.cost, 0) <> coalesce(booked.cost, 0)`,
} as const

export async function readRows(pool: Pick<Pool, 'query'>): Promise<Row[]> {
  const { rows } = await pool.query<Row>(ROWS)
  return rows
}

/** Says what in roll-ups and books is not the sum of the rows; nothing if all of it is. */
export async function judgeSums(pool: Pick<Pool, 'query'>): Promise<string[]> {
  const faults: string[] = []
  for (const [name, text] of Object.entries(WRONG)) {
    const { rows } = await pool.query<{ count: number }>(text)
    const count = rows[0]?.count ?? 0
    if (count !== 0) faults.push(`${name}: ${count}`)
  }
  return faults
}

/** What an organization has used, as it is booked. */
export async function readBooked(pool: Pick<Pool, 'query'>, id: string): Promise<number> {
  const { rows } = await pool.query<{ booked: number }>(
    'select debits - credits as booked from ledger_accounts where id = $1',
    [`usage:${id}`],
  )
  return rows[0]?.booked ?? 0
}

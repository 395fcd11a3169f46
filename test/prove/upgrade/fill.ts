import type { Pool } from 'pg'
import { forEachLimited } from '../../../src/lib/for-each-limited.ts'
import { createPartitions, dayOf } from '../../../src/store/postgres/partitions.ts'

const DAYS = 30
const DAY_MS = 86_400_000
const RECORDS_EACH = 10_000
const KEYS = 4
const AT_ONCE = 2

const SUMS = `count(*), 0, sum(prompt_tokens), sum(cached_tokens), sum(completion_tokens),
  sum(reasoning_tokens), sum(cost)`
const KEY = 'organization_id, project_id, credential_id, model'
const ROLLED_UP = `${KEY}, requests, failed, prompt_tokens, cached_tokens, completion_tokens,
  reasoning_tokens, cost`

/**
 * Fills a database with a month of usage up to now, its roll-ups and its transfers, as a worker
 * would have. Written in SQL, because 20 million records take an hour through a worker.
 */
export async function fill(pool: Pool, records: number): Promise<void> {
  const organizations = Math.ceil(records / RECORDS_EACH)
  const nowMs = Date.now()
  const firstMs = Math.floor(nowMs / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS
  const days = Array.from({ length: DAYS }, (_, day) => firstMs + day * DAY_MS)
  for (const table of ['usage_hourly', 'usage_daily', 'usage_transfers'] as const)
    await createPartitions(pool, table, dayOf(firstMs), dayOf(nowMs))
  await pool.query(
    `insert into ledger_accounts (id) select 'usage:' || md5('organization' || n)::uuid
     from generate_series(0, $1 - 1) as n`,
    [organizations],
  )
  const count = Math.ceil(records / DAYS)
  await forEachLimited(AT_ONCE, days, (dayMs) =>
    fillDay(pool, { dayMs, endMs: Math.min(dayMs + DAY_MS, nowMs), count, organizations }),
  )
  await pool.query(`
    update ledger_accounts set debits = used.sum from (
      select debit_account, sum(amount) as sum from usage_transfers group by 1
    ) as used where id = debit_account`)
  await pool.query(`update ledger_accounts
    set credits = (select sum(amount) from usage_transfers) where id = 'revenue'`)
  await pool.query('analyze')
}

type Day = {
  readonly dayMs: number
  readonly endMs: number
  readonly count: number
  readonly organizations: number
}

/** The partition is attached last: making its indexes at once is many times faster. */
async function fillDay(pool: Pool, { dayMs, endMs, count, organizations }: Day): Promise<void> {
  const day = dayOf(dayMs)
  const table = `usage_records_${day.replaceAll('-', '')}`
  await pool.query(`
    begin;
    create table ${table} (like usage_records including defaults including constraints);
    insert into ${table} (opened_on, id, organization_id, project_id, credential_id, log_partition,
      model, engine, outcome, basis, prompt_tokens, cached_tokens, completion_tokens,
      reasoning_tokens, input_price, cached_input_price, output_price, cost, queued_ms,
      first_token_ms, duration_ms, settled_at, posted_at)
    select '${day}', id, md5('organization' || one)::uuid, md5('project' || one || key % 2)::uuid,
      md5('key' || one || key)::uuid, one % 256, 'example/large', 'one', 'completed', 'engine',
      prompt, prompt / 2, completion, 0, 250000, 25000, 1000000, prompt / 8 + completion, 1, 20,
      300, to_timestamp(ms / 1000.0), to_timestamp(ms / 1000.0)
    from (
      select ms, abs(hashint8(n + ms)) % ${organizations} as one, abs(hashint8(n)) % ${KEYS} as key,
        10 + n % 4000 as prompt, 1 + n % 700 as completion,
        (lpad(to_hex(ms), 12, '0') || '7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::uuid
          as id
      from (
        select n, ${dayMs} + n * ${endMs - dayMs} / ${count} as ms, md5('${day}' || n) as hash
        from generate_series(0::bigint, ${count - 1}) as n
      ) as numbered
    ) as made;
    commit`)
  await pool.query(`alter table usage_records attach partition ${table}
    for values from ('${day}') to ('${dayOf(dayMs + DAY_MS)}')`)
  await pool.query(`
    insert into usage_hourly (hour, ${ROLLED_UP})
    select date_trunc('hour', settled_at), ${KEY}, ${SUMS} from ${table} group by 1, ${KEY}`)
  await pool.query(`
    insert into usage_daily (day, ${ROLLED_UP})
    select opened_on, ${KEY}, ${SUMS} from ${table} group by 1, ${KEY}`)
  await pool.query(`
    insert into usage_transfers (hour, debit_account, credit_account, amount)
    select hour, 'usage:' || organization_id, 'revenue', sum(cost) from usage_hourly
    where hour >= to_timestamp(${dayMs / 1000}) and hour < to_timestamp(${(dayMs + DAY_MS) / 1000})
    group by 1, 2`)
}

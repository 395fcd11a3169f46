import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'
import { uuidV7 } from '../../../src/lib/uuid.ts'
import { ORGANIZATION } from './fill.ts'

// The statements of release 0.1.0 on the tables that the migration changes, word for word: a
// clean checkout does not have the code of that release.

const GIVEN = `
  from unnest($1::int[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::bigint[],
    $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[])
  as given (time, organization_id, project_id, credential_id, model, requests, prompt_tokens,
    cached_tokens, completion_tokens, reasoning_tokens, cost)`

function addTo(table: string, time: string, value: string): string {
  return `
    insert into ${table} (${time}, organization_id, project_id, credential_id, model,
      requests, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost)
    select ${value}, organization_id, project_id, credential_id, model,
      requests, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost ${GIVEN}
    on conflict (organization_id, ${time}, project_id, credential_id, model)
    do update set requests = ${table}.requests + excluded.requests,
      prompt_tokens = ${table}.prompt_tokens + excluded.prompt_tokens,
      cached_tokens = ${table}.cached_tokens + excluded.cached_tokens,
      completion_tokens = ${table}.completion_tokens + excluded.completion_tokens,
      reasoning_tokens = ${table}.reasoning_tokens + excluded.reasoning_tokens,
      cost = ${table}.cost + excluded.cost`
}

const ADD_HOURLY = addTo('usage_hourly', 'hour', 'to_timestamp(time * 3600.0)')
const ADD_DAILY = addTo('usage_daily', 'day', "date '1970-01-01' + time")

const ADD_TRANSFERS = `
  insert into transfers (id, debit_account, credit_account, amount, kind, reference)
  select id, debit_account, credit_account, amount, 'usage', reference
  from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::text[])
  as given (id, debit_account, credit_account, amount, reference)
  order by reference
  on conflict (reference) do update set amount = transfers.amount + excluded.amount`

const SPENT = `
  select coalesce(sum(usage_daily.cost), 0)::bigint as spent from usage_daily
  where usage_daily.project_id = $1
    and usage_daily.day >= date_trunc('month', now() at time zone 'utc')::date`

const HOUR_MS = 3_600_000
const PAUSE_MS = 5

/** Posts and reads as processes of the previous release do, until it is stopped. */
export type PreviousRelease = {
  readonly posted: number
  readonly reads: number
  readonly errors: readonly Error[]
  stop(): Promise<void>
}

export async function startPreviousRelease(pool: Pool): Promise<PreviousRelease> {
  const { rows } = await pool.query<Used>(
    `select organization_id, project_id, credential_id from usage_hourly
     where organization_id = ${ORGANIZATION} limit 1`,
  )
  const [used] = rows
  if (used === undefined) throw new Error('the organization has no usage')
  const stopping = new AbortController()
  const counts = { posted: 0, reads: 0 }
  const errors: Error[] = []
  const repeat = async (name: keyof typeof counts, act: () => Promise<unknown>) => {
    while (!stopping.signal.aborted) {
      try {
        await act()
        counts[name] += 1
      } catch (error) {
        errors.push(error as Error)
      }
      // pacing: the previous release works at an interval.
      await pause(PAUSE_MS)
    }
  }
  const running = [
    repeat('posted', () => post(pool, used)),
    repeat('reads', () => pool.query({ name: 'identity', text: SPENT, values: [used.project_id] })),
  ]
  return {
    get posted() {
      return counts.posted
    },
    get reads() {
      return counts.reads
    },
    errors,
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

type Used = {
  readonly organization_id: string
  readonly project_id: string
  readonly credential_id: string
}

/** One record of an organization, with its roll-ups and its cost of 1. */
async function post(pool: Pool, used: Used): Promise<void> {
  const { organization_id: organization, project_id: project, credential_id: key } = used
  const nowMs = Date.now()
  const hour = Math.floor(nowMs / HOUR_MS)
  const account = `usage:${organization}`
  const sums = [[organization], [project], [key], ['example/large'], [1], [1], [0], [1], [0], [1]]
  const at = new Date(nowMs).toISOString()
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(
      `insert into usage_records (opened_on, id, organization_id, project_id, credential_id,
         log_partition, model, outcome, basis, prompt_tokens, cached_tokens, completion_tokens,
         reasoning_tokens, cost, settled_at)
       values ($1, $2, $3, $4, $5, 0, 'example/large', 'completed', 'engine', 1, 0, 1, 0, 1, $6)`,
      [at.slice(0, 10), uuidV7(nowMs), organization, project, key, at],
    )
    await client.query({ name: 'usage-hourly', text: ADD_HOURLY, values: [[hour], ...sums] })
    const day = Math.floor(hour / 24)
    await client.query({ name: 'usage-daily', text: ADD_DAILY, values: [[day], ...sums] })
    await client.query('update ledger_accounts set debits = debits + 1 where id = $1', [account])
    await client.query({
      name: 'usage-transfers',
      text: ADD_TRANSFERS,
      values: [[uuidV7()], [account], ['revenue'], [1], [`${account}:${at.slice(0, 13)}`]],
    })
    await client.query(`update ledger_accounts set credits = credits + 1 where id = 'revenue'`)
    await client.query('commit')
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}

import type { Pool, PoolClient } from 'pg'
import { DAY_MS } from '../../lib/time.ts'
import { timeOfUuid } from '../../lib/uuid.ts'
import type { UsageRecord } from '../../tenancy/usage-record.ts'
import { column } from '../postgres/column.ts'
import { inTransaction } from '../postgres/in-transaction.ts'
import { FIRST_ID } from '../postgres/page.ts'
import { partitionOf } from '../valkey/keys.ts'
import { deduplicate, isBetter, LOCK_CLASS } from './usage-records.ts'

/** Organizations looked up per statement. */
const PAGE_ORGANIZATIONS = 1_000

/** Longer than a batch takes; the partition is skipped after that. */
const LOCK_TIMEOUT = `set local lock_timeout = '5s'`

// One index lookup per organization, whatever it used.
const ACTIVE_ORGANIZATIONS = `
  with page as materialized (select id from organizations where id > $2 order by id limit $3)
  select id, exists (select 1 from usage_hourly where organization_id = page.id and hour >= $1)
    as active
  from page order by id`

const OF_ORGANIZATIONS = `select organization as id, debits - credits as spent
  from unnest($1::text[]) as organization
  join ledger_accounts on ledger_accounts.id = 'usage:' || organization`

// Later days count too: they are of a host whose clock is ahead, and Valkey counted them already.
const OF_PROJECTS = `select project as id, coalesce(sum(cost), 0)::bigint as spent
  from unnest($1::uuid[], $2::date[]) as given (project, month)
  left join usage_daily on project_id = project and day >= month
  group by project`

// One lookup per day and key by the primary key, as for the identity of a key.
const OF_KEYS = `select given.id, coalesce(sum((
    select sum(cost) from usage_daily
    where usage_daily.organization_id = api_keys.organization_id
      and usage_daily.day = days.day::date
      and usage_daily.project_id = api_keys.project_id
      and usage_daily.credential_id = api_keys.id
  )), 0)::bigint as spent
  from unnest($1::uuid[], $2::date[], $3::uuid[]) as given (id, month, credential)
  join api_keys on api_keys.id = credential
  cross join generate_series(
    given.month, now() at time zone 'utc' + '1 day', '1 day'
  ) as days (day)
  group by given.id`

// Keys with a spending limit and usage since then, and the keys that count together with them.
const ACTIVE_KEYS = `
  with used as materialized (
    select distinct credential_id from usage_hourly
    where organization_id = any($1::uuid[]) and hour >= $2
  ), limited as materialized (
    select distinct coalesce(limits_id, id) as id
    from used join api_keys on api_keys.id = credential_id where spending_limit is not null
  ), counted as (
    select limited.id, api_keys.organization_id, api_keys.id as credential_id
    from limited join api_keys using (id)
    union all
    select limited.id, api_keys.organization_id, api_keys.id
    from limited join api_keys on api_keys.limits_id = limited.id
  )
  select id, organization_id as "organizationId", array_agg(credential_id) as "credentialIds"
  from counted group by id, organization_id`

const OF_RECORDS = `select id, outcome, completion_tokens as "completionTokens", cost
  from unnest($1::int[], $2::uuid[]) as given (day, id)
  join usage_records using (id)
  where opened_on = date '1970-01-01' + day`

/** The month (YYYYMM) of a project or of the limits of API keys. */
export type SpendingMonth = { readonly id: string; readonly month: string }

/** The month of one of the API keys that count together. */
export type KeyMonth = SpendingMonth & { readonly credentialId: string }

/** API keys that count their limits together. */
export type KeyGroup = {
  /** Under which they count them. */
  readonly id: string
  readonly organizationId: string
  readonly credentialIds: readonly string[]
}

/** What is posted of one partition. */
export type PostedSpending = {
  /** By organization; one without costs is missing. */
  ofOrganizations(ids: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** By project. */
  ofProjects(months: readonly SpendingMonth[]): Promise<ReadonlyMap<string, number>>
  /** By the id of the keys' limits. */
  ofKeys(months: readonly KeyMonth[]): Promise<ReadonlyMap<string, number>>
  /** What posting these would add to the costs, or less than 0 where it replaces a lost record. */
  whenPosted(records: readonly UsageRecord[]): Promise<readonly WaitingCost[]>
}

export type WaitingCost = { readonly record: UsageRecord; readonly cost: number }

/** Runs `act` while no worker posts records of the partition. */
export async function whileNotPosting<Result>(
  pool: Pool,
  partition: number,
  act: (posted: PostedSpending) => Promise<Result>,
): Promise<Result> {
  return inTransaction(pool, LOCK_TIMEOUT, async (client) => {
    await client.query(`select pg_advisory_xact_lock(${LOCK_CLASS}, $1)`, [partition])
    return act({
      ofOrganizations: (ids) => readSpent(client, OF_ORGANIZATIONS, [ids]),
      ofProjects: (months) => readSpent(client, OF_PROJECTS, columnsOf(months)),
      ofKeys: (months) =>
        readSpent(client, OF_KEYS, [
          ...columnsOf(months),
          months.map(({ credentialId }) => credentialId),
        ]),
      whenPosted: (records) => whenPosted(client, partition, records),
    })
  })
}

function columnsOf(months: readonly SpendingMonth[]): unknown[] {
  const days = months.map(({ month }) => `${month.slice(0, 4)}-${month.slice(4)}-01`)
  return [months.map(({ id }) => id), days]
}

async function readSpent(client: PoolClient, text: string, values: unknown[]) {
  const { rows } = await client.query<{ id: string; spent: number }>(text, values)
  return new Map(rows.map(({ id, spent }) => [id, spent]))
}

type PostedRow = Pick<UsageRecord, 'id' | 'outcome' | 'completionTokens' | 'cost'>

async function whenPosted(
  client: PoolClient,
  partition: number,
  records: readonly UsageRecord[],
): Promise<WaitingCost[]> {
  if (records.length === 0) return []
  const batch = deduplicate(records.map((record) => ({ record, partition })))
  const ids = batch.map(({ record }) => record.id)
  const days = ids.map((id) => Math.floor(timeOfUuid(id) / DAY_MS))
  const { rows } = await client.query<PostedRow>(OF_RECORDS, [column(days), column(ids)])
  const postedById = new Map(rows.map((row) => [row.id, row]))
  return batch.map(({ record }) => {
    const posted = postedById.get(record.id)
    if (posted === undefined) return { record, cost: record.cost }
    return { record, cost: isBetter(record, posted) ? record.cost - posted.cost : 0 }
  })
}

/** The organizations with usage since then, by partition of the usage log. */
export async function findActiveOrganizations(
  pool: Pick<Pool, 'query'>,
  sinceMs: number,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const active: string[] = []
  let after = FIRST_ID
  for (;;) {
    const page = [new Date(sinceMs), after, PAGE_ORGANIZATIONS]
    const { rows } = await pool.query<{ id: string; active: boolean }>(ACTIVE_ORGANIZATIONS, page)
    active.push(...rows.filter((row) => row.active).map(({ id }) => id))
    const last = rows.at(-1)
    if (last === undefined) return Map.groupBy(active, partitionOf)
    after = last.id
  }
}

/** The keys of these organizations that have a spending limit and usage since then. */
export async function findActiveKeys(
  pool: Pick<Pool, 'query'>,
  organizationIds: readonly string[],
  sinceMs: number,
): Promise<readonly KeyGroup[]> {
  const { rows } = await pool.query<KeyGroup>(ACTIVE_KEYS, [organizationIds, new Date(sinceMs)])
  return rows
}

import type { Pool, PoolClient } from 'pg'
import { DAY_MS } from '../../lib/time.ts'
import { timeOfUuid } from '../../lib/uuid.ts'
import type { CountedUsage, UsageRecord } from '../../tenancy/usage-record.ts'
import { postCosts } from './post-costs.ts'
import { column, textColumn } from '../postgres/column.ts'
import { inTransaction } from '../postgres/in-transaction.ts'
import { isUuid } from '../postgres/page.ts'
import { addRollUps } from './roll-ups.ts'

/** A usage record and its partition of the usage log. */
export type LoggedUsage = { readonly record: UsageRecord; readonly partition: number }

/** The result of posting a batch. */
export type PostResult = {
  /** The partitions that were posted; those that another worker is posting were skipped. */
  readonly partitions: ReadonlySet<number>
  /** Number of new rows. */
  readonly posted: number
  /** Old values of rows that were closed as lost and then replaced by their process's record. */
  readonly replaced: readonly CountedUsage[]
  /** Number of records that were already posted, or repeated in the batch. */
  readonly duplicates: number
}

/** Distinguishes our advisory locks of partitions from others in the same database. */
export const LOCK_CLASS = 1_213_415_253

// Entries of the log are deleted after this commit, so it must survive a crash of the server: it
// waits for the disk whatever the server's default is.
const DURABLE = `
  select set_config('synchronous_commit', 'on', true)
  where current_setting('synchronous_commit') = 'off'`

const COLUMNS = `
  opened_on, id, organization_id, project_id, credential_id, log_partition, model, engine, outcome,
  basis, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, input_price,
  cached_input_price, output_price, cost, queued_ms, first_token_ms, duration_ms, settled_at,
  account_id, credential_kind, retention, reserved, attempts, instance`

const GIVEN = `
  select date '1970-01-01' + opened_day as opened_on, id, organization_id, project_id,
    credential_id, log_partition, model, engine, outcome, basis, prompt_tokens, cached_tokens,
    completion_tokens, reasoning_tokens, input_price, cached_input_price, output_price, cost,
    queued_ms, first_token_ms, duration_ms, to_timestamp(settled_ms / 1000.0) as settled_at,
    account_id, credential_kind, retention, reserved, attempts, instance
  from unnest($1::int[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::smallint[],
    $7::text[], $8::text[], $9::text[], $10::text[], $11::int[], $12::int[], $13::int[],
    $14::int[], $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[], $19::int[],
    $20::int[], $21::int[], $22::bigint[], $23::uuid[], $24::text[], $25::text[], $26::bigint[],
    $27::smallint[], $28::uuid[])
  as given (opened_day, id, organization_id, project_id, credential_id, log_partition, model,
    engine, outcome, basis, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens,
    input_price, cached_input_price, output_price, cost, queued_ms, first_token_ms, duration_ms,
    settled_ms, account_id, credential_kind, retention, reserved, attempts, instance)`

// Returns ids only if some rows existed already, which is rare.
const INSERT = `
  with posted as (
    insert into usage_records (${COLUMNS}) ${GIVEN}
    on conflict (opened_on, id) do nothing
    returning id
  )
  select count(*)::int as count,
    case when count(*) < cardinality($2::uuid[]) then array_agg(id::text) end as ids
  from posted`

const REPLACE = `
  with given as materialized (${GIVEN}), lost as (
    select usage_records.* from usage_records join given using (opened_on, id)
    where usage_records.outcome = 'lost' and (given.outcome <> 'lost'
      or given.completion_tokens > usage_records.completion_tokens)
    for update of usage_records
  )
  update usage_records set (${COLUMNS}) = (
    given.opened_on, given.id, given.organization_id, given.project_id, given.credential_id,
    given.log_partition, given.model, given.engine, given.outcome, given.basis,
    given.prompt_tokens, given.cached_tokens, given.completion_tokens, given.reasoning_tokens,
    given.input_price, given.cached_input_price, given.output_price, given.cost, given.queued_ms,
    given.first_token_ms, given.duration_ms, given.settled_at, given.account_id,
    given.credential_kind, given.retention, given.reserved, given.attempts, given.instance
  ), posted_at = now()
  from given join lost using (opened_on, id)
  where usage_records.opened_on = lost.opened_on and usage_records.id = lost.id
  returning lost.id, lost.organization_id as "organizationId", lost.project_id as "projectId",
    lost.credential_id as "credentialId", lost.account_id as "accountId", lost.model,
    lost.outcome,
    lost.prompt_tokens as "promptTokens",
    lost.cached_tokens as "cachedTokens", lost.completion_tokens as "completionTokens",
    lost.reasoning_tokens as "reasoningTokens", lost.cost`

/**
 * Posts usage records with their roll-ups and costs in one transaction. A record that is already
 * posted changes nothing, so a batch may be posted again if the reply was lost. The record written
 * by a request's own process replaces one written by the worker that closed it.
 *
 * A partition is posted by one worker at a time and has all records of its organizations. So no two
 * transactions add to the same roll-up, and they wait for each other only at the end, for the
 * revenue account.
 */
export async function postUsage(pool: Pool, entries: readonly LoggedUsage[]): Promise<PostResult> {
  return inTransaction(pool, DURABLE, (client) => post(client, entries))
}

async function post(client: PoolClient, entries: readonly LoggedUsage[]): Promise<PostResult> {
  const partitions = await lock(client, new Set(entries.map(({ partition }) => partition)))
  const locked = entries.filter(({ partition }) => partitions.has(partition))
  const batch = deduplicate(locked)
  const existingIds = new Set(batch.length === 0 ? [] : await insertNew(client, batch))
  const inserted = batch.map(({ record }) => record).filter(({ id }) => !existingIds.has(id))
  const existing = batch.filter(({ record }) => existingIds.has(record.id))
  const replaced = existing.length === 0 ? [] : await replaceLost(client, existing)
  const replacedIds = new Set(replaced.map(({ id }) => id))
  const replacements = existing.map(({ record }) => record).filter(({ id }) => replacedIds.has(id))
  const changes = { added: [...inserted, ...replacements], removed: replaced }
  if (changes.added.length > 0) {
    await addRollUps(client, changes)
    await postCosts(client, changes)
  }
  const duplicates = locked.length - inserted.length - replaced.length
  return { partitions, posted: inserted.length, replaced, duplicates }
}

/** How many of these records PostgreSQL does not have. */
export async function countMissing(
  pool: Pick<Pool, 'query'>,
  entries: readonly LoggedUsage[],
): Promise<number> {
  const ids = [...new Set(entries.map(({ record }) => record.id))]
  const days = ids.map((id) => Math.floor(timeOfUuid(id) / DAY_MS))
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from unnest($1::int[], $2::uuid[]) as given (day, id)
     where not exists (select 1 from usage_records
       where opened_on = date '1970-01-01' + day and usage_records.id = given.id)`,
    [column(days), column(ids)],
  )
  return rows[0]?.count ?? 0
}

/** Locks the partitions that no other worker is posting, until the transaction ends. */
async function lock(client: PoolClient, wanted: ReadonlySet<number>): Promise<ReadonlySet<number>> {
  const { rows } = await client.query<{ partition: number }>({
    name: 'usage-lock',
    text: `select partition from unnest($1::int[]) as partition
           where pg_try_advisory_xact_lock(${LOCK_CLASS}, partition)`,
    values: [column(wanted)],
  })
  return new Set(rows.map(({ partition }) => partition))
}

/** One record per request: the first that its own process wrote, else the furthest lost one. */
export function deduplicate(entries: readonly LoggedUsage[]): LoggedUsage[] {
  const byId = new Map<string, LoggedUsage>()
  for (const entry of entries) {
    const known = byId.get(entry.record.id)
    if (known === undefined || isBetter(entry.record, known.record))
      byId.set(entry.record.id, entry)
  }
  return [...byId.values()]
}

type Closed = Pick<UsageRecord, 'outcome' | 'completionTokens'>

/** A request that was closed too early may have continued and been lost later, with more tokens. */
export function isBetter(record: Closed, known: Closed): boolean {
  if (known.outcome !== 'lost') return false
  return record.outcome !== 'lost' || record.completionTokens > known.completionTokens
}

/** Returns the ids of records that exist already. */
async function insertNew(client: PoolClient, batch: readonly LoggedUsage[]): Promise<string[]> {
  const { rows } = await client.query<{ count: number; ids: string[] | null }>({
    name: 'usage-insert',
    text: INSERT,
    values: columnsOf(batch),
  })
  const [row] = rows
  if (row?.count === batch.length) return []
  const inserted = new Set(row?.ids)
  return batch.map(({ record }) => record.id).filter((id) => !inserted.has(id))
}

/** Returns the old values of the replaced rows. */
async function replaceLost(
  client: PoolClient,
  batch: readonly LoggedUsage[],
): Promise<CountedUsage[]> {
  const { rows } = await client.query<CountedUsage>({
    name: 'usage-replace',
    text: REPLACE,
    values: columnsOf(batch),
  })
  return rows
}

/** In the order of the parameters of `GIVEN`. */
function columnsOf(batch: readonly LoggedUsage[]): string[] {
  const records = batch.map(({ record }) => record)
  const of = (value: (record: UsageRecord) => string | number | null) => column(records.map(value))
  return [
    of(({ id }) => Math.floor(timeOfUuid(id) / DAY_MS)),
    of(({ id }) => id),
    of(({ organizationId }) => organizationId),
    of(({ projectId }) => projectId),
    of(({ credentialId }) => credentialId),
    column(batch.map(({ partition }) => partition)),
    textColumn(records.map(({ model }) => model)),
    textColumn(records.map(({ engine }) => engine)),
    of(({ outcome }) => outcome),
    of(({ basis }) => basis),
    of(({ promptTokens }) => promptTokens),
    of(({ cachedTokens }) => cachedTokens),
    of(({ completionTokens }) => completionTokens),
    of(({ reasoningTokens }) => reasoningTokens),
    of(({ price }) => price?.input ?? null),
    of(({ price }) => price?.cachedInput ?? null),
    of(({ price }) => price?.output ?? null),
    of(({ cost }) => cost),
    of(({ queuedMs }) => queuedMs),
    of(({ firstTokenMs }) => firstTokenMs),
    of(({ durationMs }) => durationMs),
    of(({ settledAtMs }) => settledAtMs),
    of(({ accountId }) => accountId),
    of(({ credentialKind }) => credentialKind),
    of(({ retention }) => retention),
    of(({ reserved }) => reserved),
    of(({ attempts }) => attempts),
    of(({ instance }) => (instance !== null && isUuid(instance) ? instance : null)),
  ]
}

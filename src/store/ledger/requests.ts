import { sql, type Kysely, type RawBuilder } from 'kysely'
import { timeOfUuid } from '../../lib/uuid.ts'
import type { Price } from '../../tenancy/price.ts'
import type { UsageOutcome, UsageRecord } from '../../tenancy/usage-record.ts'
import type { Page } from '../postgres/page.ts'
import { addDays, dayOf } from '../postgres/partitions.ts'
import type { Tables } from '../postgres/tables.ts'
import { withinTransaction } from '../postgres/within-transaction.ts'
import { firstIdAt } from './first-id-at.ts'
import type { UsageFilter } from './sum-usage.ts'

export type RequestFilter = UsageFilter & {
  readonly outcome?: UsageOutcome
  /** When the request was made: from, inclusive, and to, exclusive. */
  readonly fromMs?: number
  readonly toMs?: number
}

export type RequestPage = {
  readonly records: readonly UsageRecord[]
  /** Continue after this id; null at the end. With filters a page may have few records. */
  readonly next: string | null
}

/** Rows that a page reads at most if its filters have no index; the next goes on from there. */
const SCANNED_MAX = 1_000

/** Statements of a page at most: about a month of days, or fewer days with several chunks. */
const STEPS_MAX = 36

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const LAST_DAY = '9999-12-31'
const LAST_DAY_MS = Date.UTC(9999, 11, 31)

const COLUMNS = sql.raw(`id, organization_id as "organizationId", project_id as "projectId",
  credential_id as "credentialId", credential_kind as "credentialKind",
  account_id as "accountId", retention, reserved, attempts, instance, model, engine, outcome,
  basis, prompt_tokens as "promptTokens", cached_tokens as "cachedTokens",
  completion_tokens as "completionTokens", reasoning_tokens as "reasoningTokens",
  input_price, cached_input_price, output_price, cost, queued_ms as "queuedMs",
  first_token_ms as "firstTokenMs", duration_ms as "durationMs", settled_at`)

type Row = Omit<UsageRecord, 'price' | 'settledAtMs'> & {
  readonly input_price: number | null
  readonly cached_input_price: number | null
  readonly output_price: number | null
  readonly settled_at: Date
}

// Otherwise a plan that reads and sorts all requests of the day may look cheaper than an index.
const READ_IN_ORDER = sql`
  select set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)`

/**
 * The usage records of an organization's requests, newest first. It reads one row more than it
 * returns if the only filter is a member, a key that no member owns, or an outcome other than
 * `completed`, which have an index; otherwise a bounded number of rows.
 */
export async function listRequests(
  database: Kysely<Tables>,
  organizationId: string,
  filter: RequestFilter,
  page: Page,
): Promise<RequestPage> {
  return withinTransaction(database, async (transaction) => {
    await READ_IN_ORDER.execute(transaction)
    const indexed = await indexedBy(transaction, filter)
    return readPage(transaction, organizationId, { filter, indexed }, page)
  })
}

async function readPage(
  database: Kysely<Tables>,
  organizationId: string,
  plan: Plan,
  page: Page,
): Promise<RequestPage> {
  const { filter } = plan
  const wanted = page.limit + 1
  const mostRows = Math.max(wanted, SCANNED_MAX)
  const records: UsageRecord[] = []
  const lowest = firstIdAt(filter.fromMs ?? 0)
  const upper = filter.toMs === undefined ? LAST_ID : firstIdAt(filter.toMs)
  let below = lower(page.after ?? LAST_ID, upper)
  let lastDay = dayOfId(below)
  let day: string | undefined
  let scanned = 0
  for (let step = 0; step < STEPS_MAX; step += 1) {
    day ??= await newestDay(database, organizationId, lastDay)
    if (day === undefined || day < dayOfId(lowest)) return { records, next: null }
    // More at a time while little matches.
    const most = Math.min(mostRows - scanned, Math.max(wanted - records.length, scanned))
    const range = { day, below, lowest, most }
    const found = await scanDay(database, organizationId, range, plan)
    for (const record of found.records) if (records.length < wanted) records.push(record)
    if (records.length === wanted) {
      const shown = records.slice(0, page.limit)
      return { records: shown, next: shown.at(-1)?.id ?? null }
    }
    scanned += found.scanned
    if (found.scanned === most) {
      below = found.last ?? below
      if (scanned >= mostRows) return { records, next: below }
    } else {
      below = firstIdAt(Date.parse(`${day}T00:00:00Z`))
      lastDay = addDays(day, -1)
      day = undefined
    }
  }
  return { records, next: below }
}

/** Undefined if there is none. Its day is in its id. */
export async function findRequest(
  database: Kysely<Tables>,
  id: string,
): Promise<UsageRecord | undefined> {
  const { rows } = await sql<Row>`
    select ${COLUMNS} from usage_records
    where opened_on = ${dayOfId(id)}::date and id = ${id}`.execute(database)
  return rows[0] === undefined ? undefined : toRecord(rows[0])
}

/** Ids that we did not make may be of any time. */
function dayOfId(id: string): string {
  const timeMs = timeOfUuid(id)
  return timeMs < LAST_DAY_MS ? dayOf(timeMs) : LAST_DAY
}

function lower(one: string, other: string): string {
  return one < other ? one : other
}

/** How a list is read: by one index at most, and by filters on what it returns. */
type Plan = { readonly filter: RequestFilter; readonly indexed: Indexed | undefined }

type Indexed = {
  readonly column: RawBuilder<unknown>
  readonly value: string
  /** Of a partial index: it is used only if the statement says so too. */
  readonly condition: RawBuilder<unknown>
}

const OWNER = sql`coalesce(account_id, credential_id)`

async function indexedBy(
  database: Kysely<Tables>,
  { accountId, credentialId, outcome }: RequestFilter,
): Promise<Indexed | undefined> {
  if (accountId !== undefined) return { column: OWNER, value: accountId, condition: sql`` }
  if (credentialId !== undefined) {
    const key = await database
      .selectFrom('api_keys')
      .select('created_by')
      .where('id', '=', credentialId)
      .executeTakeFirst()
    return { column: OWNER, value: key?.created_by ?? credentialId, condition: sql`` }
  }
  if (outcome === undefined || outcome === 'completed') return undefined
  return { column: sql`outcome`, value: outcome, condition: sql`and outcome <> 'completed'` }
}

/** The newest day with usage up to this one: one row of an index, whatever lies between. */
async function newestDay(
  database: Kysely<Tables>,
  organizationId: string,
  lastDay: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ day: string }>`
    select to_char(day, 'YYYY-MM-DD') as day from usage_daily
    where organization_id = ${organizationId} and day <= ${lastDay}::date
    order by usage_daily.day desc limit 1`.execute(database)
  return rows[0]?.day
}

type Range = {
  readonly day: string
  readonly below: string
  readonly lowest: string
  /** Rows to read. */
  readonly most: number
}

type Scanned = {
  readonly records: readonly UsageRecord[]
  readonly scanned: number
  /** The lowest id that was read. */
  readonly last: string | undefined
}

type ScannedRow = Row & { readonly scanned: number; readonly last: string | null }

/**
 * The condition is written so that only the index in the order of these columns can be used. The
 * planner would otherwise take the primary key for an organization that made most requests of the
 * day, and read all requests of others that came later.
 */
async function scanDay(
  database: Kysely<Tables>,
  organizationId: string,
  { day, below, lowest, most }: Range,
  { filter, indexed: by }: Plan,
): Promise<Scanned> {
  const columns = [sql`organization_id`, ...(by === undefined ? [] : [by.column]), sql`id`]
  const values = [organizationId, ...(by === undefined ? [] : [by.value])]
  const key = sql.join(columns)
  const { rows } = await sql<ScannedRow>`
    with chunk as materialized (
      select * from usage_records
      where opened_on = ${day}::date
        and (${key}) < (${sql.join([...values, below])})
        and (${key}) >= (${sql.join([...values, lowest])})
        ${by?.condition ?? sql``}
      order by ${sql.join(columns.map((column) => sql`${column} desc`))} limit ${most}
    )
    select * from (select count(*)::int as scanned, min(id::text) as last from chunk) as whole
    left join (
      select ${COLUMNS} from chunk
      where true ${sql.join(
        FILTERS.map((name) => equal(filter, name)),
        sql` `,
      )}
    ) as matching on true
    order by id desc`.execute(database)
  return {
    records: rows.filter(({ id }) => id !== null).map(toRecord),
    scanned: rows[0]?.scanned ?? 0,
    last: rows[0]?.last ?? undefined,
  }
}

const FILTERS = ['credentialId', 'accountId', 'outcome', 'projectId', 'model'] as const
type Filtered = (typeof FILTERS)[number]

const COLUMN_OF: Readonly<Record<Filtered, string>> = {
  credentialId: 'credential_id',
  accountId: 'account_id',
  outcome: 'outcome',
  projectId: 'project_id',
  model: 'model',
}

function equal(filter: RequestFilter, name: Filtered): RawBuilder<unknown> {
  const value = filter[name]
  return value === undefined ? sql`` : sql`and ${sql.ref(COLUMN_OF[name])} = ${value}`
}

function toRecord(row: Row & Partial<Pick<ScannedRow, 'scanned' | 'last'>>): UsageRecord {
  const { input_price, cached_input_price, output_price, settled_at, ...rest } = row
  const { scanned: _scanned, last: _last, ...record } = rest
  return {
    ...record,
    price: priceOf(input_price, cached_input_price, output_price),
    settledAtMs: settled_at.getTime(),
  }
}

function priceOf(
  input: number | null,
  cachedInput: number | null,
  output: number | null,
): Price | null {
  if (input === null || cachedInput === null || output === null) return null
  return { input, cachedInput, output }
}

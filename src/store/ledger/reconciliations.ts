import type { Pool } from 'pg'
import { forEachLimited } from '../../lib/for-each-limited.ts'
import { DAY_MS, HOUR_MS } from '../../lib/time.ts'
import { firstIdAt } from './first-id-at.ts'
import { PARTITIONS, partitionKeys } from '../valkey/keys.ts'
import { scriptCaller } from '../valkey/scripts.ts'
import { type Valkey } from '../valkey/valkey.ts'

/** Sums over requests. */
export type Sums = {
  readonly records: number
  readonly prompt: number
  readonly cached: number
  readonly completion: number
  readonly reasoning: number
  readonly cost: number
}

const FIELDS = ['records', 'prompt', 'cached', 'completion', 'reasoning', 'cost'] as const

export const NO_SUMS: Sums = {
  records: 0,
  prompt: 0,
  cached: 0,
  completion: 0,
  reasoning: 0,
  cost: 0,
}

/** The counters of one partition, and which records of its stream are not yet posted. */
export type Reading = {
  /** By hour. */
  readonly sums: ReadonlyMap<number, Sums>
  /** The first and the last entry of the stream; undefined if it is empty. */
  readonly oldest: EntryId | undefined
  readonly newest: EntryId | undefined
}

/** The two numbers of a stream entry's id, which only grow. */
type EntryId = readonly [ms: number, sequence: number]

export type Finding = {
  readonly hour: Date
  readonly source: 'engine' | 'usage_log'
  readonly name: string
  /** Sums of the usage records in PostgreSQL. */
  readonly ledger: Pick<Sums, 'records' | 'prompt' | 'completion'>
  /** An engine counts no requests. */
  readonly counted: { readonly records: number | null } & Pick<Sums, 'prompt' | 'completion'>
  /** The largest difference of counters less usage records in any field; 0 if all are equal. */
  readonly difference: number
}

/** A time range. */
export type Span = { readonly fromMs: number; readonly toMs: number }

/** An engine, and when its requests were settled: after `fromMs` and up to `toMs`. */
export type EngineSpan = Span & { readonly engine: string }

/** An hour is the number of hours since 1970. */
export type Reconciliations = {
  /** Reads the counters in Valkey, by partition. */
  readCounters(
    hours: readonly number[],
    partitions: Iterable<number>,
  ): Promise<Map<number, Reading>>
  /** The sums of the usage records of an hour, by partition. */
  sumHour(hour: number): Promise<Map<number, Sums>>
  /** The sums of the usage records of engines, of requests opened in the span. */
  sumEngines(settled: readonly EngineSpan[], opened: Span): Promise<Map<string, Sums>>
  write(findings: readonly Finding[]): Promise<void>
  /** Replaces the counters of an hour and partition, which must not change meanwhile. */
  replaceCounters(hour: number, partition: number, sums: Sums): Promise<void>
}

export const ALL_PARTITIONS: readonly number[] = Array.from({ length: PARTITIONS }, (_, n) => n)

const CALLS_AT_ONCE = 32

/** As apply-costs.lua keeps them. */
const KEEP_HOUR_SECONDS = (3 * DAY_MS) / 1000

/** Usage records that one statement sums. */
const CHUNK_ROWS = 20_000

// KEYS: the stream, the counters of each hour. Returns the ids of the first and the last entry of
// the stream, and the counters.
const READ_COUNTERS = `
local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local sums = {}
for i = 2, #KEYS do
  sums[i - 1] = redis.call('HMGET', KEYS[i], ${FIELDS.map((field) => `'${field}'`).join(', ')})
end
return {oldest and oldest[1] or '', newest and newest[1] or '', sums}`

const SUMS = `count(*) as records,
  coalesce(sum(prompt_tokens), 0)::bigint as prompt,
  coalesce(sum(cached_tokens), 0)::bigint as cached,
  coalesce(sum(completion_tokens), 0)::bigint as completion,
  coalesce(sum(reasoning_tokens), 0)::bigint as reasoning,
  coalesce(sum(cost), 0)::bigint as cost`

// A range of the primary key. Each row of the result has the size and the last id of the chunk.
const inChunks = (groups: string) => `
  with chunk as materialized (
    select * from usage_records where opened_on = $1::date and id > $2::uuid and id < $3::uuid
    order by opened_on, id limit ${CHUNK_ROWS}
  )
  select * from (select count(*) as size, max(id::text) as last from chunk) as whole
  left join (${groups}) as groups on true`

const SUM_HOUR = inChunks(`select log_partition as name, ${SUMS} from chunk group by 1`)

// An engine counts a prompt when it has processed it. One whose client left before that is billed.
const SUM_ENGINES = inChunks(`
  select chunk.engine as name, ${SUMS} from chunk
  join unnest($4::text[], $5::timestamptz[], $6::timestamptz[]) as span (engine, after, until)
    on chunk.engine = span.engine and settled_at > span.after and settled_at <= span.until
  where first_token_ms is not null
  group by 1`)

// For a partition a finding without a difference is written only if it replaces an earlier one.
const WRITE = `
  insert into reconciliations (hour, source, name, ledger_records, ledger_prompt,
    ledger_completion, counted_records, counted_prompt, counted_completion, difference)
  select found.* from unnest($1::timestamptz[], $2::text[], $3::text[], $4::bigint[],
    $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[])
    as found (hour, source, name, ledger_records, ledger_prompt, ledger_completion,
      counted_records, counted_prompt, counted_completion, difference)
  where found.difference <> 0 or found.source = 'engine' or found.name = 'all' or exists (
    select 1 from reconciliations as known where known.hour = found.hour
      and known.source = found.source and known.name = found.name)
  on conflict (hour, source, name) do update set
    ledger_records = excluded.ledger_records, ledger_prompt = excluded.ledger_prompt,
    ledger_completion = excluded.ledger_completion, counted_records = excluded.counted_records,
    counted_prompt = excluded.counted_prompt, counted_completion = excluded.counted_completion,
    difference = excluded.difference, checked_at = now()`

export function openReconciliations(
  pool: Pick<Pool, 'query'>,
  valkey: Pick<Valkey, 'call'>,
): Reconciliations {
  const read = scriptCaller(valkey, READ_COUNTERS)
  return {
    async readCounters(hours, partitions) {
      const readings = new Map<number, Reading>()
      await forEachLimited(CALLS_AT_ONCE, partitions, async (partition) => {
        const { usage, hour: prefix } = partitionKeys(partition)
        const keys = [usage, ...hours.map((hour) => `${prefix}${hour}`)]
        readings.set(partition, readingOf(hours, await read({ keys, args: [] })))
      })
      return readings
    },
    async sumHour(hour) {
      const span = { fromMs: hour * HOUR_MS, toMs: (hour + 1) * HOUR_MS }
      return sumInChunks<number>(pool, SUM_HOUR, span, [])
    },
    async sumEngines(settled, opened) {
      if (settled.length === 0) return new Map()
      return sumInChunks<string>(pool, SUM_ENGINES, opened, [
        settled.map(({ engine }) => engine),
        settled.map(({ fromMs }) => new Date(fromMs)),
        settled.map(({ toMs }) => new Date(toMs)),
      ])
    },
    async write(findings) {
      if (findings.length > 0) await pool.query(WRITE, columnsOf(findings))
    },
    async replaceCounters(hour, partition, sums) {
      const key = `${partitionKeys(partition).hour}${hour}`
      await valkey.call('HSET', [key, ...FIELDS.flatMap((field) => [field, sums[field]])])
      await valkey.call('EXPIRE', [key, KEEP_HOUR_SECONDS])
    },
  }
}

function readingOf(hours: readonly number[], reply: unknown): Reading {
  const [oldest, newest, values] = reply as [string, string, (string | null)[][]]
  const sums = hours.map((hour, at) => {
    const fields = FIELDS.map((field, index) => [field, Number(values[at]?.[index] ?? 0)])
    return [hour, Object.fromEntries(fields) as Sums] as const
  })
  return { sums: new Map(sums), oldest: entryIdOf(oldest), newest: entryIdOf(newest) }
}

function entryIdOf(text: string): EntryId | undefined {
  const [ms, sequence] = text.split('-').map(Number)
  return ms === undefined || sequence === undefined ? undefined : [ms, sequence]
}

/** Whether everything that was in the stream at the earlier reading is posted at the later one. */
export function isPosted(earlier: Reading, later: Reading): boolean {
  const [{ newest }, { oldest }] = [earlier, later]
  if (newest === undefined || oldest === undefined) return true
  return oldest[0] > newest[0] || (oldest[0] === newest[0] && oldest[1] > newest[1])
}

/** Without a group the name is null. */
type ChunkRow<Name> = Sums & {
  readonly size: number
  readonly last: string | null
  readonly name: Name | null
}

/** Sums the records of requests opened in the span, a bounded number with each statement. */
async function sumInChunks<Name>(
  pool: Pick<Pool, 'query'>,
  text: string,
  { fromMs, toMs }: Span,
  values: readonly unknown[],
): Promise<Map<Name, Sums>> {
  const sums = new Map<Name, Sums>()
  for (let dayMs = Math.floor(fromMs / DAY_MS) * DAY_MS; dayMs < toMs; dayMs += DAY_MS) {
    const day = new Date(dayMs).toISOString().slice(0, 10)
    let after: string | null = firstIdAt(fromMs)
    while (after !== null) {
      const given: unknown[] = [day, after, firstIdAt(toMs), ...values]
      const { rows }: { rows: ChunkRow<Name>[] } = await pool.query(text, given)
      for (const row of rows)
        if (row.name !== null) sums.set(row.name, plus(sums.get(row.name) ?? NO_SUMS, row))
      after = rows[0]?.size === CHUNK_ROWS ? rows[0].last : null
    }
  }
  return sums
}

export function plus(one: Sums, other: Sums): Sums {
  return {
    records: one.records + other.records,
    prompt: one.prompt + other.prompt,
    cached: one.cached + other.cached,
    completion: one.completion + other.completion,
    reasoning: one.reasoning + other.reasoning,
    cost: one.cost + other.cost,
  }
}

function columnsOf(findings: readonly Finding[]): unknown[] {
  return [
    findings.map(({ hour }) => hour),
    findings.map(({ source }) => source),
    findings.map(({ name }) => name),
    findings.map(({ ledger }) => ledger.records),
    findings.map(({ ledger }) => ledger.prompt),
    findings.map(({ ledger }) => ledger.completion),
    findings.map(({ counted }) => counted.records),
    findings.map(({ counted }) => counted.prompt),
    findings.map(({ counted }) => counted.completion),
    findings.map(({ difference }) => difference),
  ]
}

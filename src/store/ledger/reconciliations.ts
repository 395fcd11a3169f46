import type { Pool } from 'pg'
import { forEachLimited } from '../../lib/for-each-limited.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { firstIdAt } from './first-id-at.ts'
import { resyncSpending } from './resync-spending.ts'
import { PARTITIONS, partitionKeys } from '../valkey/keys.ts'
import { scriptCaller, type ScriptCall } from '../valkey/scripts.ts'
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

/** The counters of one partition for an hour, in Valkey. */
export type HourCount = {
  readonly sums: Sums
  /** Whether the stream has no record of the hour, so that all of them are posted. */
  readonly posted: boolean
}

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

export type Reconciliations = {
  /** The counters in Valkey, by partition. An hour is the number of hours since 1970. */
  countHour(hour: number, partitions: readonly number[]): Promise<Map<number, HourCount>>
  /** The sums of the usage records of the same hour, by partition. */
  sumHour(hour: number): Promise<Map<number, Sums>>
  /** The sums of an engine's usage records; settled after `fromMs` and up to `toMs`. */
  sumEngine(engine: string, settled: Span, opened: Span): Promise<Sums>
  write(findings: readonly Finding[]): Promise<void>
  /** See resync-spending.ts. */
  resyncSpending(sinceMs: number): Promise<number>
}

export const ALL_PARTITIONS: readonly number[] = Array.from({ length: PARTITIONS }, (_, n) => n)

/** Entries of a stream that are searched; a longer stream counts as not posted. */
const ENTRIES_MAX = 10_000
const CALLS_AT_ONCE = 32

// KEYS: the hour's counters, the stream. ARGV: the hour, the maximum length of the stream.
// Returns 1 if the stream has no record of the hour, else 0, and the counters.
const COUNT = `
local posted = 1
if redis.call('XLEN', KEYS[2]) > tonumber(ARGV[2]) then
  posted = 0
else
  for _, entry in ipairs(redis.call('XRANGE', KEYS[2], '-', '+')) do
    local high, low = string.match(entry[2][2], '"id":"(%x%x%x%x%x%x%x%x)%-(%x%x%x%x)')
    if not high or math.floor(tonumber(high .. low, 16) / ${HOUR_MS}) == tonumber(ARGV[1]) then
      posted = 0
      break
    end
  end
end
return {posted, redis.call('HMGET', KEYS[1], ${FIELDS.map((field) => `'${field}'`).join(', ')})}`

const SUMS = `count(*) as records,
  coalesce(sum(prompt_tokens), 0)::bigint as prompt,
  coalesce(sum(cached_tokens), 0)::bigint as cached,
  coalesce(sum(completion_tokens), 0)::bigint as completion,
  coalesce(sum(reasoning_tokens), 0)::bigint as reasoning,
  coalesce(sum(cost), 0)::bigint as cost`

// Restricting the days limits the query to their partitions.
const OPENED = `opened_on between $1::date and $2::date and id >= $3::uuid and id < $4::uuid`

const SUM_HOUR = `select log_partition, ${SUMS} from usage_records where ${OPENED}
  group by log_partition`

const SUM_ENGINE = `select ${SUMS} from usage_records where ${OPENED}
  and engine = $5 and settled_at > $6 and settled_at <= $7`

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
  const count = scriptCaller(valkey, COUNT)
  return {
    countHour: (hour, partitions) => countHour(count, hour, partitions),
    async sumHour(hour) {
      const span = { fromMs: hour * HOUR_MS, toMs: (hour + 1) * HOUR_MS }
      const { rows } = await pool.query<SumRow>(SUM_HOUR, idsOf(span))
      return new Map(rows.map((row) => [row.log_partition, sumsOf(row)]))
    },
    async sumEngine(engine, settled, opened) {
      const bounds = [engine, new Date(settled.fromMs), new Date(settled.toMs)]
      const { rows } = await pool.query<SumRow>(SUM_ENGINE, [...idsOf(opened), ...bounds])
      return rows[0] === undefined ? NO_SUMS : sumsOf(rows[0])
    },
    async write(findings) {
      if (findings.length > 0) await pool.query(WRITE, columnsOf(findings))
    },
    resyncSpending: (sinceMs) => resyncSpending(pool, valkey, sinceMs),
  }
}

type SumRow = Sums & { readonly log_partition: number }

function sumsOf({ log_partition: _partition, ...sums }: SumRow): Sums {
  return sums
}

/** The first and last day, and the lower and upper id, of requests opened in a span. */
function idsOf({ fromMs, toMs }: Span): unknown[] {
  const days = [fromMs, toMs - 1].map((ms) => new Date(ms).toISOString().slice(0, 10))
  return [...days, ...[fromMs, toMs].map(firstIdAt)]
}

type Script = (call: ScriptCall) => Promise<unknown>

async function countHour(count: Script, hour: number, partitions: readonly number[]) {
  const counts = new Map<number, HourCount>()
  await forEachLimited(CALLS_AT_ONCE, partitions, async (partition) => {
    const keys = partitionKeys(partition)
    const call = { keys: [`${keys.hour}${hour}`, keys.usage], args: [hour, ENTRIES_MAX] }
    const [posted, values] = (await count(call)) as [number, (string | null)[]]
    const sums = FIELDS.map((field, index) => [field, Number(values[index] ?? 0)])
    counts.set(partition, { posted: posted === 1, sums: Object.fromEntries(sums) as Sums })
  })
  return counts
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

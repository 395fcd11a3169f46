import type { Pool } from 'pg'
import { percentile } from '../../harness/figures/measure.ts'

export type Sizes = {
  readonly table: number
  readonly index: number
  readonly toast: number
  readonly rollUps: number
  readonly transfers: number
  readonly rollUpRows: number
}

function sizeOf(table: string): string {
  return `(select sum(pg_total_relation_size(relid)) from pg_partition_tree('${table}'))`
}

/** The size of the tables on disk, in bytes. */
export async function readSizes(pool: Pool): Promise<Sizes> {
  const { rows } = await pool.query<Sizes>(`
    select
      sum(pg_relation_size(relid))::bigint as table,
      sum(pg_indexes_size(relid))::bigint as index,
      sum(coalesce(pg_total_relation_size(nullif(reltoastrelid, 0)), 0))::bigint as toast,
      (${sizeOf('usage_hourly')} + ${sizeOf('usage_daily')})::bigint as "rollUps",
      ${sizeOf('usage_transfers')}::bigint as transfers,
      ((select count(*) from usage_hourly) + (select count(*) from usage_daily))::bigint
        as "rollUpRows"
    from pg_partition_tree('usage_records') join pg_class on pg_class.oid = relid
    where isleaf`)
  return rows[0]!
}

const FROM_ROLL_UPS = `
  select day, model, sum(requests), sum(prompt_tokens), sum(cached_tokens),
    sum(completion_tokens), sum(cost)::bigint as cost
  from usage_daily where organization_id = $1 and day between $2 and $3
  group by day, model order by day, model`

const FROM_RECORDS = `
  select opened_on, model, count(*), sum(prompt_tokens), sum(cached_tokens),
    sum(completion_tokens), sum(cost)::bigint as cost
  from usage_records where organization_id = $1 and opened_on between $2 and $3
  group by opened_on, model order by opened_on, model`

const RUNS = 5

/** A month of one organization by day and model: the median time of some runs, and its cost. */
export async function timeMonth(
  pool: Pool,
  source: 'roll-ups' | 'records',
  parameters: readonly [organizationId: string, firstDay: string, lastDay: string],
): Promise<{ readonly ms: number; readonly cost: number }> {
  const query = source === 'roll-ups' ? FROM_ROLL_UPS : FROM_RECORDS
  const took: number[] = []
  let cost = 0
  for (let run = 0; run < RUNS; run += 1) {
    const sinceMs = performance.now()
    const { rows } = await pool.query<{ cost: number }>(query, [...parameters])
    took.push(performance.now() - sinceMs)
    cost = rows.reduce((sum, row) => sum + row.cost, 0)
  }
  return { ms: percentile(took, 0.5), cost }
}

/** Bytes of write-ahead log since the cluster was created. */
export async function readWalPosition(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ position: number }>(
    `select (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint as position`,
  )
  return rows[0]?.position ?? Number.NaN
}

import type { Pool } from 'pg'
import { inTransaction } from '../../../src/store/postgres/in-transaction.ts'

/** Requests, tokens and cost of each cell: month of use, project and model. */
export type Cells = ReadonlyMap<string, readonly number[]>
export type ByOrganization = ReadonlyMap<string, Cells>

type Row = {
  readonly organization: string
  readonly cell: string
  readonly sums: readonly string[]
}

const SUMS = ['prompt_tokens', 'cached_tokens', 'completion_tokens', 'reasoning_tokens', 'cost']
const NONE: Cells = new Map()
const NOTHING = [0, 0, 0, 0, 0, 0]

// The first 48 bits of a request id are its time in milliseconds.
const MONTH_OF_USE = `to_char(to_timestamp((('x' || left(replace(id::text, '-', ''), 12))::bit(48)
  ::bigint) / 1000.0) at time zone 'utc', 'YYYY-MM')`

/**
 * What the usage records say now, without the sums that statements are made from. A worker may move
 * rows into a new partition meanwhile; a query that was planned before would not see them.
 */
export async function readUsed(pool: Pool): Promise<ByOrganization> {
  const locked = 'lock table usage_records in access share mode'
  const { rows } = await inTransaction(pool, locked, async (client) =>
    client.query<Row>(`
      select organization_id as organization, ${MONTH_OF_USE} || ' ' || project_id || ' ' || model
        as cell, array[count(*), ${SUMS.map((name) => `sum(${name})::bigint`).join(', ')}]::text[]
        as sums
      from usage_records group by 1, 2`),
  )
  return group(rows)
}

/** The lines of the statements of a month; without one, those of all together. */
export async function readStated(pool: Pool, month?: string): Promise<ByOrganization> {
  const sums = ['requests', ...SUMS].map((name) => `sum(${name})::bigint`).join(', ')
  const { rows } = await pool.query<Row>(
    `select organization_id as organization,
       to_char(used_in, 'YYYY-MM') || ' ' || project_id || ' ' || model as cell,
       array[${sums}]::text[] as sums
     from statement_cells where $1::text is null or to_char(month, 'YYYY-MM') = $1 group by 1, 2`,
    [month ?? null],
  )
  return group(rows)
}

/** The sums on the statements themselves. */
export async function readTotals(pool: Pool, month: string): Promise<Map<string, number[]>> {
  const { rows } = await pool.query<Row>(
    `select organization_id as organization,
       array[${['requests', ...SUMS].join(', ')}]::text[] as sums
     from statements where to_char(month, 'YYYY-MM') = $1`,
    [month],
  )
  return new Map(rows.map(({ organization, sums }) => [organization, sums.map(Number)]))
}

/** A text for each month that is the same as long as no byte of its statements changes. */
export async function digestStatements(pool: Pool): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ month: string; digest: string }>(`
    select to_char(month, 'YYYY-MM') as month, md5(string_agg(line, ',' order by line)) as digest
    from (select month, s::text as line from statements s
      union all select month, c::text from statement_cells c) as lines group by 1`)
  return new Map(rows.map(({ month, digest }) => [month, digest]))
}

function group(rows: readonly Row[]): ByOrganization {
  const grouped = new Map<string, Map<string, readonly number[]>>()
  for (const { organization, cell, sums } of rows) {
    const cells = grouped.get(organization) ?? new Map<string, readonly number[]>()
    grouped.set(organization, cells.set(cell, sums.map(Number)))
  }
  return grouped
}

export function cellsOf(all: ByOrganization, organization: string): Cells {
  return all.get(organization) ?? NONE
}

/** What was used and is not billed yet, without cells of nothing. */
export function lessBilled(used: Cells, billed: Cells): Cells {
  const names = new Set([...used.keys(), ...billed.keys()])
  const left = [...names].map((name) => {
    const before = billed.get(name) ?? NOTHING
    return [name, (used.get(name) ?? NOTHING).map((sum, at) => sum - before[at]!)] as const
  })
  return new Map(left.filter(([, sums]) => sums.some((sum) => sum !== 0)))
}

/** The cells that differ, each as text. */
export function findDifferences(expected: Cells, found: Cells): string[] {
  const names = [...new Set([...expected.keys(), ...found.keys()])].toSorted()
  const shown = (cells: Cells, name: string) => cells.get(name)?.join(' ') ?? 'no line'
  return names
    .filter((name) => shown(expected, name) !== shown(found, name))
    .map((name) => `${name}: ${shown(found, name)}, not ${shown(expected, name)}`)
}

export function sumOf(cells: Cells): readonly number[] {
  return [...cells.values()].reduce<readonly number[]>(
    (sums, each) => sums.map((sum, at) => sum + each[at]!),
    NOTHING,
  )
}

import type { Pool } from 'pg'

export type Split = 'model' | 'project' | 'key' | 'member'
export type Group = Split | 'day' | 'hour'

/** The columns of the page's table, in its own words. */
export const MEASURES = [
  'requests',
  'failed',
  'input',
  'cached',
  'output',
  'reasoning',
  'cost',
] as const
export type Measure = (typeof MEASURES)[number]
export type Sums = Readonly<Record<Measure, number>>

/** The first 48 bits of a request id are its time in milliseconds. */
const OPENED_AT = `to_timestamp((('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint)
  / 1000.0) at time zone 'utc'`

const EXPRESSIONS: Readonly<Record<Group, string>> = {
  day: `to_char(${OPENED_AT}, 'YYYY-MM-DD')`,
  hour: `to_char(${OPENED_AT}, 'YYYY-MM-DD"T"HH24":00Z"')`,
  model: 'model',
  project: 'project_id::text',
  key: 'credential_id::text',
  member: `coalesce(account_id::text, '')`,
}

export type Asked = {
  readonly organizationId: string
  /** The first day and the day after the last, in UTC. */
  readonly from: string
  readonly to: string
}

/** Sums of the usage records in plain SQL, by the groups joined with a line break. */
export async function sumBySql(
  pool: Pick<Pool, 'query'>,
  { organizationId, from, to }: Asked,
  by: readonly Group[],
): Promise<Map<string, Sums>> {
  const groups = by.map((group) => EXPRESSIONS[group])
  const name = groups.length === 0 ? `''` : groups.join(` || chr(10) || `)
  const { rows } = await pool.query<Sums & { readonly name: string }>(
    `select ${name} as name, count(*)::bigint as requests,
       (count(*) filter (where outcome <> 'completed'))::bigint as failed,
       coalesce(sum(prompt_tokens), 0)::bigint as input,
       coalesce(sum(cached_tokens), 0)::bigint as cached,
       coalesce(sum(completion_tokens), 0)::bigint as output,
       coalesce(sum(reasoning_tokens), 0)::bigint as reasoning,
       coalesce(sum(cost), 0)::bigint as cost
     from usage_records
     where organization_id = $1 and ${OPENED_AT} >= $2::timestamp and ${OPENED_AT} < $3::timestamp
     ${groups.length === 0 ? '' : 'group by 1'}`,
    [organizationId, from, to],
  )
  return new Map(rows.map(({ name: group, ...sums }) => [group, sums]))
}

export type Listed = { readonly input: number; readonly output: number; readonly cost: number }

/** Every request that is listed, by its id. */
export async function listBySql(
  pool: Pick<Pool, 'query'>,
  organizationId: string,
): Promise<Map<string, Listed>> {
  const { rows } = await pool.query<Listed & { readonly id: string }>(
    `select id, prompt_tokens as input, completion_tokens as output, cost from usage_records
     where organization_id = $1`,
    [organizationId],
  )
  return new Map(rows.map(({ id, ...listed }) => [id, listed]))
}

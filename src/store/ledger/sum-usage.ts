import { sql, type Kysely, type RawBuilder } from 'kysely'
import { DAY_MS } from '../../lib/time.ts'
import type { UsageCounts } from '../../tenancy/usage-record.ts'
import type { Tables } from '../postgres/tables.ts'
import { checkKept, type Period } from './kept-usage.ts'

export const USAGE_GROUPS = ['day', 'hour', 'model', 'project', 'key', 'member'] as const

export type UsageGroup = (typeof USAGE_GROUPS)[number]

/** What the usage must have been made with; an absent member allows everything. */
export type UsageFilter = {
  readonly projectId?: string
  /** An API key, or the account of playground credentials. */
  readonly credentialId?: string
  readonly accountId?: string
  readonly model?: string
}

export type UsageSum = UsageCounts & {
  /** In the order of the groups that were asked for. */
  readonly groups: readonly GroupValue[]
  readonly requests: number
  /** Requests that did not complete; null if some were summed before failures were counted. */
  readonly failed: number | null
  readonly cost: number
}

export type GroupValue = {
  /** The day, the hour, the model or an id; null for keys that no member owns. */
  readonly value: string | null
  /** Of the project, the key or the account; null for other groups, and if there is none. */
  readonly name: string | null
  /** Whether it is the playground of an account instead of a key. */
  readonly playground: boolean
}

type Grouping = {
  readonly value: RawBuilder<string>
  readonly name?: RawBuilder<string>
  readonly playground?: RawBuilder<boolean>
}

const KEY_NAME = sql<string>`coalesce(
  (select name from api_keys where id = max(used.credential_id::text)::uuid),
  (select name from accounts where id = max(used.credential_id::text)::uuid))`

const GROUPINGS: Readonly<Record<UsageGroup, Grouping>> = {
  day: { value: sql`to_char(used.at, 'YYYY-MM-DD')` },
  hour: { value: sql`to_char(used.at, 'YYYY-MM-DD"T"HH24:00"Z"')` },
  model: { value: sql`used.model` },
  project: {
    value: sql`used.project_id::text`,
    name: sql`(select name from projects where id = max(used.project_id::text)::uuid)`,
  },
  key: {
    value: sql`used.credential_id::text`,
    name: KEY_NAME,
    playground: sql`coalesce(bool_or(used.credential_id = used.account_id), false)`,
  },
  member: {
    value: sql`used.account_id::text`,
    name: sql`(select name from accounts where id = max(used.account_id::text)::uuid)`,
  },
}

const NULL = sql<string>`null`
const FALSE = sql<boolean>`false`

type SumRow = UsageCounts & {
  readonly value0: string | null
  readonly name0: string | null
  readonly playground0: boolean
  readonly value1: string | null
  readonly name1: string | null
  readonly playground1: boolean
  readonly requests: number
  readonly failed: number | null
  readonly cost: number
}

/**
 * The usage of an organization by none, one or two groups, in their order, from the roll-ups. The
 * period must be whole hours; whole days read far less.
 */
export async function sumUsage(
  database: Kysely<Tables>,
  organizationId: string,
  period: Period,
  asked: {
    readonly by: readonly UsageGroup[]
    readonly filter?: UsageFilter
    readonly limit: number
  },
): Promise<UsageSum[]> {
  const [first, second] = asked.by.map((group) => GROUPINGS[group])
  const wholeDays = period.fromMs % DAY_MS === 0 && period.toMs % DAY_MS === 0
  const daily = wholeDays && !asked.by.includes('hour')
  await checkKept(database, daily ? 'usage_daily' : 'usage_hourly', period)
  const used = usedIn(organizationId, period, asked.filter ?? {}, daily)
  const { rows } = await sql<SumRow>`
    select
      ${first?.value ?? NULL} as value0, ${first?.name ?? NULL} as name0,
      ${first?.playground ?? FALSE} as playground0,
      ${second?.value ?? NULL} as value1, ${second?.name ?? NULL} as name1,
      ${second?.playground ?? FALSE} as playground1,
      coalesce(sum(used.requests), 0)::bigint as requests,
      case when count(used.failed) = count(*) then coalesce(sum(used.failed), 0)::bigint end
        as failed,
      coalesce(sum(used.prompt_tokens), 0)::bigint as "promptTokens",
      coalesce(sum(used.cached_tokens), 0)::bigint as "cachedTokens",
      coalesce(sum(used.completion_tokens), 0)::bigint as "completionTokens",
      coalesce(sum(used.reasoning_tokens), 0)::bigint as "reasoningTokens",
      coalesce(sum(used.cost), 0)::bigint as cost
    from ${used} used
    ${groupBy(asked.by.length)}
    limit ${asked.limit}`.execute(database)
  return rows.map((row) => toSum(row, asked.by.length))
}

/** By position in the list above. */
function groupBy(count: number): RawBuilder<unknown> {
  if (count === 0) return sql`having count(*) > 0`
  return count === 1 ? sql`group by 1 order by 1` : sql`group by 1, 4 order by 1, 4`
}

function usedIn(
  organizationId: string,
  { fromMs, toMs }: Period,
  filter: UsageFilter,
  daily: boolean,
): RawBuilder<unknown> {
  const [from, to] = [new Date(fromMs), new Date(toMs)]
  const equal = (column: string, value: string | undefined) =>
    value === undefined ? sql`` : sql`and ${sql.ref(column)} = ${value}`
  const conditions = sql`organization_id = ${organizationId}
    ${equal('project_id', filter.projectId)} ${equal('credential_id', filter.credentialId)}
    ${equal('account_id', filter.accountId)} ${equal('model', filter.model)}`
  return daily
    ? sql`(select *, day::timestamp as at from usage_daily where ${conditions}
        and day >= (${from}::timestamptz at time zone 'utc')::date
        and day < (${to}::timestamptz at time zone 'utc')::date)`
    : sql`(select *, hour at time zone 'utc' as at from usage_hourly where ${conditions}
        and hour >= ${from} and hour < ${to})`
}

function toSum(row: SumRow, groups: number): UsageSum {
  const { value0, name0, playground0, value1, name1, playground1, ...sums } = row
  const values = [
    { value: value0, name: name0, playground: playground0 },
    { value: value1, name: name1, playground: playground1 },
  ]
  return { groups: values.slice(0, groups), ...sums }
}

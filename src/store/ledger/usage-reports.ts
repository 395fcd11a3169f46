import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import { DAY_MS } from '../../lib/time.ts'
import type { UsageBasis, UsageCounts, UsageOutcome } from '../../tenancy/usage-record.ts'
import type { Tables } from '../postgres/tables.ts'
import { firstIdAt } from './first-id-at.ts'

/** Includes `fromMs`, excludes `toMs`. */
export type Period = { readonly fromMs: number; readonly toMs: number }

export type UsageGroup = 'total' | 'model' | 'project' | 'key' | 'day' | 'hour'

export type UsageSum = UsageCounts & {
  /** The model, the id of the project or key, the day or the hour. */
  readonly group: string
  /** The name of the project or key; null for other groups, and if it no longer exists. */
  readonly name: string | null
  readonly requests: number
  readonly cost: number
}

type Grouping = { readonly group: RawBuilder<string>; readonly names?: RawBuilder<unknown> }

const GROUPINGS: Readonly<Record<UsageGroup, Grouping>> = {
  total: { group: sql`'total'` },
  model: { group: sql`used.model` },
  project: {
    group: sql`used.project_id::text`,
    names: sql`left join projects named on named.id = used.project_id`,
  },
  key: {
    group: sql`used.credential_id::text`,
    names: sql`left join api_keys named on named.id = used.credential_id`,
  },
  day: { group: sql`to_char(used.at, 'YYYY-MM-DD')` },
  hour: { group: sql`to_char(used.at, 'YYYY-MM-DD"T"HH24:00"Z"')` },
}

/**
 * The usage of an organization, from the roll-ups. The period must be whole hours; whole days read
 * far less.
 */
export async function sumUsage(
  database: Kysely<Tables>,
  organizationId: string,
  period: Period,
  by: { readonly group: UsageGroup; readonly limit: number },
): Promise<UsageSum[]> {
  const { group, names } = GROUPINGS[by.group]
  const from = new Date(period.fromMs)
  const to = new Date(period.toMs)
  const daily = by.group !== 'hour' && period.fromMs % DAY_MS === 0 && period.toMs % DAY_MS === 0
  const used = daily
    ? sql`(select *, day::timestamp as at from usage_daily
        where organization_id = ${organizationId}
          and day >= (${from}::timestamptz at time zone 'utc')::date
          and day < (${to}::timestamptz at time zone 'utc')::date)`
    : sql`(select *, hour at time zone 'utc' as at from usage_hourly
        where organization_id = ${organizationId} and hour >= ${from} and hour < ${to})`
  const { rows } = await sql<UsageSum>`
    select
      ${group} as "group",
      ${names === undefined ? sql`null` : sql`max(named.name)`} as name,
      sum(used.requests)::bigint as requests,
      sum(used.prompt_tokens)::bigint as "promptTokens",
      sum(used.cached_tokens)::bigint as "cachedTokens",
      sum(used.completion_tokens)::bigint as "completionTokens",
      sum(used.reasoning_tokens)::bigint as "reasoningTokens",
      sum(used.cost)::bigint as cost
    from ${used} used ${names ?? sql``}
    group by 1 order by 1 limit ${by.limit}`.execute(database)
  return rows
}

/** A usage record as it is exported. */
export type PostedRecord = UsageCounts & {
  readonly id: string
  readonly organizationId: string
  readonly projectId: string
  readonly credentialId: string
  readonly model: string
  readonly cost: number
  readonly outcome: UsageOutcome
  readonly basis: UsageBasis
  readonly settledAt: Date
}

const PAGE_RECORDS = 1000

/**
 * The usage records of requests admitted in the period, oldest first, in pages. Each page starts
 * after the last id of the previous one, so that neither memory nor a transaction grows with the
 * period.
 */
export async function* readRecords(
  database: Kysely<Tables>,
  period: Period,
  organizationId?: string,
): AsyncGenerator<PostedRecord[], void> {
  const firstDayMs = period.fromMs - (period.fromMs % DAY_MS)
  for (let dayMs = firstDayMs; dayMs < period.toMs; dayMs += DAY_MS) {
    const end = firstIdAt(Math.min(period.toMs, dayMs + DAY_MS))
    // No record has exactly this id, so an exclusive bound misses nothing.
    let after = firstIdAt(Math.max(period.fromMs, dayMs))
    for (;;) {
      const { rows } = await sql<PostedRecord>`
        select id, organization_id as "organizationId", project_id as "projectId",
          credential_id as "credentialId", model, cost, outcome, basis,
          prompt_tokens as "promptTokens", cached_tokens as "cachedTokens",
          completion_tokens as "completionTokens", reasoning_tokens as "reasoningTokens",
          settled_at as "settledAt"
        from usage_records
        where opened_on = (${new Date(dayMs)}::timestamptz at time zone 'utc')::date
          and id > ${after} and id < ${end}
          ${organizationId === undefined ? sql`` : sql`and organization_id = ${organizationId}`}
        order by id limit ${PAGE_RECORDS}`.execute(database)
      if (rows.length > 0) yield rows
      if (rows.length < PAGE_RECORDS) break
      after = rows.at(-1)?.id ?? end
    }
  }
}

import { sql, type Kysely } from 'kysely'
import { DAY_MS } from '../../lib/time.ts'
import { dayOf } from '../postgres/partitions.ts'
import type { Tables } from '../postgres/tables.ts'

/** Days before today that a forecast is made from. */
export const FORECAST_DAYS = 7

export type UsageTotals = {
  readonly requests: number
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly completionTokens: number
  readonly cost: number
}

export type RecentUsage = {
  readonly today: UsageTotals
  /** Of the UTC calendar month, today included. */
  readonly month: UsageTotals
  /** Of the whole days before today that a forecast is made from. */
  readonly costOfForecastDays: number
}

/** The first day of the month of this day. */
export function monthOf(day: string): string {
  return `${day.slice(0, 8)}01`
}

/**
 * What an organization used today, this month and in the last days, from the totals per day: one
 * range of their primary key, a row for each project and for each of 7 to 31 days.
 */
export async function readRecentUsage(
  database: Kysely<Tables>,
  organizationId: string,
  nowMs: number,
): Promise<RecentUsage> {
  const today = dayOf(nowMs)
  const month = monthOf(today)
  const firstOfForecast = dayOf(nowMs - FORECAST_DAYS * DAY_MS)
  const { rows } = await sql<UsageTotals & { period: 'today' | 'month' | 'forecast' }>`
    with used as materialized (
      select day, sum(requests)::bigint as requests, sum(prompt_tokens)::bigint as prompt,
        sum(cached_tokens)::bigint as cached, sum(completion_tokens)::bigint as completion,
        sum(cost)::bigint as cost
      from usage_totals
      where organization_id = ${organizationId}
        and day >= least(${month}::date, ${firstOfForecast}::date)
      group by day
    ), periods (period, first, past) as (
      values ('today', ${today}::date, 'infinity'::date),
        ('month', ${month}::date, 'infinity'::date),
        ('forecast', ${firstOfForecast}::date, ${today}::date)
    )
    select period, coalesce(sum(requests), 0)::bigint as requests,
      coalesce(sum(prompt), 0)::bigint as "promptTokens",
      coalesce(sum(cached), 0)::bigint as "cachedTokens",
      coalesce(sum(completion), 0)::bigint as "completionTokens",
      coalesce(sum(cost), 0)::bigint as cost
    from periods left join used on used.day >= first and used.day < past
    group by period`.execute(database)
  const of = (period: string) => rows.find((row) => row.period === period)!
  return {
    today: of('today'),
    month: of('month'),
    costOfForecastDays: of('forecast').cost,
  }
}

import { sql, type Kysely } from 'kysely'
import { DAY_MS } from '../../lib/time.ts'
import type { UsageBasis, UsageCounts, UsageOutcome } from '../../tenancy/usage-record.ts'
import type { Tables } from '../postgres/tables.ts'
import { firstIdAt } from './first-id-at.ts'
import { checkKept, type Period } from './kept-usage.ts'

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
  await checkKept(database, 'usage_records', period)
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

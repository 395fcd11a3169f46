import { sql, type Kysely } from 'kysely'
import { DAY_MS } from '../../lib/time.ts'
import { dayOf } from '../postgres/partitions.ts'
import type { Tables } from '../postgres/tables.ts'
import { firstIdAt } from './first-id-at.ts'

/** The newest requests that medians are made of; more would cost more and say the same. */
export const REQUESTS_MAX = 1_000

export type ModelSpeed = {
  readonly model: string
  readonly firstTokenMs: number | null
  /** Output tokens, from the first to the last. */
  readonly tokensPerSecond: number | null
}

/** Medians of each model over the newest completed requests of the last 24 hours. */
export async function readRecentSpeed(
  database: Kysely<Tables>,
  organizationId: string,
  nowMs: number,
): Promise<ModelSpeed[]> {
  const fromMs = nowMs - DAY_MS
  const { rows } = await sql<ModelSpeed>`
    with newest as (
      select model, outcome, first_token_ms, duration_ms, completion_tokens from usage_records
      where organization_id = ${organizationId} and id >= ${firstIdAt(fromMs)}
        and opened_on >= ${dayOf(fromMs)}::date
      order by id desc limit ${REQUESTS_MAX}
    )
    select model,
      percentile_cont(0.5) within group (order by first_token_ms) as "firstTokenMs",
      percentile_cont(0.5) within group (
        order by completion_tokens * 1000.0 / nullif(duration_ms - first_token_ms, 0)
      )::float8 as "tokensPerSecond"
    from newest where outcome = 'completed' and first_token_ms is not null
    group by model order by model`.execute(database)
  return rows
}

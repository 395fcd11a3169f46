import { sql, type Kysely } from 'kysely'
import type { KeptRetention } from '../../tenancy/content-record.ts'
import type { Tables } from '../postgres/tables.ts'

/** Records of a day that are counted; beyond it the answer is "at least". */
const COUNTED_MAX = 1_000

export type KeptDay = {
  readonly retention: KeptRetention
  /** Written YYYY-MM-DD. */
  readonly day: string
  readonly records: number
  /** Not all records of the day were counted. */
  readonly more: boolean
}

/**
 * How many readable records an organization has, by kind and day: `standard` first, newest first.
 * What belongs to a destroyed key is not kept any more, though its rows are still there. Reads at
 * most `COUNTED_MAX` rows for each day.
 */
export async function listKeptDays(
  database: Kysely<Tables>,
  organizationId: string,
  page: { readonly limit: number; readonly after?: Pick<KeptDay, 'retention' | 'day'> },
): Promise<KeptDay[]> {
  const { after } = page
  const later =
    after === undefined
      ? sql``
      : sql`and (retention, day) < (${after.retention}, ${after.day}::date)`
  const { rows } = await sql<KeptDay>`
    with days as materialized (
      select id, retention, day from content_keys
      where organization_id = ${organizationId}
        ${later}
      order by retention desc, day desc limit ${page.limit}
    )
    select retention, to_char(day, 'YYYY-MM-DD') as day, counted.records, counted.more
    from days, lateral (
      select count(*) filter (where key_id = days.id)::int as records,
        count(*) = ${COUNTED_MAX} as more
      from (
        select key_id from retained_content as kept
        where kept.retention = days.retention and kept.kept_on = days.day
          and kept.organization_id = ${organizationId}
        limit ${COUNTED_MAX}
      ) as some_records
    ) as counted
    order by retention desc, days.day desc`.execute(database)
  return rows
}

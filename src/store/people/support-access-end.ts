import { sql, type Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** Until when support may read an organization; undefined if it may not. */
export async function findSupportAccessEnd(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<Date | undefined> {
  const row = await database
    .selectFrom('support_access')
    .select(sql<Date | null>`max(ends_at)`.as('ends_at'))
    .where('organization_id', '=', organizationId)
    .where('ended_at', 'is', null)
    .where('ends_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row?.ends_at ?? undefined
}

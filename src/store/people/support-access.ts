import { sql, type Kysely, type Transaction } from 'kysely'
import { uuidV7 } from '../../lib/uuid.ts'
import type { Page } from '../postgres/page.ts'
import type { SupportAccessRow } from '../postgres/platform-tables.ts'
import type { Tables } from '../postgres/tables.ts'

export async function grantSupportAccess(
  transaction: Transaction<Tables>,
  granted: {
    readonly organizationId: string
    readonly accountId: string
    readonly hours: number
    readonly reason: string | null
  },
): Promise<SupportAccessRow> {
  return transaction
    .insertInto('support_access')
    .values({
      id: uuidV7(),
      organization_id: granted.organizationId,
      granted_by: granted.accountId,
      reason: granted.reason,
      ends_at: sql<Date>`now() + ${granted.hours} * interval '1 hour'`,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Ends all that is in force, from the next call on. Returns what it ended. */
export async function endSupportAccess(
  transaction: Transaction<Tables>,
  organizationId: string,
): Promise<SupportAccessRow[]> {
  return transaction
    .updateTable('support_access')
    .set({ ended_at: sql<Date>`now()` })
    .where('organization_id', '=', organizationId)
    .where('ended_at', 'is', null)
    .where('ends_at', '>', sql<Date>`now()`)
    .returningAll()
    .execute()
}

/** Newest first. */
export async function listSupportAccess(
  database: Kysely<Tables>,
  organizationId: string,
  page: Page,
): Promise<SupportAccessRow[]> {
  return database
    .selectFrom('support_access')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .$if(page.after !== undefined, (query) => query.where('id', '<', page.after ?? ''))
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute()
}

import { sql, type Kysely, type Transaction } from 'kysely'
import type { AuditStreamRow } from '../postgres/platform-tables.ts'
import type { Tables } from '../postgres/tables.ts'

/** Counting stops here. */
export const WAITING_COUNTED_MAX = 1_000

/** Of an organization; null for that of the platform. */
export async function findAuditStream(
  database: Kysely<Tables>,
  organizationId: string | null,
): Promise<AuditStreamRow | undefined> {
  return database
    .selectFrom('audit_streams')
    .selectAll()
    .where('organization_id', organizationId === null ? 'is' : '=', organizationId)
    .executeTakeFirst()
}

/** Events that wait, at most `WAITING_COUNTED_MAX` + 1. */
export async function countWaitingEvents(
  database: Kysely<Tables>,
  streamId: string,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from audit_stream_events where stream_id = ${streamId}
      limit ${WAITING_COUNTED_MAX + 1}) as waiting`.execute(database)
  return rows[0]?.count ?? 0
}

export type StreamSettings = {
  readonly id: string
  readonly organizationId: string | null
  readonly url: string
  readonly sealedSecret: Buffer
}

/** Makes a stream or changes where it goes. What waits is then sent there, and at once. */
export async function storeAuditStream(
  transaction: Transaction<Tables>,
  { id, organizationId, url, sealedSecret }: StreamSettings,
): Promise<AuditStreamRow> {
  const sending = { url, sealed_secret: sealedSecret }
  return transaction
    .insertInto('audit_streams')
    .values({ id, organization_id: organizationId, ...sending })
    .onConflict((conflict) =>
      conflict.column('organization_id').doUpdateSet({
        ...sending,
        next_at: sql<Date>`now()`,
        failures: 0,
        failing_since: null,
        last_error: null,
        paused_at: null,
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** With what waits. Returns it as it was. */
export async function deleteAuditStream(
  transaction: Transaction<Tables>,
  organizationId: string | null,
): Promise<AuditStreamRow | undefined> {
  return transaction
    .deleteFrom('audit_streams')
    .where('organization_id', organizationId === null ? 'is' : '=', organizationId)
    .returningAll()
    .executeTakeFirst()
}

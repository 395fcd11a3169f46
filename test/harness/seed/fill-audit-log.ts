import { sql, type Kysely } from 'kysely'
import { uuidV7 } from '../../../src/lib/uuid.ts'
import type { Tables } from '../../../src/store/postgres/tables.ts'

const EVENTS = 3_000
const EVENT_BYTES = 8_000

/** More events than the buffers of a connection hold, so that an export waits for its reader. */
export async function fillAuditLog(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<void> {
  const changes = JSON.stringify({ text: [null, 'x'.repeat(EVENT_BYTES)] })
  const ids = Array.from({ length: EVENTS }, () => uuidV7())
  await sql`
    insert into audit_events (made_at, id, organization_id, actor_kind, actor_label, action,
      target_kind, target_id, changes)
    select now(), id, ${organizationId}, 'system', 'test', 'key.create', 'key', 'test',
      ${changes}::jsonb
    from unnest(${ids}::uuid[]) as id`.execute(database)
}

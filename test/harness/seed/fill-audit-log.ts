import { sql, type Kysely } from 'kysely'
import { uuidV7 } from '../../../src/lib/uuid.ts'
import type { Tables } from '../../../src/store/postgres/tables.ts'

const EVENTS = 3_000
/** Several tests fill a log at once: no query of theirs may wait for long. */
const EVENTS_AT_ONCE = 250
const EVENT_BYTES = 8_000

/** More events than the buffers of a connection hold, so that an export waits for its reader. */
export async function fillAuditLog(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<void> {
  const changes = JSON.stringify({ text: [null, 'x'.repeat(EVENT_BYTES)] })
  for (let filled = 0; filled < EVENTS; filled += EVENTS_AT_ONCE) {
    const ids = Array.from({ length: EVENTS_AT_ONCE }, () => uuidV7())
    await sql`
      insert into audit_events (made_at, id, organization_id, actor_kind, actor_label, action,
        target_kind, target_id, changes)
      select now(), id, ${organizationId}, 'system', 'test', 'key.create', 'key', 'test',
        ${changes}::jsonb
      from unnest(${ids}::uuid[]) as id`.execute(database)
  }
}

import type { Kysely } from 'kysely'
import type { FoundAuditStream } from '../../../contract/management/audit-stream.ts'
import { countWaitingEvents, findAuditStream } from '../../../store/people/audit-streams.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import { viewStream } from './view-stream.ts'

/** The stream of an organization, or of the platform with null. */
export async function showStream(
  database: Kysely<Tables>,
  organizationId: string | null,
): Promise<FoundAuditStream> {
  const row = await findAuditStream(database, organizationId)
  if (row === undefined) return { stream: null }
  return { stream: viewStream(row, await countWaitingEvents(database, row.id)) }
}

import type { Kysely } from 'kysely'
import { findConnection, type ConnectionRow } from '../../../store/sign-in/sso-connections.ts'
import { isUuid } from '../../../store/postgres/page.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import { notFound } from '../../use-case/authorize.ts'

/** A connection of this organization; that of another one does not exist here. */
export async function ownConnection(
  database: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<ConnectionRow> {
  const found = isUuid(id) ? await findConnection(database, id) : undefined
  if (found?.organization_id !== organizationId) throw notFound()
  return found
}

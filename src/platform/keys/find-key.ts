import type { Kysely } from 'kysely'
import type { Tables } from '../../store/postgres/tables.ts'
import { findApiKey, type StoredKey } from '../../store/tenants/api-keys.ts'
import { notFound, type Access } from '../use-case/authorize.ts'

/** A key of the organization that the actor may see. Any other key is like one that is absent. */
export async function findKey(
  database: Kysely<Tables>,
  { actor, grant, organization }: Access<'keys:read' | 'keys:write'>,
  id: string,
): Promise<StoredKey> {
  const key = await findApiKey(database, id)
  const own = actor.kind === 'person' && key.created_by === actor.account.id
  if (key.organization_id !== organization.id || (grant === 'own' && !own)) throw notFound()
  return key
}

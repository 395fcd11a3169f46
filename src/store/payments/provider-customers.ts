import type { Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** Who an organization is at the provider. */
export async function findCustomer(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<string | null> {
  const row = await database
    .selectFrom('provider_customers')
    .select('ref')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  return row?.ref ?? null
}

/** The first that is stored stays, whoever made another one at the same time. */
export async function storeCustomer(
  database: Kysely<Tables>,
  organizationId: string,
  ref: string,
): Promise<string> {
  await database
    .insertInto('provider_customers')
    .values({ organization_id: organizationId, ref })
    .onConflict((conflict) => conflict.column('organization_id').doNothing())
    .execute()
  return (await findCustomer(database, organizationId)) ?? ref
}

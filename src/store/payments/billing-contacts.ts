import { sql, type Kysely, type Transaction } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** Empty: the owners get what is about money. */
export async function findBillingContacts(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<string[]> {
  const row = await database
    .selectFrom('billing_contacts')
    .select('emails')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  return row?.emails ?? []
}

/** The organization must be locked: it may be deleted at the same time. */
export async function storeBillingContacts(
  transaction: Transaction<Tables>,
  organizationId: string,
  emails: readonly string[],
): Promise<void> {
  if (emails.length === 0) {
    await transaction
      .deleteFrom('billing_contacts')
      .where('organization_id', '=', organizationId)
      .execute()
    return
  }
  await transaction
    .insertInto('billing_contacts')
    .values({ organization_id: organizationId, emails: [...emails] })
    .onConflict((conflict) =>
      conflict
        .column('organization_id')
        .doUpdateSet({ emails: [...emails], changed_at: sql<Date>`now()` }),
    )
    .execute()
}

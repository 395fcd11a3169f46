import type { Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** A card at the provider, and what its owner recognizes it by. */
export type SavedCard = {
  readonly ref: string
  readonly brand: string
  readonly lastFour: string
  readonly expiresMonth: number
  readonly expiresYear: number
}

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

/** With its card, unless another one has taken its place. */
export async function forgetCustomer(
  database: Kysely<Tables>,
  organizationId: string,
  ref: string,
): Promise<void> {
  await database
    .deleteFrom('provider_customers')
    .where('organization_id', '=', organizationId)
    .where('ref', '=', ref)
    .execute()
}

/** The card that may be charged; null if there is none. */
export async function findCard(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<SavedCard | null> {
  const row = await database
    .selectFrom('provider_customers')
    .select([
      'card_ref as ref',
      'card_brand as brand',
      'card_last_four as lastFour',
      'card_expires_month as expiresMonth',
      'card_expires_year as expiresYear',
    ])
    .where('organization_id', '=', organizationId)
    .where('card_ref', 'is not', null)
    .executeTakeFirst()
  // The columns of a card are written together.
  return (row as SavedCard | undefined) ?? null
}

/** Takes the place of the card before. */
export async function storeCard(
  database: Kysely<Tables>,
  organizationId: string,
  { ref, brand, lastFour, expiresMonth, expiresYear }: SavedCard,
): Promise<void> {
  await database
    .updateTable('provider_customers')
    .set({
      card_ref: ref,
      card_brand: brand,
      card_last_four: lastFour,
      card_expires_month: expiresMonth,
      card_expires_year: expiresYear,
    })
    .where('organization_id', '=', organizationId)
    .execute()
}

/** Of an organization that ends: nobody charges it any more. */
export async function forgetCard(database: Kysely<Tables>, organizationId: string): Promise<void> {
  await database
    .updateTable('provider_customers')
    .set({
      card_ref: null,
      card_brand: null,
      card_last_four: null,
      card_expires_month: null,
      card_expires_year: null,
    })
    .where('organization_id', '=', organizationId)
    .execute()
}

import { sql, type Kysely, type Transaction } from 'kysely'
import type { Language } from '../../contract/language.ts'
import type { BillingState } from '../../tenancy/identity.ts'
import type { Role } from '../../tenancy/role.ts'
import type { Page } from '../postgres/page.ts'
import type { AccountRow, Tables } from '../postgres/tables.ts'
import { lockAccount } from '../tenants/accounts.ts'
import { explainConstraints } from '../tenants/changes.ts'

export async function readAccount(
  database: Kysely<Tables>,
  accountId: string,
): Promise<AccountRow> {
  return database
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
}

export async function markEmailVerified(
  database: Kysely<Tables>,
  accountId: string,
): Promise<void> {
  await database
    .updateTable('accounts')
    .set({ email_verified_at: sql<Date>`coalesce(email_verified_at, now())` })
    .where('id', '=', accountId)
    .execute()
}

/** To one that was confirmed. Returns the address before. */
export async function changeEmail(
  transaction: Transaction<Tables>,
  accountId: string,
  email: string,
): Promise<string> {
  await lockAccount(transaction, accountId, 'update')
  const { email: before } = await readAccount(transaction, accountId)
  await explainConstraints(() =>
    transaction
      .updateTable('accounts')
      .set({ email, email_verified_at: sql<Date>`now()` })
      .where('id', '=', accountId)
      .execute(),
  )
  return before
}

export type OwnAccountChanges = {
  readonly name?: string | undefined
  readonly language?: Language | undefined
  readonly waitingNote?: string | null
  readonly termsVersion?: string
  readonly platformRole?: 'support' | 'operator'
}

export async function changeOwnAccount(
  database: Kysely<Tables>,
  accountId: string,
  changes: OwnAccountChanges,
): Promise<AccountRow> {
  return explainConstraints(() =>
    database
      .updateTable('accounts')
      .set((expression) => ({
        name: changes.name ?? expression.ref('name'),
        ...(changes.language !== undefined && { language: changes.language }),
        ...(changes.waitingNote !== undefined && { waiting_note: changes.waitingNote }),
        ...(changes.termsVersion !== undefined && {
          terms_version: changes.termsVersion,
          terms_accepted_at: sql<Date>`now()`,
        }),
        ...(changes.platformRole !== undefined && { platform_role: changes.platformRole }),
      }))
      .where('id', '=', accountId)
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
}

export type OwnOrganization = {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly plan: string
  readonly billing_state: BillingState
  readonly suspended_reason: string | null
  readonly credit_limit: number | null
  readonly overdue_month: string | null
  readonly role: Role
}

/** The organizations of an account, newest first. */
export async function listOwnOrganizations(
  database: Kysely<Tables>,
  accountId: string,
  page: Page,
): Promise<OwnOrganization[]> {
  return database
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select(['organizations.id', 'organizations.slug', 'organizations.name'])
    .select(['organizations.plan', 'organizations.billing_state', 'memberships.role'])
    .select(['organizations.suspended_reason', 'organizations.credit_limit'])
    .select('organizations.overdue_month')
    .where('memberships.account_id', '=', accountId)
    .where('memberships.state', '=', 'active')
    .where('organizations.deleted_at', 'is', null)
    .$if(page.after !== undefined, (query) =>
      query.where('memberships.organization_id', '<', page.after ?? ''),
    )
    .orderBy('memberships.organization_id', 'desc')
    .limit(page.limit)
    .execute()
}

/** How many organizations the account owns, counted up to a bound. */
export async function countOwned(
  database: Kysely<Tables>,
  accountId: string,
  max: number,
): Promise<number> {
  const rows = await database
    .selectFrom('memberships')
    .select('organization_id')
    .where('account_id', '=', accountId)
    .where('role', '=', 'owner')
    .where('state', '=', 'active')
    .limit(max)
    .execute()
  return rows.length
}

import { sql, type Kysely, type Transaction } from 'kysely'
import { uuidV7 } from '../../lib/uuid.ts'
import type { BillingState, LimitOverrides } from '../../tenancy/identity.ts'
import type { Retention } from '../../tenancy/retention.ts'
import { lockAccount } from './accounts.ts'
import { ChangeRefused, explainConstraints, type Changed } from './changes.ts'
import { isUuid, type Page } from '../postgres/page.ts'
import type { OrganizationRow, Tables } from '../postgres/tables.ts'
import { withinTransaction } from '../postgres/within-transaction.ts'
import { raiseVersions } from './versions.ts'

/** Every organization starts with one project, so that its first key needs no further step. */
const FIRST_PROJECT = 'default'

export type NewOrganization = {
  readonly slug: string
  readonly name: string
  readonly plan: string
  readonly retention: Exclude<Retention, 'contributor'>
  readonly ownerAccountId: string | null
}

export async function createOrganization(
  database: Kysely<Tables>,
  organization: NewOrganization,
): Promise<OrganizationRow> {
  return explainConstraints(() =>
    withinTransaction(database, async (transaction) => {
      const { ownerAccountId } = organization
      if (ownerAccountId !== null) await lockAccount(transaction, ownerAccountId, 'share')
      const row = await transaction
        .insertInto('organizations')
        .values({
          id: uuidV7(),
          slug: organization.slug,
          name: organization.name,
          plan: organization.plan,
          retention: organization.retention,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      await transaction
        .insertInto('projects')
        .values({ id: uuidV7(), organization_id: row.id, name: FIRST_PROJECT })
        .execute()
      if (ownerAccountId !== null) {
        await transaction
          .insertInto('memberships')
          .values({ organization_id: row.id, account_id: ownerAccountId, role: 'owner' })
          .execute()
      }
      return row
    }),
  )
}

export async function listOrganizations(
  database: Kysely<Tables>,
  page: Page,
): Promise<OrganizationRow[]> {
  return database
    .selectFrom('organizations')
    .selectAll()
    .where('deleted_at', 'is', null)
    .$if(page.after !== undefined, (query) => query.where('id', '>', page.after ?? ''))
    .orderBy('id')
    .limit(page.limit)
    .execute()
}

/** By id or slug. One that was deleted is found by its id: the ledger still names it. */
export async function findOrganization(
  database: Kysely<Tables>,
  reference: string,
): Promise<OrganizationRow> {
  const row = await database
    .selectFrom('organizations')
    .selectAll()
    .where(isUuid(reference) ? 'id' : 'slug', '=', reference)
    .executeTakeFirst()
  if (row === undefined) {
    throw new ChangeRefused(`organization ${JSON.stringify(reference)} not found`, {
      kind: 'not_found',
    })
  }
  return row
}

/**
 * Serializes changes to one organization: whoever must read before they write takes it first, or
 * right after the lock of an account. One that was deleted is not changed any more.
 */
export async function lockOrganization(
  transaction: Transaction<Tables>,
  organizationId: string,
): Promise<OrganizationRow> {
  const row = await transaction
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (row === undefined) throw new ChangeRefused('organization not found', { kind: 'not_found' })
  return row
}

export type OrganizationChanges = {
  readonly name?: string
  readonly plan?: string
  readonly billingState?: BillingState
  readonly retention?: Retention
  readonly terms?: { readonly version: string; readonly acceptedByAccountId: string }
  readonly limits?: Partial<LimitOverrides>
  /** Suspends it for a reason; null lets it go on. */
  readonly suspendedReason?: string | null
  /** In micro-units; null removes it. */
  readonly creditLimit?: number | null
}

export async function changeOrganization(
  database: Kysely<Tables>,
  organizationId: string,
  changes: OrganizationChanges,
): Promise<Changed<OrganizationRow>> {
  return explainConstraints(() =>
    withinTransaction(database, async (transaction) => {
      const raised = await raiseVersions(transaction, [organizationId])
      const value = await transaction
        .updateTable('organizations')
        // Setting the version to itself keeps the statement valid when nothing else is set.
        .set((expression) => ({ version: expression.ref('version'), ...columnsOf(changes) }))
        .where('id', '=', organizationId)
        .returningAll()
        .executeTakeFirstOrThrow()
      return { value, raised }
    }),
  )
}

function columnsOf(changes: OrganizationChanges) {
  const { limits, terms } = changes
  return {
    ...(changes.name !== undefined && { name: changes.name }),
    ...(changes.plan !== undefined && { plan: changes.plan }),
    ...(changes.billingState !== undefined && { billing_state: changes.billingState }),
    ...(changes.suspendedReason !== undefined && suspensionOf(changes.suspendedReason)),
    ...(changes.creditLimit !== undefined && { credit_limit: changes.creditLimit }),
    ...(changes.retention !== undefined && { retention: changes.retention }),
    // Consent ends with the retention it was given for, and must be given again.
    ...(changes.retention !== undefined &&
      changes.retention !== 'contributor' && {
        contributor_terms_version: null,
        contributor_terms_accepted_at: null,
        contributor_terms_accepted_by: null,
      }),
    ...(terms !== undefined && {
      contributor_terms_version: terms.version,
      contributor_terms_accepted_at: sql<Date>`now()`,
      contributor_terms_accepted_by: terms.acceptedByAccountId,
    }),
    ...(limits?.requestsPerMinute !== undefined && {
      requests_per_minute: limits.requestsPerMinute,
    }),
    ...(limits?.requestsPerDay !== undefined && { requests_per_day: limits.requestsPerDay }),
    ...(limits?.tokensPerMinute !== undefined && { tokens_per_minute: limits.tokensPerMinute }),
    ...(limits?.tokensPerDay !== undefined && { tokens_per_day: limits.tokensPerDay }),
  }
}

/** Another reason does not change since when it is. */
function suspensionOf(reason: string | null) {
  return {
    suspended_reason: reason,
    suspended_at: reason === null ? null : sql<Date>`coalesce(suspended_at, now())`,
  }
}

/** By id. Ids of no organization are left out. */
export async function namesOfOrganizations(
  database: Kysely<Tables>,
  ids: readonly string[],
): Promise<Record<string, string>> {
  if (ids.length === 0) return {}
  const rows = await database
    .selectFrom('organizations')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .execute()
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]))
}

import { sql, type Kysely, type Transaction } from 'kysely'
import { knownLanguage, type Language } from '../../contract/language.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import type { AccountState } from '../../tenancy/identity.ts'
import type { PlatformRole } from '../../tenancy/role.ts'
import { ChangeRefused, explainConstraints, type Changed } from './changes.ts'
import { isUuid, type Page } from '../postgres/page.ts'
import type { AccountRow, Tables } from '../postgres/tables.ts'
import { withinTransaction } from '../postgres/within-transaction.ts'
import { raiseVersions } from './versions.ts'
import { normalEmail } from '../../tenancy/email.ts'

export type NewAccount = {
  readonly email: string
  readonly state: AccountState
  readonly registered: boolean
  /** Whether an invitation let the person in, and not an operator or an open sign-up. */
  readonly byInvitation?: boolean
}

export async function createAccount(
  database: Kysely<Tables>,
  account: NewAccount,
): Promise<AccountRow> {
  return explainConstraints(() =>
    database
      .insertInto('accounts')
      .values({
        id: uuidV7(),
        email: account.email,
        state: account.state,
        registered_at: account.registered ? new Date() : null,
        by_invitation: account.byInvitation ?? false,
      })
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
}

export async function listAccounts(
  database: Kysely<Tables>,
  page: Page,
  state?: AccountState,
): Promise<AccountRow[]> {
  return database
    .selectFrom('accounts')
    .selectAll()
    .where('deleted_at', 'is', null)
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'waiting'))
    .$if(page.after !== undefined, (query) => query.where('id', '>', page.after ?? ''))
    .orderBy('id')
    .limit(page.limit)
    .execute()
}

/** By id or email address. An account that was deleted is not found. */
export async function findAccount(
  database: Kysely<Tables>,
  reference: string,
): Promise<AccountRow> {
  const row = await database
    .selectFrom('accounts')
    .selectAll()
    .where('deleted_at', 'is', null)
    .$if(isUuid(reference), (query) => query.where('id', '=', reference))
    .$if(!isUuid(reference), (query) => query.where(sql`lower(email)`, '=', normalEmail(reference)))
    .executeTakeFirst()
  if (row === undefined)
    throw new ChangeRefused(`account ${JSON.stringify(reference)} not found`, { kind: 'not_found' })
  return row
}

/** The language that the account with this address has chosen. */
export async function findLanguage(
  database: Kysely<Tables>,
  email: string,
): Promise<Language | null> {
  const row = await database
    .selectFrom('accounts')
    .select('language')
    .where('deleted_at', 'is', null)
    .where(sql`lower(email)`, '=', normalEmail(email))
    .executeTakeFirst()
  // A release with fewer languages may run on the same database.
  return knownLanguage(row?.language)
}

export type AccountChanges = {
  readonly state?: AccountState
  readonly registered?: boolean
  readonly platformRole?: PlatformRole | null
}

/**
 * Raises the version of every organization the account was ever a member of, because it may have
 * keys in any of them.
 */
export async function changeAccount(
  database: Kysely<Tables>,
  accountId: string,
  changes: AccountChanges,
): Promise<Changed<AccountRow>> {
  return withinTransaction(database, async (transaction) => {
    await lockAccount(transaction, accountId, 'update')
    const memberships = await transaction
      .selectFrom('memberships')
      .select('organization_id')
      .where('account_id', '=', accountId)
      .execute()
    const raised = await raiseVersions(
      transaction,
      memberships.map((membership) => membership.organization_id),
    )
    const value = await transaction
      .updateTable('accounts')
      .set({
        ...(changes.state !== undefined && { state: changes.state }),
        ...(changes.platformRole !== undefined && { platform_role: changes.platformRole }),
        ...(changes.registered !== undefined && {
          // Keeps the first time: registering again does not change it.
          registered_at: changes.registered ? sql<Date>`coalesce(registered_at, now())` : null,
        }),
      })
      .where('id', '=', accountId)
      .returningAll()
      .executeTakeFirstOrThrow()
    return { value, raised }
  })
}

/**
 * Taken before any organization's lock. A new membership takes it shared, so that a change of the
 * account cannot miss an organization it is just joining. Neither this lock nor that of an
 * organization blocks rows that refer to them: whoever writes such a row may hold other locks.
 */
export async function lockAccount(
  transaction: Transaction<Tables>,
  accountId: string,
  strength: 'share' | 'update',
): Promise<void> {
  const query = transaction
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('deleted_at', 'is', null)
  const locked = await (
    strength === 'update' ? query.forNoKeyUpdate() : query.forShare()
  ).executeTakeFirst()
  // Somebody may have deleted it after it was found.
  if (locked === undefined) throw new ChangeRefused('account not found', { kind: 'not_found' })
}

/** Whether somebody else is an operator. All operators must be locked. */
export async function hasAnotherOperator(
  transaction: Transaction<Tables>,
  accountId: string,
): Promise<boolean> {
  const other = await transaction
    .selectFrom('accounts')
    .select('id')
    .where('platform_role', '=', 'operator')
    .where('state', '=', 'active')
    .where('id', '<>', accountId)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

/** Operators who can sign in, those who came first. */
export async function listOperatorEmails(
  database: Kysely<Tables>,
  limit: number,
): Promise<string[]> {
  const operators = await database
    .selectFrom('accounts')
    .select('email')
    .where('platform_role', '=', 'operator')
    .where('state', '=', 'active')
    .orderBy('created_at')
    .limit(limit)
    .execute()
  return operators.map(({ email }) => email)
}

/** Locks an account and all operators for a change, in the order of their ids. */
export async function lockOperatorsAnd(
  transaction: Transaction<Tables>,
  accountId: string,
): Promise<void> {
  await transaction
    .selectFrom('accounts')
    .select('id')
    .where((where) =>
      where.or([where('platform_role', '=', 'operator'), where('id', '=', accountId)]),
    )
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

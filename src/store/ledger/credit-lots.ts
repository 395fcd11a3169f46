import { sql, type Kysely, type Transaction } from 'kysely'
import { uuidV7 } from '../../lib/uuid.ts'
import { settleLots, sumOf, takeExpired, type Lot } from '../../tenancy/money/credit-lots.ts'
import type { Tables } from '../postgres/tables.ts'
import type { RaisedVersion } from '../tenants/versions.ts'

/** An hour after its end a lot is taken back: that long usage still counts against it. */
const IS_OVER = sql<boolean>`lot.expires_at <= now() - interval '1 hour'`

/** Lots of an organization at once: each is read when its balance is lowered. */
export const LOTS_MAX = 100

export type CreditLot = Lot & {
  /** That of its transfer. */
  readonly id: string
  readonly amount: number
  readonly grantedAt: Date
  readonly expiresAt: Date
  readonly isOver: boolean
}

export type Credits = {
  /** Of which something remains, in the order in which usage takes from them. */
  readonly lots: readonly CreditLot[]
  /** What of the balance does not expire; below 0 if that much was used too much. */
  readonly rest: number
  readonly spent: number
}

type LotRow = { [Name in keyof CreditLot]: CreditLot[Name] | null } & {
  readonly spent: number
  readonly balance: number
}

/** The lots of an organization as they are by now. Changes nothing. */
export async function readCredits(
  database: Kysely<Tables> | Transaction<Tables>,
  organizationId: string,
): Promise<Credits> {
  const { rows } = await sql<LotRow>`
    select lot.id, lot.amount, lot.remaining, lot.attributed, lot.expires_at as "expiresAt",
      lot.created_at as "grantedAt", ${IS_OVER} as "isOver",
      coalesce(used.debits - used.credits, 0) as spent,
      coalesce(funds.credits - funds.debits, 0) - coalesce(used.debits - used.credits, 0) as balance
    from (select ${organizationId}::text as id) as organization
    left join ledger_accounts as funds on funds.id = 'funds:' || organization.id
    left join ledger_accounts as used on used.id = 'usage:' || organization.id
    left join credit_lots as lot
      on lot.organization_id = organization.id::uuid and remaining > 0
    order by lot.expires_at, lot.id`.execute(database)
  const posted = rows[0]!
  const found = rows.filter((row): row is CreditLot & typeof posted => row.id !== null)
  const lots = settleLots(found, posted)
  const { spent, balance } = posted
  return { lots: lots.filter(isOpen), rest: balance - sumOf(lots), spent }
}

function isOpen({ remaining }: CreditLot): boolean {
  return remaining > 0
}

/**
 * Takes from the lots what was used since they were last settled, and what the rest of the balance
 * does not have. Whoever calls it has locked the organization.
 */
export async function settleCredits(
  transaction: Transaction<Tables>,
  organizationId: string,
): Promise<Credits> {
  const credits = await readCredits(transaction, organizationId)
  const { lots, spent } = credits
  await sql`
    update credit_lots set attributed = ${spent}, remaining = coalesce((
      select given.remaining from unnest(${lots.map(({ id }) => id)}::uuid[],
        ${lots.map(({ remaining }) => remaining)}::bigint[]) as given (id, remaining)
      where given.id = credit_lots.id), 0)
    where organization_id = ${organizationId} and remaining > 0`.execute(transaction)
  return credits
}

/** The organization has settled lots, and the transfer was made since. */
export async function addLot(
  transaction: Transaction<Tables>,
  organizationId: string,
  lot: Pick<CreditLot, 'id' | 'amount' | 'expiresAt' | 'attributed'>,
): Promise<void> {
  await sql`
    insert into credit_lots (id, organization_id, amount, remaining, attributed, expires_at)
    values (${lot.id}, ${organizationId}, ${lot.amount}, ${lot.amount}, ${lot.attributed},
      ${lot.expiresAt})`.execute(transaction)
  // It pays first what was used too much.
  await settleCredits(transaction, organizationId)
}

/** When what a transfer gave expires; null for never. */
export async function readExpiry(
  transaction: Transaction<Tables>,
  transferId: string,
): Promise<Date | null> {
  const { rows } = await sql<{ at: Date }>`
    select expires_at as at from credit_lots where id = ${transferId}`.execute(transaction)
  return rows[0]?.at ?? null
}

/** Owners are told so long before. */
const TOLD_DAYS = 7

/** A page of organizations by id with lots that are over, or whose end nobody was told of. */
export async function listExpiring(
  database: Kysely<Tables>,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct organization_id as id from credit_lots as lot
    where remaining > 0 and organization_id > ${after}
      and (${IS_OVER} or told_at is null
        and expires_at between now() and now() + ${TOLD_DAYS} * interval '1 day')
    order by 1 limit ${limit}`.execute(database)
  return rows.map(({ id }) => id)
}

/**
 * Lots of which something remains and whose end is near: each is returned once. Whoever calls it
 * has locked the organization and tells its owners in the same transaction.
 */
export async function noteTold(
  transaction: Transaction<Tables>,
  organizationId: string,
): Promise<Pick<CreditLot, 'id' | 'remaining' | 'expiresAt'>[]> {
  const { lots } = await readCredits(transaction, organizationId)
  const { rows } = await sql<{ id: string }>`
    update credit_lots set told_at = now()
    where organization_id = ${organizationId} and remaining > 0 and told_at is null
      and expires_at between now() and now() + ${TOLD_DAYS} * interval '1 day'
    returning id`.execute(transaction)
  const told = new Set(rows.map(({ id }) => id))
  return lots.filter(({ id }) => told.has(id))
}

/** What Valkey knows: running requests hold it, or all that was spent, posted or not. */
type Held = { readonly reserved: number; readonly spent: number }

/**
 * Takes back what is left of the lots of an organization that are over, each to where it came from.
 * What requests may still cost is left for the next time, so that no balance falls below 0. Two
 * workers do it one after the other, and the second one finds nothing left.
 */
export async function expireCredits(
  transaction: Transaction<Tables>,
  organizationId: string,
  readHeld: () => Promise<Held>,
): Promise<RaisedVersion[]> {
  await sql`select from organizations where id = ${organizationId} for no key update`.execute(
    transaction,
  )
  const { rows: over } = await sql`
    select from credit_lots as lot
    where organization_id = ${organizationId} and remaining > 0 and ${IS_OVER} limit 1
    `.execute(transaction)
  if (over.length === 0) return []
  const { lots, spent } = await settleCredits(transaction, organizationId)
  // Read last, so that it has all that was posted.
  const held = await readHeld()
  const pending = Math.max(0, held.spent - spent) + held.reserved
  const raised: RaisedVersion[] = []
  for (const [at, taken] of takeExpired(lots, pending).entries()) {
    if (taken === 0) continue
    const { rows } = await sql<{ version: number }>`
      select expire_credit(${lots[at]!.id}, ${taken}, ${uuidV7()}, ${uuidV7()}) as version
      `.execute(transaction)
    raised.push({ organizationId, version: rows[0]!.version })
  }
  // Only the last one is announced.
  return raised.slice(-1)
}

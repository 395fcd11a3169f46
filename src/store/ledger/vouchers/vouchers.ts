import { sql, type Kysely, type Transaction } from 'kysely'
import { uuidV7 } from '../../../lib/uuid.ts'
import { isUuid, type Page } from '../../postgres/page.ts'
import type { Tables, VoucherRow } from '../../postgres/tables.ts'
import { ChangeRefused } from '../../tenants/changes.ts'

/** Why a voucher cannot be redeemed any more; `open` if it can. */
export type VoucherState = 'open' | 'used_up' | 'expired' | 'revoked'

/** A voucher without its hash, and the name of whoever made it. */
export type Voucher = Omit<VoucherRow, 'code_hash' | 'made_by' | 'made_by_name'> & {
  readonly maker: string
  readonly state: VoucherState
}

export type NewVoucher = Pick<
  VoucherRow,
  'amount' | 'organizations_max' | 'expires_at' | 'credit_days' | 'note'
> & {
  readonly hash: Buffer
  /** An account that made it, or the name of what did. */
  readonly maker: { readonly accountId: string } | { readonly name: string }
}

/** Returns the ids in the same order, in which the vouchers are listed too, from the last one. */
export async function insertVouchers(
  transaction: Transaction<Tables>,
  vouchers: readonly NewVoucher[],
): Promise<string[]> {
  const ids = vouchers.map(() => uuidV7()).toSorted()
  const rows = vouchers.map(({ hash, maker, ...kind }, at) => ({
    ...kind,
    id: ids[at]!,
    code_hash: hash,
    made_by: 'accountId' in maker ? maker.accountId : null,
    made_by_name: 'name' in maker ? maker.name : null,
  }))
  await transaction.insertInto('vouchers').values(rows).execute()
  return ids
}

/** Newest first. */
export async function listVouchers(database: Kysely<Tables>, page: Page): Promise<Voucher[]> {
  return selectVouchers(database)
    .$if(page.after !== undefined, (query) => query.where('vouchers.id', '<', page.after ?? ''))
    .orderBy('vouchers.id', 'desc')
    .limit(page.limit)
    .execute()
}

export async function findVouchers(
  database: Kysely<Tables>,
  ids: readonly string[],
): Promise<Voucher[]> {
  return selectVouchers(database)
    .where('vouchers.id', 'in', [...ids])
    .orderBy('vouchers.id')
    .execute()
}

function selectVouchers(database: Kysely<Tables>) {
  return database
    .selectFrom('vouchers')
    .leftJoin('accounts', 'accounts.id', 'vouchers.made_by')
    .select(['vouchers.id', 'amount', 'organizations_max', 'redeemed', 'vouchers.expires_at'])
    .select(['credit_days', 'note', 'made_at', 'vouchers.revoked_at'])
    .select(sql<string>`coalesce(accounts.email, made_by_name)`.as('maker'))
    .select(
      sql<VoucherState>`case when revoked_at is not null then 'revoked'
        when redeemed >= organizations_max then 'used_up'
        when expires_at <= now() then 'expired' else 'open' end`.as('state'),
    )
}

/** What was redeemed stays with whoever has it. */
export async function revokeVoucher(
  transaction: Transaction<Tables>,
  id: string,
): Promise<{ readonly voucher: Voucher; readonly repeated: boolean }> {
  if (!isUuid(id)) throw notFound()
  const revoked = await transaction
    .updateTable('vouchers')
    .set({ revoked_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  const [voucher] = await findVouchers(transaction, [id])
  if (voucher === undefined) throw notFound()
  return { voucher, repeated: revoked === undefined }
}

function notFound(): ChangeRefused {
  return new ChangeRefused('voucher not found', { kind: 'not_found' })
}

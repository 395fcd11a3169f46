import { sql, type Transaction } from 'kysely'
import type { Tables, VoucherRow } from '../../postgres/tables.ts'
import type { RaisedVersion } from '../../tenants/versions.ts'
import { readExpiry } from '../credit-lots.ts'
import { moveFunds } from '../double-entry.ts'

export type Redeeming = {
  readonly hash: Buffer
  readonly organizationId: string
  readonly accountId: string
  /** The name of the account in the history of the balance. */
  readonly madeBy: string
}

export type Redemption = {
  readonly voucherId: string
  readonly transferId: string
  readonly amount: number
  /** When what is left of the credit is taken back; null for never. */
  readonly creditExpiresAt: Date | null
  readonly redeemedAt: Date
  /** The organization had redeemed it before, and nothing was added now. */
  readonly repeated: boolean
  readonly raised: readonly RaisedVersion[]
}

/**
 * Adds the amount of a voucher to the balance, once for each organization. Undefined if there is no
 * such voucher, or if it was revoked, has expired or is used up: nobody learns which. The
 * organization must be locked, so that it is not here twice at the same time.
 */
export async function redeemVoucher(
  transaction: Transaction<Tables>,
  redeeming: Redeeming,
): Promise<Redemption | undefined> {
  const known = await findRedemption(transaction, redeeming)
  if (known !== undefined) return known
  // Locks the voucher: whoever waits for it counts again.
  const voucher = await transaction
    .updateTable('vouchers')
    .set({ redeemed: sql<number>`redeemed + 1` })
    .where('code_hash', '=', redeeming.hash)
    .where('revoked_at', 'is', null)
    .where(sql<boolean>`coalesce(expires_at > now(), true)`)
    .whereRef('redeemed', '<', 'organizations_max')
    .returning(['id', 'amount', 'credit_days'])
    .executeTakeFirst()
  return voucher && creditRedemption(transaction, redeeming, voucher)
}

async function creditRedemption(
  transaction: Transaction<Tables>,
  { organizationId, accountId, madeBy }: Redeeming,
  { id, amount, credit_days: days }: Pick<VoucherRow, 'id' | 'amount' | 'credit_days'>,
): Promise<Redemption> {
  const { rows } = await sql<{ expiresAt: Date | null }>`
    select now() + ${days}::integer * interval '24 hours' as "expiresAt"`.execute(transaction)
  const creditExpiresAt = rows[0]!.expiresAt
  const { value, raised } = await moveFunds(transaction, {
    organizationId,
    amount,
    kind: 'voucher',
    reference: `voucher:${id}:${organizationId}`,
    madeBy,
    reason: 'redeemed',
    expiresAt: creditExpiresAt ?? undefined,
  })
  const transferId = value.transfer.id
  const { redeemed_at: redeemedAt } = await transaction
    .insertInto('voucher_redemptions')
    .values({
      voucher_id: id,
      organization_id: organizationId,
      transfer_id: transferId,
      redeemed_by: accountId,
    })
    .returning('redeemed_at')
    .executeTakeFirstOrThrow()
  const redeemed = { voucherId: id, transferId, amount, creditExpiresAt, redeemedAt }
  return { ...redeemed, repeated: false, raised }
}

async function findRedemption(
  transaction: Transaction<Tables>,
  { hash, organizationId }: Redeeming,
): Promise<Redemption | undefined> {
  const found = await transaction
    .selectFrom('voucher_redemptions')
    .innerJoin('vouchers', 'vouchers.id', 'voucher_redemptions.voucher_id')
    .select(['voucher_id as voucherId', 'transfer_id as transferId', 'amount'])
    .select('redeemed_at as redeemedAt')
    .where('code_hash', '=', hash)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  if (found === undefined) return undefined
  const creditExpiresAt = await readExpiry(transaction, found.transferId)
  return { ...found, creditExpiresAt, repeated: true, raised: [] }
}

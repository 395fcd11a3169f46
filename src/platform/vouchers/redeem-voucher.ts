import { ApiError } from '../../contract/error.ts'
import type { RedeemedVoucher, VoucherCode } from '../../contract/payments/voucher.ts'
import {
  redeemVoucher as redeem,
  type Redemption,
} from '../../store/ledger/vouchers/redeem-voucher.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { hashVoucherCode } from '../../tenancy/money/voucher-code.ts'
import { personOf } from '../sign-in/accounts/person-of.ts'
import { checkNotSuspended } from '../use-case/check-not-suspended.ts'
import { defineChange, defineFlow } from '../use-case/use-case.ts'
import { viewMoney } from '../use-case/view-money.ts'
import { countTry } from './count-try.ts'

/**
 * Adds the amount of a voucher to the balance of an organization, once. Whoever repeats it learns
 * that it was done; for all others a code that cannot be redeemed is the same as none.
 */
export const redeemVoucher = defineFlow(
  { action: 'voucher.enter', permission: 'payments:write' },
  async ({ environment, access }, { code }: VoucherCode): Promise<RedeemedVoucher> => {
    const { actor, organization } = access
    const hash = hashVoucherCode(code)
    // No guess, so it does not count.
    if (hash === undefined) throw invalidVoucher()
    const tried = await countTry(environment, [personOf(access).account.id, organization.id])
    try {
      const input = { organization: organization.id, hash }
      const redemption = await recordRedemption(environment, actor, input)
      await tried.undo()
      return viewRedemption(redemption, environment.settings.currency)
    } catch (error) {
      if (!isInvalidVoucher(error)) await tried.undo()
      throw error
    }
  },
)

const recordRedemption = defineChange(
  { action: 'voucher.redeem', permission: 'payments:write' },
  async ({ environment, transaction, access }, { hash }: { readonly hash: Buffer }) => {
    const { account } = personOf(access)
    const organization = await lockOrganization(transaction, access.organization.id)
    checkNotSuspended(organization)
    const organizationId = organization.id
    const accountId = account.id
    const redemption = await redeem(transaction, {
      hash,
      organizationId,
      accountId,
      madeBy: account.email,
    })
    if (redemption === undefined) throw invalidVoucher()
    const { voucherId, amount, creditExpiresAt, repeated, raised } = redemption
    return {
      value: redemption,
      target: { kind: 'voucher', id: voucherId },
      changes: {
        amount: [null, viewMoney(amount, environment.settings.currency)],
        ...(creditExpiresAt !== null && { expires_at: [null, creditExpiresAt.toISOString()] }),
      },
      unchanged: repeated,
      raised,
    }
  },
)

function viewRedemption(redemption: Redemption, currency: string): RedeemedVoucher {
  const { amount, creditExpiresAt, redeemedAt, repeated, transferId } = redemption
  return {
    amount: viewMoney(amount, currency),
    credit_expires_at: creditExpiresAt?.toISOString() ?? null,
    redeemed_at: redeemedAt.toISOString(),
    repeated,
    transfer_id: transferId,
  }
}

/** The same words for codes that never existed and for those that were used up or have ended. */
function invalidVoucher(): ApiError {
  return new ApiError(
    'invalid_voucher',
    'This code cannot be redeemed. It may be mistyped, used up, expired or revoked.',
    { param: 'code' },
  )
}

function isInvalidVoucher(error: unknown): boolean {
  return error instanceof ApiError && error.kind === 'invalid_voucher'
}

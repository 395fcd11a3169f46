import { revokeVoucher as revoke } from '../../../store/ledger/vouchers/vouchers.ts'
import { defineChange } from '../../use-case/use-case.ts'

/** Nobody redeems it any more. Whoever has redeemed it keeps the money. */
export const revokeVoucher = defineChange(
  { action: 'voucher.revoke', permission: 'platform:write', confirmed: true },
  async ({ transaction }, { voucher: id }: { readonly voucher: string }) => {
    const { voucher, repeated } = await revoke(transaction, id)
    return {
      value: undefined,
      target: { kind: 'voucher', id: voucher.id },
      changes: {
        revoked_at: [null, voucher.revoked_at?.toISOString() ?? null],
        redeemed: [null, voucher.redeemed],
      },
      unchanged: repeated,
    }
  },
)

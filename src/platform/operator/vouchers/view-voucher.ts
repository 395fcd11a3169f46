import type { Voucher } from '../../../contract/payments/voucher.ts'
import type { Voucher as StoredVoucher } from '../../../store/ledger/vouchers/vouchers.ts'
import { viewMoney } from '../../use-case/view-money.ts'

export function viewVoucher(voucher: StoredVoucher, currency: string): Voucher {
  return {
    id: voucher.id,
    state: voucher.state,
    amount: viewMoney(voucher.amount, currency),
    organizations_max: voucher.organizations_max,
    redeemed: voucher.redeemed,
    expires_at: voucher.expires_at?.toISOString() ?? null,
    credit_days: voucher.credit_days,
    note: voucher.note,
    made_by: voucher.maker,
    made_at: voucher.made_at.toISOString(),
    revoked_at: voucher.revoked_at?.toISOString() ?? null,
  }
}

import { ApiError } from '../../../contract/error.ts'
import type {
  CreatedVoucher,
  CreatedVouchers,
  NewVouchers,
} from '../../../contract/payments/voucher.ts'
import { GRANTED_MAX } from '../../../store/ledger/double-entry.ts'
import { findVouchers, insertVouchers } from '../../../store/ledger/vouchers/vouchers.ts'
import type { Actor } from '../../../tenancy/actor.ts'
import { formatAmount } from '../../../tenancy/money/amount.ts'
import { createVoucherCode } from '../../../tenancy/money/voucher-code.ts'
import { readMoney } from '../../use-case/read-money.ts'
import { readFutureTime } from '../../use-case/times.ts'
import { defineChange, labelOf } from '../../use-case/use-case.ts'
import { viewMoney } from '../../use-case/view-money.ts'
import { viewVoucher } from './view-voucher.ts'

/** Makes codes of one kind. Each is valid until it is used up, expires or is revoked. */
export const createVouchers = defineChange(
  { action: 'voucher.create', permission: 'platform:write', confirmed: true },
  async ({ environment, transaction, access }, input: NewVouchers) => {
    const { currency } = environment.settings
    const kind = readKind(input, currency)
    const maker = makerOf(access.actor)
    const made = Array.from({ length: input.count ?? 1 }, () => createVoucherCode())
    const news = made.map(({ hash }) => ({ ...kind, hash, maker }))
    const ids = await insertVouchers(transaction, news)
    const stored = new Map((await findVouchers(transaction, ids)).map((each) => [each.id, each]))
    const data = ids.map((id, at): CreatedVoucher => {
      return { code: made[at]!.code, ...viewVoucher(stored.get(id)!, currency) }
    })
    const several = ids.length > 1
    const label = several ? `${ids.length} vouchers` : null
    return {
      value: { data } satisfies CreatedVouchers,
      target: { kind: 'voucher', id: ids[0]!, label },
      changes: {
        amount: [null, viewMoney(kind.amount, currency)],
        organizations_max: [null, kind.organizations_max],
        ...(kind.expires_at !== null && { expires_at: [null, kind.expires_at.toISOString()] }),
        ...(kind.credit_days !== null && { credit_days: [null, kind.credit_days] }),
        ...(kind.note !== null && { note: [null, kind.note] }),
        ...(several && { vouchers: [null, ids] }),
      },
    }
  },
)

function readKind(input: NewVouchers, currency: string) {
  const { organizations_max = 1, expires_at, credit_days = null, note = null } = input
  if (note !== null && /\p{Cc}/u.test(note))
    throw new ApiError('invalid_value', "'note' must have no control characters.", {
      param: 'note',
    })
  return {
    amount: readAmount(input, currency),
    organizations_max,
    expires_at: expires_at === undefined ? null : readFutureTime(expires_at, 'expires_at'),
    credit_days,
    note,
  }
}

function readAmount({ amount: given }: NewVouchers, currency: string): number {
  const amount = readMoney(given, currency, 'amount')
  if (amount > 0 && amount <= GRANTED_MAX) return amount
  const message = `'amount.amount' must be more than 0 and at most ${formatAmount(GRANTED_MAX)}.`
  throw new ApiError('invalid_value', message, { param: 'amount.amount' })
}

function makerOf(actor: Actor): { readonly accountId: string } | { readonly name: string } {
  return actor.kind === 'person' ? { accountId: actor.account.id } : { name: labelOf(actor).label }
}

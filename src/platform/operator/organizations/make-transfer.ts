import { ApiError } from '../../../contract/error.ts'
import type {
  MadeTransfer,
  NewTransfer,
} from '../../../contract/management/operator-organization.ts'
import { parseAmount } from '../../../tenancy/money/amount.ts'
import { adjustFunds, grantFunds } from '../../billing/change-funds.ts'
import { viewTransfer } from '../../billing/list-transfers.ts'
import { checkText } from '../../use-case/check-text.ts'
import { readFutureTime } from '../../use-case/times.ts'
import { defineFlow } from '../../use-case/use-case.ts'
import { viewBalance } from './show-organization.ts'

type TransferInput = NewTransfer & { readonly organization: string }

/** Grants money to an organization or corrects its balance: the use cases of `headrace balance`. */
export const makeTransfer = defineFlow(
  { action: 'balance.transfer', permission: 'platform:write', confirmed: true },
  async ({ environment, access }, input: TransferInput): Promise<MadeTransfer> => {
    const { kind, organization, reason, reference } = input
    const { currency } = environment.settings
    const amount = readAmount(input, currency)
    for (const param of ['reason', 'reference'] as const) checkText(input[param], param)
    const change = kind === 'grant' ? grantFunds : adjustFunds
    const expiresAt = readExpiry(input)
    const facts = { organization, amount, reason, reference, expiresAt }
    const { transfer, repeated, ...balance } = await change(environment, access.actor, facts)
    return {
      transfer: viewTransfer(transfer, currency),
      repeated,
      balance: viewBalance(balance, currency),
    }
  },
)

function readAmount({ kind, amount: given }: NewTransfer, currency: string): number {
  const amount = parseAmount(given.amount)
  const wrong = (must: string, param = 'amount.amount') =>
    new ApiError('invalid_value', `'${param}' must be ${must}.`, { param })
  if (amount === undefined || amount === 0) throw wrong('an amount such as 12.50, and not 0')
  if (amount < 0 && kind === 'grant') throw wrong('positive: use an adjustment to deduct')
  if (given.currency !== undefined && given.currency !== currency)
    throw wrong(currency, 'amount.currency')
  return amount
}

function readExpiry({ kind, expires_at: text }: NewTransfer): Date | undefined {
  const param = 'expires_at'
  if (text === undefined) return undefined
  if (kind === 'grant') return readFutureTime(text, param)
  throw new ApiError('invalid_value', `'${param}' must be that of a grant.`, { param })
}

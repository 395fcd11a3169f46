import { ApiError } from '../../contract/error.ts'
import type { NewMoney } from '../../contract/management/schemas.ts'
import { parseAmount } from '../../tenancy/money/amount.ts'

/** Micro-units of an amount that must not be negative. */
export function readMoney(money: NewMoney, currency: string, param: string): number {
  const micro = parseAmount(money.amount)
  if (micro === undefined || micro < 0)
    throw new ApiError('invalid_value', `'${param}.amount' must be an amount such as 12.50.`, {
      param: `${param}.amount`,
    })
  if (money.currency !== undefined && money.currency !== currency)
    throw new ApiError('invalid_value', `'${param}.currency' must be ${currency}.`, {
      param: `${param}.currency`,
    })
  return micro
}

import type { Money } from '../../contract/management/schemas.ts'
import { formatAmount } from '../../tenancy/money/amount.ts'

/** An amount of micro-units as the management API shows it. */
export function viewMoney(micro: number, currency: string): Money {
  return { amount: formatAmount(micro), amount_micro: micro, currency }
}

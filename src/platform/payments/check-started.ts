import { ApiError } from '../../contract/error.ts'
import type { StartedPayments } from '../../store/payments/count-payments.ts'
import { formatAmount } from '../../tenancy/money/amount.ts'

// Whoever has stolen cards tries them where it is cheap, so these bounds are lower than anybody
// needs who pays for what they use.
const OPEN_MAX = 3
const A_DAY_MAX = 10
const BY_ACCOUNT_AN_HOUR_MAX = 5
/** In micro-units, until the organization has paid once. */
const FIRST_DAY_AMOUNT_MAX = 100_000_000

/** Refuses one payment more than an organization or an account may start. */
export function checkStarted(started: StartedPayments, amount: number, currency: string): void {
  if (started.open >= OPEN_MAX)
    throw new ApiError(
      'conflict',
      `${OPEN_MAX} payments are open already. Pay or cancel one of them first.`,
    )
  if (started.today >= A_DAY_MAX)
    throw tooMany(`An organization can start ${A_DAY_MAX} payments a day.`)
  if (started.byAccount >= BY_ACCOUNT_AN_HOUR_MAX)
    throw tooMany(`You can start ${BY_ACCOUNT_AN_HOUR_MAX} payments an hour.`)
  if (!started.hasPaid && started.amountToday + amount > FIRST_DAY_AMOUNT_MAX)
    throw tooMany(
      `Until its first payment succeeds, an organization can start payments of ` +
        `${formatAmount(FIRST_DAY_AMOUNT_MAX)} ${currency} a day.`,
    )
}

function tooMany(message: string): ApiError {
  return new ApiError('too_many_attempts', message, { headers: { 'retry-after': '3600' } })
}

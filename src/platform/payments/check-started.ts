import { ApiError } from '../../contract/error.ts'
import type { StartedPayments } from '../../store/payments/count-payments.ts'
import { formatAmount } from '../../tenancy/money/amount.ts'
import type { Settings } from '../use-case/environment.ts'
import { settingsOf } from './settings-of.ts'

// Whoever has stolen cards tries them where it is cheap, so these bounds are lower than anybody
// needs who pays for what they use.
const OPEN_MAX = 3
const A_DAY_MAX = 10
const BY_ACCOUNT_AN_HOUR_MAX = 5
/** Smallest payments that an organization may start a day, until it has paid once. */
const FIRST_DAY_PAYMENTS = 20
const MICRO = 1_000_000

/** Refuses one payment more than an organization or an account may start. */
export function checkStarted(
  started: StartedPayments,
  amount: number,
  { currency, payments }: Settings,
): void {
  if (started.open >= OPEN_MAX)
    throw new ApiError(
      'conflict',
      `${OPEN_MAX} payments are open already. Pay or cancel one of them first.`,
    )
  if (started.today >= A_DAY_MAX)
    throw tooMany(`An organization can start ${A_DAY_MAX} payments a day.`)
  if (started.byAccount >= BY_ACCOUNT_AN_HOUR_MAX)
    throw tooMany(`You can start ${BY_ACCOUNT_AN_HOUR_MAX} payments an hour.`)
  const firstDayMax = FIRST_DAY_PAYMENTS * settingsOf({ payments }).top_up_min * MICRO
  if (!started.hasPaid && started.amountToday + amount > firstDayMax)
    throw tooMany(
      `Until its first payment succeeds, an organization can start payments of ` +
        `${formatAmount(firstDayMax)} ${currency} a day.`,
    )
}

function tooMany(message: string): ApiError {
  return new ApiError('too_many_attempts', message, { headers: { 'retry-after': '3600' } })
}

import type { Transaction } from 'kysely'
import { ApiError } from '../../../contract/error.ts'
import type { NewRefund, Refund } from '../../../contract/payments/operator-payment.ts'
import { uuidV7 } from '../../../lib/uuid.ts'
import { lockPayment } from '../../../store/payments/payments.ts'
import { orderReading } from '../../../store/payments/provider-readings.ts'
import { changeRefund, findRefund, insertRefund } from '../../../store/payments/refunds.ts'
import { sumReturned } from '../../../store/payments/returned-money.ts'
import type { PaymentRow, RefundRow } from '../../../store/postgres/payment-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import { formatAmount } from '../../../tenancy/money/amount.ts'
import { minorUnit } from '../../../tenancy/money/minor-units.ts'
import type { Environment } from '../../use-case/environment.ts'
import { readMoney } from '../../use-case/read-money.ts'
import { defineChange, defineFlow, labelOf } from '../../use-case/use-case.ts'
import { viewMoney } from '../../use-case/view-money.ts'
import { findAnyPayment } from '../find-own.ts'
import { pauseAfterRefund } from '../top-up/pause-after-refund.ts'
import { FIRST_READING_SECONDS } from './ask-for-refund.ts'
import { moveMoney } from './move-money.ts'
import { readReturned } from './read-due.ts'
import { viewRefund } from './view-returned.ts'

type Input = NewRefund & { readonly payment: string }

/**
 * Refunds a part of a payment, or all of it. The money is held and the row is committed before the
 * provider is asked: whatever happens to this process, the row says what to ask for.
 */
export const requestRefund = defineFlow(
  { action: 'refund.open', permission: 'platform:write', confirmed: true },
  async ({ environment, access }, input: Input): Promise<Refund> => {
    const { id } = await recordRefund(environment, access.actor, input)
    const row = await carryOutRefund(environment, id)
    return viewRefund(row, environment.settings.currency)
  },
)

const recordRefund = defineChange(
  { action: 'refund.request', permission: 'platform:write', confirmed: true },
  async ({ environment, transaction, access }, { payment: id, amount, reason }: Input) => {
    const { currency } = environment.settings
    const payment = await lockPayment(transaction, await findAnyPayment(transaction, id))
    const micro = readMoney(amount, currency, 'amount')
    await checkRefundable(transaction, payment, micro)
    const by = labelOf(access.actor).label
    const { refund, raised } = await holdRefund(transaction, payment, { amount: micro, by, reason })
    return {
      value: refund,
      target: { kind: 'refund', id: refund.id },
      changes: {
        payment: [null, payment.id],
        amount: [null, viewMoney(micro, currency)],
        reason: [null, reason],
      },
      organizationId: payment.organization_id,
      raised,
    }
  },
)

/** Asks the provider now. Without an answer it is asked again until there is one. */
export async function carryOutRefund(environment: Environment, id: string): Promise<RefundRow> {
  const { database } = environment
  await readReturned(environment, 'request', id)
  const asked = await findRefund(database, id)
  if (asked !== undefined && asked.ref !== null)
    await readReturned(environment, 'refund', asked.ref)
  return (await findRefund(database, id))!
}

type Wanted = { readonly amount: number; readonly by: string; readonly reason: string }

/** Writes the row, its hold and the order to ask for it, in the transaction of whoever decides. */
export async function holdRefund(
  transaction: Transaction<Tables>,
  payment: PaymentRow,
  { amount, by, reason }: Wanted,
) {
  const row = await insertRefund(transaction, {
    id: uuidV7(),
    payment_id: payment.id,
    organization_id: payment.organization_id,
    amount,
    requested_by: by,
    reason,
    note: payment.invoice_ref === null ? null : 'owed',
  })
  const way = ['funds', 'refunds_pending'] as const
  const moved = await moveMoney(transaction, payment, { about: 'refund', ...row }, way)
  const { tax, moves, raised } = moved
  const refund = await changeRefund(transaction, row.id, { tax, moves })
  await orderReading(transaction, 'request', row.id, FIRST_READING_SECONDS)
  await pauseAfterRefund(transaction, payment)
  return { refund, raised }
}

/** At most what was paid and has not gone back. The balance may become negative. */
async function checkRefundable(
  transaction: Transaction<Tables>,
  { id, state, amount: net, tax, currency, money_ref: moneyRef }: PaymentRow,
  wanted: number,
): Promise<void> {
  if (state !== 'succeeded' || moneyRef === null)
    throw new ApiError('conflict', `A payment that is ${state} cannot be refunded.`)
  const returned = await sumReturned(transaction, id)
  const left = Math.max(0, net + (tax ?? 0) - returned.amount)
  if (wanted > 0 && wanted <= left && wanted % (minorUnit(currency) ?? 1) === 0) return
  const most = `${formatAmount(left)} ${currency}`
  const message = `'amount.amount' must be more than 0 and at most ${most}, in whole minor units.`
  throw new ApiError('invalid_value', message, { param: 'amount.amount' })
}

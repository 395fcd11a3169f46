import { findPayment, lockPayment } from '../../../store/payments/payments.ts'
import { orderReading } from '../../../store/payments/provider-readings.ts'
import {
  attemptFor,
  changeRefund,
  findRefund,
  spendKey,
  storeRefundRef,
} from '../../../store/payments/refunds.ts'
import { noteRaised } from '../../../store/people/announcements.ts'
import type { PaymentRow, RefundRow } from '../../../store/postgres/payment-tables.ts'
import type { Environment } from '../../use-case/environment.ts'
import { viewMoney } from '../../use-case/view-money.ts'
import { providerOf } from '../provider-of.ts'
import { placeOfRefund } from './judge-refund.ts'
import { lookAndAsk } from './look-and-ask.ts'
import { moveMoney } from './move-money.ts'
import { noteAsSystem } from './note-as-system.ts'
import { writeCreditNote } from './write-credit-note.ts'

/** Whoever asked reads it at once, and others if they could not. */
export const FIRST_READING_SECONDS = 5

/**
 * Asks the provider for a refund whose row is committed, and for its credit note. It may be
 * repeated until both are there: requests are made from the row, so that each is made once.
 */
export async function askForRefund(environment: Environment, id: string): Promise<void> {
  const { database } = environment
  const refund = await findRefund(database, id)
  const payment = refund && (await findPayment(database, refund.payment_id))
  if (refund === undefined || payment === undefined) return
  if (refund.state === 'requested' && refund.ref === null)
    await askForMoney(environment, payment, refund)
  await writeCreditNote(environment, payment, (await findRefund(database, id)) ?? refund)
}

async function askForMoney(
  environment: Environment,
  payment: PaymentRow,
  refund: RefundRow,
): Promise<void> {
  const { database } = environment
  const { id, amount, created_at: createdAt } = refund
  const { money_ref: moneyRef, currency } = payment
  if (moneyRef === null) return
  const { provider } = await providerOf(environment)
  const asked = await lookAndAsk({
    attempt: await attemptFor(database, refund),
    find: async () => provider.findRefund({ id, moneyRef, createdAt }),
    make: async (attempt) => provider.refund({ id, attempt, moneyRef, currency, amount }),
    spendKey: async () => spendKey(database, id),
  })
  if ('refused' in asked) return giveBack(environment, payment, refund, asked.refused)
  await database.transaction().execute(async (transaction) => {
    await storeRefundRef(transaction, id, asked.ref)
    await orderReading(transaction, 'refund', asked.ref, FIRST_READING_SECONDS)
  })
}

/** Nothing was done there, so the money returns to where it came from. */
async function giveBack(
  environment: Environment,
  payment: PaymentRow,
  { id }: RefundRow,
  failure: string,
): Promise<void> {
  const raised = await environment.database.transaction().execute(async (transaction) => {
    await lockPayment(transaction, payment)
    const refund = await findRefund(transaction, id)
    if (refund?.state !== 'requested' || refund.ref !== null) return []
    const way = [placeOfRefund('requested'), placeOfRefund('failed')] as const
    const moved = await moveMoney(transaction, payment, { about: 'refund', ...refund }, way)
    await changeRefund(transaction, id, { state: 'failed', moves: moved.moves, failure })
    await noteAsSystem(transaction, payment, {
      action: 'refund.settle',
      target: { kind: 'refund', id },
      changes: {
        state: ['requested', 'failed'],
        amount: [null, viewMoney(refund.amount, payment.currency)],
        failure: [null, failure],
      },
    })
    await noteRaised(transaction, moved.raised)
    return moved.raised
  })
  // It only adds to a balance: if it fails here, the worker announces it.
  await environment.announce(raised).catch(() => {})
}

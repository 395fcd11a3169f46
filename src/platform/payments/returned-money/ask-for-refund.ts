import { ProviderError, type ProviderFailure } from '../../../payments/provider-error.ts'
import type { NewRefund, PaymentProvider } from '../../../payments/provider.ts'
import { attemptOf } from '../../../store/payments/key-attempts.ts'
import { findPayment, lockPayment } from '../../../store/payments/payments.ts'
import { orderReading } from '../../../store/payments/provider-readings.ts'
import { changeRefund, findRefund, storeRefundRef } from '../../../store/payments/refunds.ts'
import { noteRaised } from '../../../store/people/announcements.ts'
import type { PaymentRow, RefundRow } from '../../../store/postgres/payment-tables.ts'
import type { Environment } from '../../use-case/environment.ts'
import { viewMoney } from '../../use-case/view-money.ts'
import { providerOf } from '../provider-of.ts'
import { placeOfRefund } from './judge-refund.ts'
import { moveMoney } from './move-money.ts'
import { noteAsSystem } from './note-as-system.ts'

/** Whoever asked reads it at once, and others if they could not. */
export const FIRST_READING_SECONDS = 5

/** Failures after which it makes no sense to repeat the request. */
const REFUSALS: ReadonlySet<ProviderFailure> = new Set([
  'refused',
  'declined',
  'not_found',
  'key_changed',
])

/**
 * Asks the provider for a refund whose row is committed. It may be repeated: the request is made
 * from the row, so that the provider makes one refund.
 */
export async function askForRefund(environment: Environment, id: string): Promise<void> {
  const { database } = environment
  const refund = await findRefund(database, id)
  const payment = refund && (await findPayment(database, refund.payment_id))
  if (refund === undefined || payment === undefined || payment.money_ref === null) return
  if (refund.state !== 'requested' || refund.ref !== null) return
  const { provider } = await providerOf(environment)
  const asked = await ask(provider, refund.created_at, {
    id,
    attempt: await attemptOf(database, refund.created_at),
    moneyRef: payment.money_ref,
    invoiceRef: payment.invoice_ref,
    currency: payment.currency,
    amount: refund.amount,
  })
  if ('refused' in asked) return giveBack(environment, payment, refund, asked.refused)
  await storeRefundRef(database, id, asked.ref)
  await orderReading(database, 'refund', asked.ref, FIRST_READING_SECONDS)
}

type Asked = { readonly ref: string } | { readonly refused: string }

async function ask(provider: PaymentProvider, createdAt: Date, wanted: NewRefund): Promise<Asked> {
  const find = async () =>
    provider.findRefund({ ...wanted, createdAt }).catch((error: unknown) => {
      // Of money that it does not know there is no refund.
      if (error instanceof ProviderError && error.failure === 'not_found') return null
      throw error
    })
  // Whoever asked before may have got no answer, and the provider may have forgotten the key.
  const made = await find()
  if (made !== null) return { ref: made }
  try {
    return await provider.refund(wanted)
  } catch (error) {
    if (!(error instanceof ProviderError) || !REFUSALS.has(error.failure)) throw error
    // Of its steps the document may have been refused, after the money was on its way.
    const ref = await find()
    return ref === null ? { refused: error.code ?? error.failure } : { ref }
  }
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

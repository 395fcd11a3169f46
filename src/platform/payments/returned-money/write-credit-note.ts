import { attemptFor, noteWritten, spendKey } from '../../../store/payments/refunds.ts'
import type { PaymentRow, RefundRow } from '../../../store/postgres/payment-tables.ts'
import type { Environment } from '../../use-case/environment.ts'
import { providerOf } from '../provider-of.ts'
import { lookAndAsk } from './look-and-ask.ts'

/**
 * Lets the provider write the credit note of a refund, so that tax documents stay right. It is
 * owed from the transaction that holds the money until the provider has answered.
 */
export async function writeCreditNote(
  environment: Environment,
  { invoice_ref: invoiceRef, currency }: PaymentRow,
  refund: RefundRow,
): Promise<void> {
  const { id, ref: refundRef, state, amount, note } = refund
  // Without the refund there is nothing to note, and what has failed leaves the invoice as it is.
  if (note !== 'owed' || invoiceRef === null || refundRef === null || state === 'failed') return
  const { database, log } = environment
  const { provider } = await providerOf(environment)
  const named = { refundId: id, refundRef, invoiceRef }
  const asked = await lookAndAsk({
    attempt: await attemptFor(database, refund),
    find: async () => provider.findCreditNote(named),
    make: async (attempt) => provider.writeCreditNote({ ...named, attempt, currency, amount }),
    spendKey: async () => spendKey(database, id),
  })
  await noteWritten(database, id, asked)
  if ('refused' in asked) log.warn({ reason: asked.refused }, 'credit note refused')
}

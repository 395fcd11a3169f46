import { ProviderError } from '../../../payments/provider-error.ts'
import type { CardPayment } from '../../../payments/provider.ts'
import type { ClaimedPayment } from '../../../store/payments/payment-queue.ts'
import { changePayment, lockPayment } from '../../../store/payments/payments.ts'
import { forgetCustomer } from '../../../store/payments/provider-customers.ts'
import { writeAuditEvent } from '../../../store/people/audit-events.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import type { Environment } from '../../use-case/environment.ts'
import { viewMoney } from '../../use-case/view-money.ts'
import { OPEN_MS_MAX, PROVIDER_FAILED } from '../judge-payment.ts'
import { isCustomerGone } from '../customer/as-customer.ts'
import type { KnownProvider } from '../provider-of.ts'
import { settingsOf } from '../settings-of.ts'
import { PAYMENTS } from '../system-actor.ts'

const DESCRIPTION = 'Credit, added automatically'

/**
 * Failures that a repetition does not mend: the card is gone, the request is wrong, or the provider
 * gives the same failure of its own for a day.
 */
const FINAL: readonly string[] = [
  'refused',
  'not_found',
  'customer_gone',
  'key_changed',
  'key_spent',
]

/** Whether the invoice of a charge may be written: not after the provider forgot the keys. */
export function isToBeWritten({ kind, ref, cancel, created_at }: PaymentRow, now: Date): boolean {
  const isYoung = now.getTime() - created_at.getTime() < OPEN_MS_MAX
  return kind === 'automatic' && ref === null && !cancel && isYoung
}

/**
 * Writes the invoice of a charge and stores its reference. Money moves only after that, so that
 * whatever happens to this process, the row leads to the invoice. Null if there will be none.
 */
export async function writeInvoice(
  environment: Environment,
  { provider }: Pick<KnownProvider, 'provider'>,
  claimed: ClaimedPayment,
  customer: string,
): Promise<string | null> {
  const { database, settings } = environment
  const payment = cardPaymentOf(claimed, customer, settingsOf(settings).tax === 'provider')
  const lines = [{ description: DESCRIPTION, amount: claimed.amount }]
  const ref = await provider.writeInvoice(payment, lines).catch(async (error: unknown) => {
    if (!isFinal(error)) throw error
    // Its card is gone with it.
    if (isCustomerGone(error)) await forgetCustomer(database, claimed.organization_id, customer)
    await giveUp(environment, claimed, error)
    return null
  })
  if (ref === null) return null
  const stored = await database.transaction().execute(async (transaction) => {
    const row = await lockPayment(transaction, claimed)
    if (row.state !== 'created' || row.ref !== null || row.cancel) return row.ref
    await changePayment(transaction, row.id, { ref, state: 'open' })
    await writeAuditEvent(transaction, {
      organizationId: row.organization_id,
      actor: PAYMENTS,
      action: 'top_up.start',
      target: { kind: 'payment', id: row.id, label: null },
      changes: { amount: [null, viewMoney(row.amount, row.currency)] },
      requestId: null,
    })
    return ref
  })
  // A process that was stopped for long comes back with an invoice that nobody asks for any more.
  if (stored !== ref) await provider.cancel(ref)
  return stored
}

/** Charges the saved card. Who asks reads afterwards what became of it. */
export async function payInvoice(
  environment: Environment,
  { provider }: Pick<KnownProvider, 'provider'>,
  claimed: ClaimedPayment,
  { customer, ref }: { readonly customer: string; readonly ref: string },
): Promise<void> {
  const payment = cardPaymentOf(claimed, customer, false)
  await provider.payInvoice(payment, ref).catch(async (error: unknown) => {
    if (!isFinal(error)) throw error
    await giveUp(environment, claimed, error)
  })
}

function cardPaymentOf(row: ClaimedPayment, customer: string, tax: boolean): CardPayment {
  return {
    id: row.id,
    organizationId: row.organization_id,
    customer,
    currency: row.currency,
    attempt: 1,
    tax,
    card: row.card_ref ?? '',
  }
}

function isFinal(error: unknown): error is ProviderError {
  return error instanceof ProviderError && FINAL.includes(error.failure)
}

/** Its invoice, if there is one, is read and ended next, unless it was paid all the same. */
async function giveUp(
  { database }: Environment,
  { id }: ClaimedPayment,
  { failure, code }: ProviderError,
): Promise<void> {
  const why = failure === 'key_spent' ? PROVIDER_FAILED : (code ?? failure)
  await changePayment(database, id, { failure: why, cancel: true })
}

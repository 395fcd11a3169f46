import { toMinor } from '../../tenancy/money/minor-units.ts'
import { ProviderError } from '../provider-error.ts'
import type { CardPayment, Line } from '../provider.ts'
import { Created, Done, InvoiceWithIntents } from './answers.ts'
import { nameIntents } from './name-intents.ts'
import { metadataOf } from './our-metadata.ts'
import type { Send } from './requests/send-request.ts'

/**
 * Invoice, its lines, the final invoice, and our ids on its intent. Stripe does nothing with it by
 * itself (`auto_advance`). Whoever takes over repeats all: what would do harm has a key.
 */
export async function writeInvoice(
  send: Send,
  payment: CardPayment,
  lines: readonly Line[],
): Promise<string> {
  const { id, attempt, customer, card } = payment
  const currency = payment.currency.toLowerCase()
  const net = lines.reduce((sum, line) => sum + line.amount, 0)
  const metadata = metadataOf(payment, { kind: 'card', net, saveCard: false })
  const { body: invoice } = await send({
    method: 'POST',
    path: '/v1/invoices',
    idempotencyKey: `${id}-invoice-${attempt}`,
    form: {
      customer,
      currency,
      auto_advance: false,
      collection_method: 'charge_automatically',
      pending_invoice_items_behavior: 'exclude',
      automatic_tax: { enabled: payment.tax },
      default_payment_method: card,
      metadata,
    },
    answer: Created,
  })
  for (const [index, { description, amount }] of lines.entries()) {
    await send({
      method: 'POST',
      path: '/v1/invoiceitems',
      idempotencyKey: `${id}-item-${attempt}-${index + 1}`,
      form: {
        customer,
        currency,
        invoice: invoice.id,
        amount: toMinor(payment.currency, amount),
        description,
        tax_behavior: payment.tax ? 'exclusive' : undefined,
        metadata,
      },
      answer: Created,
    })
  }
  const { body: finalized } = await send({
    method: 'POST',
    path: `/v1/invoices/${invoice.id}/finalize`,
    idempotencyKey: `${id}-finalize-${attempt}`,
    form: { auto_advance: false, expand: ['payments'] },
    answer: InvoiceWithIntents,
  })
  await nameIntents(send, finalized)
  return invoice.id
}

export async function payInvoice(
  send: Send,
  { id, attempt, card }: CardPayment,
  ref: string,
): Promise<void> {
  await send({
    method: 'POST',
    path: `/v1/invoices/${encodeURIComponent(ref)}/pay`,
    idempotencyKey: `${id}-pay-${attempt}`,
    form: { off_session: true, payment_method: card },
    answer: Done,
  }).catch(acceptDecline)
}

/** The invoice says why, when it is read. */
function acceptDecline(error: unknown): void {
  if (!(error instanceof ProviderError) || error.failure !== 'declined') throw error
}

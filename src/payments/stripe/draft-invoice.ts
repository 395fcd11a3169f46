import { fromMinor, toMinor } from '../../tenancy/money/minor-units.ts'
import { ProviderError } from '../provider-error.ts'
import type { NewInvoice } from '../new-invoice.ts'
import type { Line } from '../provider.ts'
import { Created, Customer, Done, InvoiceWithIntents } from './answers.ts'
import { nameIntents } from './name-intents.ts'
import { metadataOf } from './our-metadata.ts'
import type { Send } from './requests/send-request.ts'

/**
 * Writes an invoice that its customer is asked to pay, with its lines. Stripe neither sends nor
 * charges it by itself (`auto_advance`). Each step has a key, so whoever takes over repeats all.
 */
export async function draftInvoice(
  send: Send,
  invoice: NewInvoice,
  lines: readonly Line[],
): Promise<string> {
  const { id, attempt, customer, description } = invoice
  await setEmail(send, invoice)
  const currency = invoice.currency.toLowerCase()
  const net = lines.reduce((sum, { amount }) => sum + toMinor(invoice.currency, amount), 0)
  const metadata = metadataOf(invoice, {
    kind: 'invoice',
    net: fromMinor(invoice.currency, net),
    saveCard: false,
  })
  const { body: draft } = await send({
    method: 'POST',
    path: '/v1/invoices',
    idempotencyKey: `${id}-invoice-${attempt}`,
    form: {
      customer,
      currency,
      auto_advance: false,
      collection_method: 'send_invoice',
      days_until_due: invoice.daysUntilDue,
      pending_invoice_items_behavior: 'exclude',
      automatic_tax: { enabled: invoice.tax },
      description,
      metadata,
    },
    answer: Created,
  })
  for (const [index, line] of lines.entries()) {
    await send({
      method: 'POST',
      path: '/v1/invoiceitems',
      idempotencyKey: `${id}-item-${attempt}-${index + 1}`,
      form: {
        customer,
        currency,
        invoice: draft.id,
        amount: toMinor(invoice.currency, line.amount),
        description: line.description,
        tax_behavior: invoice.tax ? 'exclusive' : undefined,
        metadata,
      },
      answer: Created,
    })
  }
  return draft.id
}

/** Stripe refuses such an invoice for a customer without an address. One that is there stays. */
async function setEmail(send: Send, { customer, email }: NewInvoice): Promise<void> {
  const path = `/v1/customers/${encodeURIComponent(customer)}`
  const { body: known } = await send({ method: 'GET', path, answer: Customer })
  if (known.deleted === true) throw new ProviderError('customer_gone', `${customer} was deleted`)
  const isMissing = known.email === undefined || known.email === null || known.email === ''
  if (isMissing && email !== null)
    await send({ method: 'POST', path, form: { email }, answer: Done })
}

/** Without a key: a saved answer would hide what became of the invoice since. */
export async function finalizeInvoice(send: Send, ref: string): Promise<void> {
  const path = `/v1/invoices/${encodeURIComponent(ref)}`
  const expand = ['payments']
  const { body: invoice } = await send({
    method: 'POST',
    path: `${path}/finalize`,
    form: { auto_advance: false, expand },
    answer: InvoiceWithIntents,
  }).catch(async (error: unknown) => {
    if (!isRefusal(error)) throw error
    // Somebody else has finalized it. If nobody has, the refusal has a reason to be mended.
    const read = await send({ method: 'GET', path, form: { expand }, answer: InvoiceWithIntents })
    if (read.body.status === 'draft') throw error
    return read
  })
  await nameIntents(send, invoice)
}

/** It may be paid or over by now: what it is, `read` tells. */
export async function settleInvoice(
  send: Send,
  ref: string,
  how: 'paid' | 'written_off',
): Promise<void> {
  const path = `/v1/invoices/${encodeURIComponent(ref)}`
  const request =
    how === 'paid'
      ? { path: `${path}/pay`, form: { paid_out_of_band: true } }
      : { path: `${path}/mark_uncollectible` }
  await send({ method: 'POST', ...request, answer: Done }).catch((error: unknown) => {
    if (!isRefusal(error)) throw error
  })
}

function isRefusal(error: unknown): boolean {
  return error instanceof ProviderError && error.failure === 'refused'
}

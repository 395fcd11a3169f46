import type { StripeObject } from './journal.ts'
import { Refusal, type Books, type Outcome } from './provider-books.ts'
import { metadataOf, paymentsOf } from './provider-checkout.ts'

/** What Stripe's tax would be, of invoices that are sent. */
const TAX_SHARE = 0.19
const DAY_SECONDS = 86_400

export function createInvoice(books: Books, form: URLSearchParams): StripeObject {
  const customer = books.find(form.get('customer'))
  const isSent = form.get('collection_method') === 'send_invoice'
  if (isSent && typeof customer['email'] !== 'string')
    throw new Refusal(400, 'Missing email. The customer must have a valid email.')
  const days = Number(form.get('days_until_due'))
  return books.make('invoice', 'in', {
    status: 'draft',
    customer: form.get('customer'),
    currency: form.get('currency'),
    auto_advance: form.get('auto_advance') === 'true',
    collection_method: form.get('collection_method'),
    description: form.get('description'),
    automatic_tax: { enabled: form.get('automatic_tax[enabled]') === 'true' },
    due_date: isSent ? books.nowSeconds() + days * DAY_SECONDS : null,
    subtotal: 0,
    total: 0,
    total_excluding_tax: 0,
    amount_due: 0,
    amount_paid: 0,
    payments: { object: 'list', data: [], has_more: false },
    default_payment_method: form.get('default_payment_method'),
    metadata: metadataOf(form),
  })
}

export function addItem(books: Books, form: URLSearchParams): StripeObject {
  const invoice = books.find(form.get('invoice'))
  if (invoice['status'] !== 'draft') throw notEditable()
  const amount = Number(form.get('amount'))
  const total = Number(invoice['total']) + amount
  books.change(invoice, { subtotal: total, total, total_excluding_tax: total, amount_due: total })
  const { customer, currency } = invoice
  return books.make('invoiceitem', 'ii', {
    amount,
    customer,
    currency,
    invoice: invoice.id,
    description: form.get('description'),
  })
}

export function finalizeInvoice(books: Books, id: unknown, pageRoot: string): StripeObject {
  const invoice = books.find(id)
  if (invoice['status'] !== 'draft') throw notEditable()
  if (invoice['collection_method'] === 'send_invoice') return sendable(books, invoice, pageRoot)
  const hosted_invoice_url = `https://pay.stripe.example/invoices/${invoice.id}`
  return books.change(invoice, { status: 'open', hosted_invoice_url })
}

/** Its tax is known, its days are counted from now, and it has a page and an intent for it. */
function sendable(books: Books, invoice: StripeObject, pageRoot: string): StripeObject {
  const { currency, customer, metadata, automatic_tax: automatic } = invoice
  const net = Number(invoice['total'])
  const tax = (automatic as { enabled: boolean }).enabled ? Math.round(net * TAX_SHARE) : 0
  const total = net + tax
  const waited = books.nowSeconds() - Number(invoice['created'])
  const status = 'requires_payment_method'
  const owned = { amount: total, currency, customer, metadata, status }
  return books.change(invoice, {
    status: 'open',
    total,
    amount_due: total,
    due_date: Number(invoice['due_date']) + waited,
    hosted_invoice_url: `${pageRoot}/pay/${invoice.id}`,
    payments: paymentsOf(books.make('payment_intent', 'pi', owned)),
  })
}

/** Somebody notes that it was paid elsewhere. The intent of its page is cancelled. */
export function payOutside(books: Books, id: unknown): StripeObject {
  const invoice = payable(books, id)
  const list = invoice['payments'] as { data: { payment: { payment_intent: string } }[] }
  for (const { payment } of list.data)
    books.change(books.find(payment.payment_intent), { status: 'canceled' })
  const paid = books.change(invoice, { status: 'paid', amount_due: 0 })
  books.emit('invoice.paid', paid)
  return paid
}

function payable(books: Books, id: unknown): StripeObject {
  const invoice = books.find(id)
  if (invoice['status'] === 'paid')
    throw new Refusal(400, 'Invoice is already paid.', 'invoice_already_paid')
  if (invoice['status'] !== 'open' && invoice['status'] !== 'uncollectible')
    throw new Refusal(400, 'Only open invoices can be paid.')
  return invoice
}

export function payInvoice(books: Books, id: unknown, outcome: Outcome): StripeObject {
  const invoice = payable(books, id)
  const { currency, customer, metadata } = invoice
  const amount = Number(invoice['total'])
  const intent = books.pay({ amount, currency, customer, metadata, saveCard: false }, outcome)
  const tried = books.change(invoice, { payments: paymentsOf(intent) })
  if (outcome === 'ok') {
    const paid = books.change(tried, { status: 'paid', amount_paid: amount, amount_due: 0 })
    books.emit('invoice.paid', paid)
    return paid
  }
  const asks = outcome === 'authentication_required'
  books.emit(asks ? 'invoice.payment_action_required' : 'invoice.payment_failed', tried)
  const code = asks ? 'invoice_payment_intent_requires_action' : 'card_declined'
  const decline = asks ? {} : { decline_code: outcome === 'declined' ? 'generic_decline' : outcome }
  throw new Refusal(402, 'Your card was declined.', code, decline)
}

export function voidInvoice(books: Books, id: unknown): StripeObject {
  const invoice = books.find(id)
  if (invoice['status'] !== 'open' && invoice['status'] !== 'uncollectible')
    throw new Refusal(
      400,
      `You can only void open invoices, not ${String(invoice['status'])} ones.`,
    )
  const voided = books.change(invoice, { status: 'void' })
  books.emit('invoice.voided', voided)
  return voided
}

export function writeOffInvoice(books: Books, id: unknown): StripeObject {
  const invoice = books.find(id)
  if (invoice['status'] !== 'open')
    throw new Refusal(400, 'Only open invoices can be marked uncollectible.')
  const written = books.change(invoice, { status: 'uncollectible' })
  books.emit('invoice.marked_uncollectible', written)
  return written
}

export function deleteInvoice(books: Books, id: unknown): object {
  const invoice = books.find(id)
  if (invoice['status'] !== 'draft') throw notEditable()
  books.journal.note({ remove: invoice.id })
  return { id: invoice.id, object: 'invoice', deleted: true }
}

/** A refund that a credit note takes up must be its amount. */
export function createCreditNote(books: Books, form: URLSearchParams): StripeObject {
  const invoice = books.find(form.get('invoice'))
  const amount = Number(form.get('amount'))
  const refund = books.find(form.get('refunds[0][refund]'))
  if (refund['amount'] !== amount || Number(form.get('refunds[0][amount_refunded]')) !== amount)
    throw new Refusal(400, 'The sum of refunds must equal the amount of the credit note.')
  const { customer, currency } = invoice
  const refunds = [{ amount_refunded: amount, refund: refund.id }]
  const named = { invoice: invoice.id, customer, currency, refunds }
  const fields = { ...named, amount, metadata: metadataOf(form) }
  return books.make('credit_note', 'cn', { ...fields, status: 'issued' })
}

function notEditable(): Refusal {
  return new Refusal(400, 'This invoice is no longer editable.', 'invoice_not_editable')
}

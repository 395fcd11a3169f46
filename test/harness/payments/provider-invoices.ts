import type { StripeObject } from './journal.ts'
import { Refusal, type Books, type Outcome } from './provider-books.ts'
import { metadataOf, paymentsOf } from './provider-checkout.ts'

/** What Stripe's tax would be, of invoices that are sent. */
const TAX_SHARE = 0.19
const DAY_SECONDS = 86_400
/** The least that a card is charged. */
const CHARGE_MIN = 50

export function createInvoice(books: Books, form: URLSearchParams): StripeObject {
  const customer = books.findCustomer(form.get('customer'))
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

/** Its tax is known, and an intent stands for what its customer is asked for. */
export function finalizeInvoice(books: Books, id: unknown, pageRoot: string): StripeObject {
  const invoice = books.find(id)
  if (invoice['status'] !== 'draft') throw notEditable()
  const isSent = invoice['collection_method'] === 'send_invoice'
  const asked = applyBalance(books, withTax(books, invoice))
  const waited = books.nowSeconds() - Number(invoice['created'])
  const { currency, customer } = asked
  const amount = Number(asked['amount_due'])
  const money = { amount, currency, customer, metadata: {}, saveCard: false }
  const root = isSent ? `${pageRoot}/pay` : 'https://pay.stripe.example/invoices'
  const open = books.change(asked, {
    status: 'open',
    due_date: isSent ? Number(invoice['due_date']) + waited : null,
    hosted_invoice_url: `${root}/${invoice.id}`,
    ...(amount > 0 && { payments: paymentsOf(books.intend(money)) }),
  })
  if (amount > 0) return open
  const paid = books.change(open, { status: 'paid' })
  books.emit('invoice.paid', paid)
  return paid
}

function withTax(books: Books, invoice: StripeObject): StripeObject {
  const net = Number(invoice['total'])
  const isSent = invoice['collection_method'] === 'send_invoice'
  const automatic = invoice['automatic_tax'] as { enabled: boolean }
  const tax = isSent && automatic.enabled ? Math.round(net * TAX_SHARE) : 0
  return books.change(invoice, { total: net + tax })
}

/**
 * What the customer has or owes changes what it is asked for, and so does the least that a card is
 * charged: such an invoice is paid at once, and the next one asks for its amount.
 */
function applyBalance(books: Books, invoice: StripeObject): StripeObject {
  const customer = books.findCustomer(invoice['customer'])
  const starting = Number(customer['balance'])
  const sum = Number(invoice['total']) + starting
  const due = sum < CHARGE_MIN ? 0 : sum
  books.change(customer, { balance: sum - due })
  return books.change(invoice, {
    starting_balance: starting,
    ending_balance: sum - due,
    amount_due: due,
    amount_remaining: due,
  })
}

/** Somebody notes that it was paid elsewhere. The intent of its page is cancelled. */
export function payOutside(books: Books, id: unknown): StripeObject {
  const invoice = payable(books, id)
  cancelIntent(books, invoice)
  const paid = books.change(invoice, { status: 'paid', amount_remaining: 0 })
  books.emit('invoice.paid', paid)
  return paid
}

function cancelIntent(books: Books, invoice: StripeObject): void {
  books.change(intentOf(books, invoice), { status: 'canceled' })
}

function intentOf(books: Books, invoice: StripeObject): StripeObject {
  const list = invoice['payments'] as { data: { payment: { payment_intent: string } }[] }
  return books.find(list.data[0]?.payment.payment_intent)
}

function payable(books: Books, id: unknown): StripeObject {
  const invoice = books.find(id)
  if (invoice['status'] === 'paid')
    throw new Refusal(400, 'Invoice is already paid.', 'invoice_already_paid')
  if (invoice['status'] !== 'open' && invoice['status'] !== 'uncollectible')
    throw new Refusal(400, 'Only open invoices can be paid.')
  return invoice
}

/** What is taken is what is due, whatever the total is. */
export function payInvoice(books: Books, id: unknown, outcome: Outcome): StripeObject {
  const invoice = payable(books, id)
  const { amount } = books.pay(intentOf(books, invoice), outcome)
  if (outcome === 'ok') {
    const received = { amount_paid: amount, amount_remaining: 0 }
    const paid = books.change(invoice, { status: 'paid', ...received })
    books.emit('invoice.paid', paid)
    return paid
  }
  const asks = outcome === 'authentication_required'
  books.emit(asks ? 'invoice.payment_action_required' : 'invoice.payment_failed', invoice)
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
  cancelIntent(books, invoice)
  const customer = books.find(invoice['customer'])
  const applied = Number(invoice['ending_balance']) - Number(invoice['starting_balance'])
  if (customer['deleted'] !== true)
    books.change(customer, { balance: Number(customer['balance']) - applied })
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

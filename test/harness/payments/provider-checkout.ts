import type { StripeObject } from './journal.ts'
import { Refusal, type Books, type Outcome } from './provider-books.ts'

/** What Stripe's tax would be. It is added on the page, when the address is known. */
const TAX_SHARE = 0.19

export function openSession(books: Books, form: URLSearchParams, pageRoot: string): StripeObject {
  const unit = 'line_items[0][price_data]'
  const amount = Number(form.get(`${unit}[unit_amount]`))
  const expiresAt = Number(form.get('expires_at') ?? books.nowSeconds() + 86_400)
  if (expiresAt < books.nowSeconds() + 1_800 - 60)
    throw new Refusal(400, 'The `expires_at` timestamp must be at least 30 minutes ahead.')
  books.findCustomer(form.get('customer'))
  const session = books.make('checkout.session', 'cs_test', {
    status: 'open',
    payment_status: 'unpaid',
    mode: form.get('mode'),
    currency: form.get(`${unit}[currency]`),
    amount_subtotal: amount,
    amount_total: amount,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    automatic_tax: { enabled: form.get('automatic_tax[enabled]') === 'true' },
    customer: form.get('customer'),
    client_reference_id: form.get('client_reference_id'),
    metadata: metadataOf(form),
    invoice_creation: { enabled: true, invoice_data: {} },
    saved_payment_method_options: {
      payment_method_save:
        form.get('payment_intent_data[setup_future_usage]') === null ? 'disabled' : 'enabled',
    },
    expires_at: expiresAt,
    success_url: form.get('success_url'),
    cancel_url: form.get('cancel_url'),
  })
  return books.change(session, { url: `${pageRoot}/pay/${session.id}` })
}

export function expireSession(books: Books, id: unknown): StripeObject {
  const session = books.find(id)
  if (session['status'] !== 'open') throw new Refusal(400, 'Only open sessions can be expired.')
  const expired = books.change(session, { status: 'expired', url: null })
  books.emit('checkout.session.expired', expired)
  return expired
}

/** The customer presses "Pay" on the page. A second press finds it complete. */
export function completeSession(books: Books, id: unknown, outcome: Outcome): StripeObject {
  const session = books.find(id)
  if (session['status'] !== 'open') return session
  const { customer, currency, metadata } = session
  const net = Number(session['amount_subtotal'])
  const taxed = (session['automatic_tax'] as { enabled: boolean }).enabled
  const tax = taxed ? Math.round(net * TAX_SHARE) : 0
  const options = session['saved_payment_method_options'] as { payment_method_save: string }
  const saveCard = options.payment_method_save === 'enabled'
  const amount = net + tax
  const wanted = books.intend({ amount, currency, customer, metadata, saveCard })
  const intent = books.pay(wanted, outcome)
  if (outcome !== 'ok') return books.change(session, { payment_intent: intent.id })
  const invoice = books.make('invoice', 'in', {
    customer,
    currency,
    metadata,
    status: 'paid',
    auto_advance: false,
    subtotal: net,
    total: amount,
    total_excluding_tax: net,
    amount_due: amount,
    amount_paid: amount,
    hosted_invoice_url: `https://pay.stripe.example/invoices/${intent.id}`,
    payments: paymentsOf(intent),
  })
  const done = books.change(session, {
    status: 'complete',
    payment_status: 'paid',
    payment_intent: intent.id,
    invoice: invoice.id,
    amount_total: amount,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: tax },
    url: null,
  })
  books.emit('checkout.session.completed', done)
  books.emit('invoice.paid', invoice)
  return done
}

export function paymentsOf(intent: StripeObject) {
  const payment = { type: 'payment_intent', payment_intent: intent.id }
  return { object: 'list', data: [{ object: 'invoice_payment', payment }], has_more: false }
}

export function metadataOf(form: URLSearchParams): Record<string, string> {
  const pairs = [...form].flatMap(([name, value]) => {
    const key = /^metadata\[(.+)\]$/.exec(name)?.[1]
    return key === undefined ? [] : [[key, value] as const]
  })
  return Object.fromEntries(pairs)
}

import type { Static } from 'typebox'
import { fromMinor } from '../../tenancy/money/minor-units.ts'
import { ProviderError } from '../provider-error.ts'
import type { CardFacts, PaymentFacts, PaymentState } from '../provider.ts'
import { idOf, InvoiceWithMoney, SessionWithMoney, type Intent } from './answers.ts'
import type { Send } from './requests/send-request.ts'

/** What Stripe says now of a page (`cs_…`) or an invoice (`in_…`). */
export async function readPayment(send: Send, ref: string): Promise<PaymentFacts> {
  return ref.startsWith('in_') ? readInvoice(send, ref) : readSession(send, ref)
}

async function readSession(send: Send, ref: string): Promise<PaymentFacts> {
  const { body: session } = await send({
    method: 'GET',
    path: `/v1/checkout/sessions/${encodeURIComponent(ref)}`,
    form: { expand: ['payment_intent.latest_charge', 'payment_intent.payment_method', 'invoice'] },
    answer: SessionWithMoney,
  })
  const { payment_intent: intent, invoice, amount_subtotal: net, amount_total: total } = session
  if (session.currency === null || net === null || total === null)
    throw new ProviderError('unreadable', `${ref} has no amount`)
  const amount = (minor: number) => toMicro(session.currency, minor)
  return {
    ref,
    state: stateOfSession(session),
    ...ownersOf(session),
    live: session.livemode,
    currency: session.currency.toUpperCase(),
    net: amount(net),
    tax: amount(session.total_details?.amount_tax ?? 0),
    total: amount(total),
    asked: amount(total),
    received: amount(intent?.amount_received ?? 0),
    url: session.url ?? null,
    moneyRef: intent?.id ?? null,
    outside: false,
    dueAt: null,
    invoiceRef: invoice?.id ?? null,
    documentUrl: invoice?.hosted_invoice_url ?? intent?.latest_charge?.receipt_url ?? null,
    savedCard: intent === null ? null : savedCardOf(intent),
    paidAt: timeOf(intent?.latest_charge?.created),
    failure: intent === null ? null : failureOf(intent),
  }
}

function stateOfSession(session: Static<typeof SessionWithMoney>): PaymentState {
  if (session.payment_status !== 'unpaid') return 'paid'
  if (session.status === 'expired') return 'expired'
  return session.status === 'complete' ? 'processing' : 'open'
}

async function readInvoice(send: Send, ref: string): Promise<PaymentFacts> {
  const { body: invoice } = await send({
    method: 'GET',
    path: `/v1/invoices/${encodeURIComponent(ref)}`,
    form: { expand: ['payments.data.payment.payment_intent'] },
    answer: InvoiceWithMoney,
  })
  const intents = invoice.payments.data.map(({ payment }) => payment.payment_intent)
  const paying = intents.find((each) => each?.status === 'succeeded')
  // What was paid in another way leaves the cancelled intent of its page, if it had one.
  const isSettled = invoice.status === 'paid' && paying === undefined
  const intent = isSettled ? undefined : (paying ?? intents[0])
  const net = invoice.total_excluding_tax ?? invoice.total
  const amount = (minor: number) => toMicro(invoice.currency, minor)
  return {
    ref,
    state: stateOfInvoice(invoice.status, intent),
    ...ownersOf(invoice),
    live: invoice.livemode,
    currency: invoice.currency.toUpperCase(),
    net: amount(net),
    tax: amount(invoice.total - net),
    total: amount(invoice.total),
    asked: amount(invoice.amount_due),
    received: amount(paying?.amount_received ?? 0),
    url: invoice.hosted_invoice_url ?? null,
    moneyRef: intent?.id ?? null,
    // Less is due if a balance of the customer has paid a part, or if it is too little to charge.
    outside: isSettled && invoice.amount_due === invoice.total,
    dueAt: timeOf(invoice.due_date),
    invoiceRef: ref,
    documentUrl: invoice.hosted_invoice_url ?? null,
    savedCard: null,
    paidAt: timeOf(invoice.status_transitions?.paid_at),
    failure: intent === undefined ? null : failureOf(intent),
  }
}

function stateOfInvoice(status: string | null, intent: Intent | undefined): PaymentState {
  if (status === 'paid') return 'paid'
  if (status === 'void') return 'expired'
  if (status === 'uncollectible' || status === 'draft') return status
  if (intent === undefined) return 'open'
  // Its money was taken, and the invoice will follow.
  if (intent.status === 'processing' || intent.status === 'succeeded') return 'processing'
  if (intent.status === 'requires_action' || failureOf(intent) === 'authentication_required')
    return 'needs_customer'
  return failureOf(intent) === null ? 'open' : 'declined'
}

function ownersOf({
  customer,
  metadata,
}: Pick<Static<typeof SessionWithMoney>, 'customer' | 'metadata'>) {
  return {
    customer: idOf(customer),
    paymentId: metadata?.['payment_id'] ?? null,
    organizationId: metadata?.['organization_id'] ?? null,
  }
}

function savedCardOf(intent: Intent): CardFacts | null {
  const { setup_future_usage: usage, payment_method: method } = intent
  if (usage !== 'off_session' || typeof method !== 'object' || method?.card === undefined)
    return null
  const { brand, last4, exp_month: expiresMonth, exp_year: expiresYear } = method.card
  return { ref: method.id, brand, lastFour: last4, expiresMonth, expiresYear }
}

function failureOf({ last_payment_error: error }: Intent): string | null {
  return error?.decline_code ?? error?.code ?? null
}

function timeOf(seconds: number | null | undefined): Date | null {
  return typeof seconds === 'number' ? new Date(seconds * 1000) : null
}

/** Stripe writes currencies in lower case. */
export function toMicro(currency: string | null, minor: number): number {
  return fromMinor((currency ?? '').toUpperCase(), minor)
}

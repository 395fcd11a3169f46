import { createHash } from 'node:crypto'
import type { AccountFacts } from '../account-facts.ts'
import { ProviderError } from '../provider-error.ts'
import type { NewCustomer, PaymentProvider } from '../provider.ts'
import { Account, Balance, Created, Portal, TaxSettings } from './answers.ts'
import { cancelPayment } from './cancel-payment.ts'
import { findCreditNote, writeCreditNote } from './credit-notes.ts'
import { payInvoice, writeInvoice } from './write-invoice.ts'
import { dashboardUrl } from './dashboard-url.ts'
import { draftInvoice, finalizeInvoice, settleInvoice } from './draft-invoice.ts'
import { findPayment } from './find-payment.ts'
import { listHints, listMoney } from './list-changes.ts'
import { listPayments, listReturned } from './list-payments.ts'
import { openPage } from './open-page.ts'
import { readDecline } from './read-decline.ts'
import { readDispute } from './read-dispute.ts'
import { PAID_TYPES, readHint } from './read-hint.ts'
import { readPayment } from './read-payment.ts'
import { findRefund, readRefund, refundPayment } from './refund-payment.ts'
import { readWarning } from './read-warning.ts'
import { createSend, type Send, type StripeAccess } from './requests/send-request.ts'

export type StripeSettings = StripeAccess & {
  /** One, or two while they are exchanged. Without a valid one no webhook is accepted. */
  readonly webhookSecrets: readonly string[]
  readonly now?: () => number
}

export function connectStripe(settings: StripeSettings): PaymentProvider {
  const { key, webhookSecrets, now = Date.now } = settings
  const send = createSend(settings)
  return {
    name: 'stripe',
    paidTypes: PAID_TYPES,
    createCustomer: async (organization) => createCustomer(send, organization),
    openPage: async (payment, urls) => openPage(send, payment, urls),
    writeInvoice: async (payment, lines) => writeInvoice(send, payment, lines),
    payInvoice: async (payment, ref) => payInvoice(send, payment, ref),
    draftInvoice: async (invoice, lines) => draftInvoice(send, invoice, lines),
    finalizeInvoice: async (ref) => finalizeInvoice(send, ref),
    settleInvoice: async (ref, how) => settleInvoice(send, ref, how),
    find: async (payment) => findPayment(send, payment),
    read: async (ref) => readPayment(send, ref),
    cancel: async (ref) => cancelPayment(send, ref),
    refund: async (refund) => refundPayment(send, refund),
    findRefund: async (refund) => findRefund(send, refund),
    writeCreditNote: async (note) => writeCreditNote(send, note),
    findCreditNote: async (note) => findCreditNote(send, note),
    readDecline: async (ref) => readDecline(send, ref),
    readWarning: async (ref) => readWarning(send, ref),
    readRefund: async (ref) => readRefund(send, ref),
    readDispute: async (ref) => readDispute(send, ref),
    openPortal: async (customer, returnUrl) => openPortal(send, customer, returnUrl),
    readHint: (raw, headers) => readHint(raw, headers, webhookSecrets, now()),
    listHints: (since) => listHints(send, since),
    listPayments: (since) => listPayments(send, since),
    listReturned: (since) => listReturned(send, since),
    listMoney: (day) => listMoney(send, day),
    dashboardUrl,
    readAccount: async () => readAccount(send, key),
    isTaxActive: async () => isTaxActive(send),
  }
}

/** The name may change between two attempts, and a key belongs to one request for ever. */
async function createCustomer(send: Send, organization: NewCustomer): Promise<string> {
  const { organizationId, name, email, replaces = '' } = organization
  const content = createHash('sha256')
    .update(`${name}\n${email}\n${replaces}`)
    .digest('hex')
    .slice(0, 16)
  const request = {
    method: 'POST',
    path: '/v1/customers',
    form: { name, email: email ?? undefined, metadata: { organization_id: organizationId } },
    answer: Created,
  } as const
  const idempotencyKey = `${organizationId}-customer-${content}`
  const { body } = await send({ ...request, idempotencyKey }).catch(async (error: unknown) => {
    if (!(error instanceof ProviderError) || error.failure !== 'key_spent') throw error
    // One too many does no harm: the first whose id is stored stays.
    return send(request)
  })
  return body.id
}

/** A page too many does no harm: it has no key. */
async function openPortal(send: Send, customer: string, returnUrl: string): Promise<string> {
  const { body } = await send({
    method: 'POST',
    path: '/v1/billing_portal/sessions',
    form: { customer, return_url: returnUrl },
    answer: Portal,
  })
  return body.url
}

async function isTaxActive(send: Send): Promise<boolean> {
  const { body } = await send({ method: 'GET', path: '/v1/tax/settings', answer: TaxSettings })
  return body.status === 'active'
}

async function readAccount(send: Send, key: string): Promise<AccountFacts> {
  const { body: account } = await send({ method: 'GET', path: '/v1/account', answer: Account })
  const askedAt = Date.now()
  const { body: balance, at } = await send({
    method: 'GET',
    path: '/v1/balance',
    answer: Balance,
  })
  const middle = (askedAt + Date.now()) / 2
  return {
    ref: account.id,
    live: balance.livemode,
    restricted: key.startsWith('rk_'),
    chargesEnabled: account.charges_enabled ?? false,
    currency: (account.default_currency ?? '').toUpperCase(),
    clockAheadMs: Math.round(at.getTime() - middle),
  }
}

import type { PaymentFacts } from '../../../src/payments/provider.ts'
import {
  judgePayment,
  type Judgement,
  type KnownPayment,
} from '../../../src/platform/payments/judge-payment.ts'
import type { PaymentState } from '../../../src/contract/payments/payment-states.ts'

/** An invoice at the provider. */
export type Remote = 'draft' | 'gone' | 'open' | 'paid' | 'outside' | 'void' | 'uncollectible'

type KnownInvoice = Pick<KnownPayment, 'cancel' | 'settle'> & {
  readonly row: PaymentState
  readonly issued: boolean
}

/** The function of the service, on the facts of the model. */
export function judgeInvoice(invoice: KnownInvoice, remote: Remote): Judgement {
  const now = new Date(0)
  const owner = { organizationId: 'organization', customer: 'customer', live: false }
  const money = { currency: 'USD', net: 1, tax: 0, total: 1, asked: 1 }
  const state = STATES[remote]
  const facts: PaymentFacts = {
    ref: 'ref',
    state,
    paymentId: 'payment',
    ...owner,
    ...money,
    received: remote === 'paid' ? 1 : 0,
    url: null,
    moneyRef: null,
    outside: remote === 'outside',
    dueAt: now,
    invoiceRef: null,
    paidAt: null,
    documentUrl: null,
    savedCard: null,
    failure: null,
  }
  const { row, cancel, settle, issued } = invoice
  const ours = { id: 'payment', kind: 'invoice', state: row, amount: 1, currency: 'USD' } as const
  const wanted = { cancel, settle, failure: null, totalMax: null, createdAt: now }
  return judgePayment({ ...ours, ...owner, ...wanted, tax: issued ? 0 : null }, facts, now)
}

const STATES: Readonly<Record<Remote, PaymentFacts['state']>> = {
  draft: 'draft',
  gone: 'expired',
  open: 'open',
  paid: 'paid',
  outside: 'paid',
  void: 'expired',
  uncollectible: 'uncollectible',
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAYMENT_STATES } from '../../contract/payments/payment-states.ts'
import type { PaymentFacts } from '../../payments/provider.ts'
import {
  exploreInvoice,
  type InvoiceMistake,
} from '../../../test/harness/payments/explore-invoice.ts'
import { judgePayment, type KnownPayment } from './judge-payment.ts'

const NOW = new Date('2026-11-18T12:00:00Z')

const KNOWN: KnownPayment = {
  id: 'payment',
  kind: 'invoice',
  organizationId: 'organization',
  state: 'open',
  amount: 80_000_000,
  currency: 'USD',
  customer: 'customer',
  live: false,
  cancel: false,
  failure: null,
  totalMax: null,
  createdAt: new Date(NOW.getTime() - 40 * 86_400_000),
  tax: 15_200_000,
  settle: null,
}

const OPEN: PaymentFacts = {
  ref: 'in_1',
  state: 'open',
  paymentId: 'payment',
  organizationId: 'organization',
  customer: 'customer',
  live: false,
  currency: 'USD',
  net: 80_000_000,
  tax: 15_200_000,
  total: 95_200_000,
  asked: 95_200_000,
  received: 95_200_000,
  url: null,
  moneyRef: null,
  outside: false,
  dueAt: NOW,
  invoiceRef: 'in_1',
  documentUrl: null,
  savedCard: null,
  paidAt: null,
  failure: null,
}

function becomes(known: Partial<KnownPayment>, facts: Partial<PaymentFacts>): string {
  const judged = judgePayment({ ...KNOWN, ...known }, { ...OPEN, ...facts }, NOW)
  return judged.kind === 'move' ? judged.to : judged.kind
}

test('each state of an invoice becomes what the table of states says, however old it is', () => {
  const all = [
    'draft',
    'open',
    'processing',
    'declined',
    'uncollectible',
    'expired',
    'paid',
  ] as const
  const table = PAYMENT_STATES.filter((state) => state !== 'needs_customer').map((state) => [
    state,
    ...all.map((facts) => becomes({ state }, { state: facts })),
    becomes({ state, cancel: true }, {}),
  ])
  const over = ['stay', 'stay', 'stay', 'stay', 'stay', 'stay']
  assert.deepEqual(table, [
    //            draft     open    processing    declined  uncollectible  void     paid    unwanted
    [
      'created',
      'finalize',
      'open',
      'processing',
      'open',
      'failed',
      'expired',
      'succeeded',
      'cancel',
    ],
    ['open', 'finalize', 'stay', 'processing', 'stay', 'failed', 'expired', 'succeeded', 'cancel'],
    ['processing', 'finalize', 'open', 'stay', 'open', 'failed', 'expired', 'succeeded', 'cancel'],
    ['succeeded', ...over, 'stay', 'stay'],
    ['failed', ...over, 'succeeded', 'stay'],
    ['expired', ...over, 'succeeded', 'stay'],
    ['attention', ...over, 'stay', 'stay'],
  ])
})

test('the provider learns first what an operator has decided, and what it says then counts', () => {
  assert.equal(becomes({ settle: 'paid' }, {}), 'settle')
  assert.equal(becomes({ settle: 'paid' }, { state: 'uncollectible' }), 'settle')
  assert.equal(becomes({ settle: 'written_off' }, {}), 'settle')
  assert.equal(becomes({ settle: 'written_off' }, { state: 'uncollectible' }), 'failed')
  assert.equal(becomes({ settle: 'written_off' }, { state: 'paid' }), 'succeeded')
  assert.equal(becomes({ settle: 'paid', cancel: true }, {}), 'cancel')
})

test('an invoice that is another one than was asked for waits for an operator', () => {
  for (const facts of [
    { net: 80_010_000, total: 95_210_000 },
    { tax: 15_210_000, total: 95_210_000 },
    { customer: 'other' },
    { currency: 'EUR' },
    { live: true },
    { paymentId: null },
  ]) {
    assert.equal(becomes({}, facts), 'attention', JSON.stringify(facts))
    assert.equal(becomes({}, { ...facts, state: 'paid' }), 'attention', JSON.stringify(facts))
  }
  const taxed = { tax: 1, total: 80_000_001, asked: 80_000_001 }
  assert.equal(becomes({ tax: null, state: 'created' }, taxed), 'open')
})

test('an invoice is paid when its total was received, there or by our bank', () => {
  assert.equal(becomes({}, { asked: 95_200_001 }), 'attention')
  assert.equal(becomes({}, { asked: 0, state: 'draft' }), 'finalize')
  const paid = { state: 'paid', received: 0 } as const
  assert.equal(becomes({}, { ...paid, outside: true }), 'succeeded')
  assert.equal(becomes({}, paid), 'attention')
  assert.equal(becomes({}, { ...paid, received: 95_200_001 }), 'attention')
})

test('in every order of drafts, payments and decisions the debt is in the ledger once', () => {
  const { states, broken, path } = exploreInvoice()
  assert.deepEqual([broken, path], [undefined, []])
  assert.ok(states > 1_000, `${states} states`)
})

const MISTAKES: readonly InvoiceMistake[] = [
  'a hint is believed',
  'the entries are not tied to the state',
  'nobody reads without a hint',
  'it is finalized before its reference is stored',
  'a draft replaces another one',
  'it is void here before it is there',
  'it is paid here before the provider knows',
  'what was written off is over',
  'a loss stays when the money comes',
  'another reference is not noticed',
]

for (const mistake of MISTAKES)
  test(`the search finds a service in which ${mistake}`, () => {
    assert.notEqual(exploreInvoice(mistake).broken, undefined)
  })

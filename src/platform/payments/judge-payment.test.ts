import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PaymentFacts } from '../../payments/provider.ts'
import { PAYMENT_STATES } from '../../contract/payments/payment-states.ts'
import { judgePayment, type KnownPayment } from './judge-payment.ts'
import { explore, type Mistake } from '../../../test/harness/payments/explore-payment.ts'

const NOW = new Date('2026-11-18T12:00:00Z')

const KNOWN: KnownPayment = {
  id: 'payment',
  kind: 'page',
  organizationId: 'organization',
  state: 'open',
  amount: 25_000_000,
  currency: 'USD',
  customer: 'customer',
  live: false,
  cancel: false,
  failure: null,
  totalMax: null,
  createdAt: new Date(NOW.getTime() - 60_000),
  tax: null,
  settle: null,
}

const PAID: PaymentFacts = {
  ref: 'ref',
  state: 'paid',
  paymentId: 'payment',
  organizationId: 'organization',
  customer: 'customer',
  live: false,
  currency: 'USD',
  net: 25_000_000,
  tax: 4_750_000,
  total: 29_750_000,
  asked: 29_750_000,
  received: 29_750_000,
  url: null,
  moneyRef: 'money',
  invoiceRef: null,
  outside: false,
  dueAt: null,
  documentUrl: null,
  savedCard: null,
  paidAt: null,
  failure: null,
}

test('each state of a payment becomes what the table of states says, and nothing else', () => {
  const becomes = (state: KnownPayment['state'], facts: PaymentFacts['state'], cancel = false) => {
    const judged = judgePayment({ ...KNOWN, state, cancel }, { ...PAID, state: facts }, NOW)
    return judged.kind === 'move' ? judged.to : judged.kind
  }
  const table = PAYMENT_STATES.map((state) => [
    state,
    ...(['open', 'processing', 'declined', 'expired', 'paid'] as const).map((facts) =>
      becomes(state, facts),
    ),
    becomes(state, 'open', true),
  ])
  assert.deepEqual(table, [
    //              open    processing    declined  expired    paid         open, unwanted
    ['created', 'open', 'processing', 'open', 'expired', 'succeeded', 'cancel'],
    ['open', 'stay', 'processing', 'stay', 'expired', 'succeeded', 'cancel'],
    ['processing', 'stay', 'stay', 'stay', 'expired', 'succeeded', 'cancel'],
    ['needs_customer', 'stay', 'processing', 'stay', 'expired', 'succeeded', 'cancel'],
    ['succeeded', 'stay', 'stay', 'stay', 'stay', 'stay', 'stay'],
    ['failed', 'stay', 'stay', 'stay', 'stay', 'succeeded', 'stay'],
    ['expired', 'stay', 'stay', 'stay', 'stay', 'succeeded', 'stay'],
    ['attention', 'stay', 'stay', 'stay', 'stay', 'stay', 'stay'],
  ])
})

test('a payment of which one fact differs is not credited, and the differing fact is named', () => {
  const differing: Readonly<Record<string, Partial<PaymentFacts>>> = {
    payment_id: { paymentId: 'another' },
    organization_id: { organizationId: null },
    customer: { customer: 'another' },
    live: { live: true },
    currency: { currency: 'EUR' },
    amount: { net: 24_990_000, total: 29_740_000, received: 29_740_000 },
    total: { total: 29_750_001, received: 29_750_001 },
    received: { received: 0, outside: true },
  }
  for (const state of ['created', 'open', 'processing', 'failed', 'expired'] as const)
    for (const [name, change] of Object.entries(differing)) {
      const judged = judgePayment({ ...KNOWN, state }, { ...PAID, ...change }, NOW)
      assert.ok(judged.kind === 'move' && judged.to === 'attention', `${state} ${name}`)
      assert.deepEqual(Object.keys(judged.differences ?? {}), [name])
    }
})

test('a page that is still open after 23 hours is ended', () => {
  const open = { ...PAID, state: 'open' } as const
  const kindAt = (hours: number) => {
    const createdAt = new Date(NOW.getTime() - hours * 3_600_000)
    return judgePayment({ ...KNOWN, createdAt }, open, NOW).kind
  }
  assert.deepEqual([22.9, 23.1].map(kindAt), ['stay', 'cancel'])
})

test('in every order of steps, crashes and hints a payment is credited once if it was paid', () => {
  const { states, broken, path } = explore()
  assert.equal(broken, undefined, path.join(' → '))
  // Fewer means that steps of the model cannot be reached any more.
  assert.ok(states > 5_000, `${states} states`)
})

const MISTAKES: readonly (readonly [Mistake, string])[] = [
  ['a hint credits', 'credited twice'],
  ['a hint is noted before the credit', 'charged, never credited'],
  ['the credit is not tied to the payment', 'credited twice'],
  ['the address is given before it is stored', 'charged, never credited'],
  ['nobody reads without a hint', 'charged, never credited'],
  ['the address is not that of the row', 'charged twice'],
  ['a page replaces another one', 'charged twice'],
  ['what has expired is never credited', 'charged, never credited'],
  ['a hint that comes while somebody reads is lost', 'charged, never credited'],
]

for (const [mistake, found] of MISTAKES)
  test(`the search finds the mistake: ${mistake}`, () => {
    assert.equal(explore(mistake).broken, found)
  })

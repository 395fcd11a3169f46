import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAYMENT_STATES } from '../../contract/payments/payment-states.ts'
import type { PaymentFacts } from '../../payments/provider.ts'
import { exploreCharge, type ChargeMistake } from '../../../test/harness/payments/explore-charge.ts'
import { judgePayment, type KnownPayment } from './judge-payment.ts'

const NOW = new Date('2026-11-18T12:00:00Z')

const KNOWN: KnownPayment = {
  id: 'payment',
  kind: 'automatic',
  organizationId: 'organization',
  state: 'open',
  amount: 25_000_000,
  currency: 'USD',
  customer: 'customer',
  live: false,
  cancel: false,
  failure: null,
  totalMax: 30_000_000,
  createdAt: new Date(NOW.getTime() - 60_000),
  tax: null,
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
  net: 25_000_000,
  tax: 4_750_000,
  total: 29_750_000,
  asked: 29_750_000,
  received: 29_750_000,
  url: null,
  moneyRef: null,
  invoiceRef: 'in_1',
  outside: false,
  dueAt: null,
  documentUrl: null,
  savedCard: null,
  paidAt: null,
  failure: null,
}

function becomes(known: Partial<KnownPayment>, facts: Partial<PaymentFacts>): string {
  const judged = judgePayment({ ...KNOWN, ...known }, { ...OPEN, ...facts }, NOW)
  return judged.kind === 'move' ? judged.to : judged.kind
}

test('each state of a charge becomes what the table of states says, and nothing else', () => {
  const all = ['open', 'processing', 'needs_customer', 'declined', 'expired', 'paid'] as const
  const table = PAYMENT_STATES.map((state) => [
    state,
    ...all.map((facts) => becomes({ state }, { state: facts })),
    becomes({ state, cancel: true }, {}),
  ])
  assert.deepEqual(table, [
    //             open    processing    needs_customer    declined  expired    paid       unwanted
    ['created', 'pay', 'processing', 'needs_customer', 'cancel', 'expired', 'succeeded', 'cancel'],
    ['open', 'pay', 'processing', 'needs_customer', 'cancel', 'expired', 'succeeded', 'cancel'],
    ['processing', 'stay', 'stay', 'needs_customer', 'cancel', 'expired', 'succeeded', 'cancel'],
    ['needs_customer', 'stay', 'processing', 'stay', 'stay', 'expired', 'succeeded', 'cancel'],
    ['succeeded', 'stay', 'stay', 'stay', 'stay', 'stay', 'stay', 'stay'],
    ['failed', 'stay', 'stay', 'stay', 'stay', 'stay', 'succeeded', 'stay'],
    ['expired', 'stay', 'stay', 'stay', 'stay', 'stay', 'succeeded', 'stay'],
    ['attention', 'stay', 'stay', 'stay', 'stay', 'stay', 'stay', 'stay'],
  ])
})

test('a decline is made void first, and has failed then, not expired', () => {
  const declined = { ...OPEN, state: 'declined', failure: 'card_velocity_exceeded' } as const
  assert.deepEqual(judgePayment(KNOWN, declined, NOW), {
    kind: 'cancel',
    failure: 'card_velocity_exceeded',
  })
  const failure = 'card_velocity_exceeded'
  assert.equal(becomes({ failure }, { state: 'expired' }), 'failed')
  assert.equal(becomes({}, { state: 'expired', failure }), 'failed', 'void in the dashboard')
  assert.equal(becomes({ failure, state: 'needs_customer' }, { state: 'expired' }), 'expired')
  assert.equal(becomes({ failure, kind: 'page' }, { state: 'expired' }), 'expired')
})

test('a charge that tax lifts above its bound is not paid', () => {
  assert.equal(becomes({}, { total: 30_000_000, asked: 30_000_000 }), 'pay')
  assert.deepEqual(judgePayment(KNOWN, { ...OPEN, total: 30_000_001 }, NOW), {
    kind: 'cancel',
    failure: 'above_bound',
  })
})

test('a charge for which another amount would be taken is not paid', () => {
  for (const asked of [29_749_999, 29_750_001])
    assert.deepEqual(judgePayment(KNOWN, { ...OPEN, asked }, NOW), {
      kind: 'cancel',
      failure: 'other_amount',
    })
  const paid = { state: 'paid', received: 29_750_001 } as const
  assert.equal(becomes({}, paid), 'attention')
  assert.equal(becomes({}, { state: 'paid', received: 0, outside: true }), 'attention')
})

test('a charge that is 23 hours old is ended, not paid: its keys are forgotten soon', () => {
  const at = (hours: number) => ({ createdAt: new Date(NOW.getTime() - hours * 3_600_000) })
  assert.deepEqual([becomes(at(22.9), {}), becomes(at(23.1), {})], ['pay', 'cancel'])
  assert.equal(becomes(at(23.1), { state: 'needs_customer' }), 'cancel')
})

test('in every order of steps, crashes and hints a charge is credited once if it was paid', () => {
  const { states, broken, path } = exploreCharge()
  assert.equal(broken, undefined, path.join(' → '))
  // Fewer means that steps of the model cannot be reached any more.
  assert.ok(states > 20_000, `${states} states`)
})

const MISTAKES: readonly (readonly [ChargeMistake, string])[] = [
  ['a hint credits', 'credited twice'],
  ['the credit is not tied to the payment', 'credited twice'],
  ['nobody reads without a hint', 'charged, never credited'],
  ['the card is charged before the reference is stored', 'charged, never credited'],
  ['an invoice replaces another one', 'over here, payable there'],
  ['a new key for each attempt', 'the bank was asked twice'],
  ['a decline ends it before it is void', 'over here, payable there'],
  ['what waits for the customer is over', 'charged, never credited'],
]

for (const [mistake, found] of MISTAKES)
  test(`the search finds the mistake: ${mistake}`, () => {
    assert.equal(exploreCharge(mistake).broken, found)
  })

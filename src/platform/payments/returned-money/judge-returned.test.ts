import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DISPUTE_STATES, REFUND_STATES } from '../../../contract/payments/refund-states.ts'
import { isOverDispute, judgeDispute, placeOfDispute, type KnownDispute } from './judge-dispute.ts'
import { judgeRefund, placeOfRefund } from './judge-refund.ts'
import {
  exploreRefund,
  type RefundMistake,
} from '../../../../test/harness/payments/explore-refund.ts'
import { nextTrySeconds } from './next-try.ts'
import { taxPartOf } from './tax-part.ts'

test('each state of a refund becomes what the provider says, and never an earlier one', () => {
  const facts = ['pending', 'succeeded', 'failed'] as const
  const table = [null, ...REFUND_STATES].map((state) => [
    state,
    ...facts.map((each) => judgeRefund(state, each)),
  ])
  assert.deepEqual(table, [
    [null, 'pending', 'succeeded', 'failed'],
    ['requested', 'pending', 'succeeded', 'failed'],
    ['pending', 'pending', 'succeeded', 'failed'],
    ['succeeded', 'succeeded', 'succeeded', 'failed'],
    ['failed', 'failed', 'failed', 'failed'],
  ])
})

test('the money of a refund is held, then gone, and back if it failed', () => {
  assert.deepEqual([null, ...REFUND_STATES].map(placeOfRefund), [
    'funds',
    'refunds_pending',
    'refunds_pending',
    'provider:stripe',
    'funds',
  ])
})

/** What the provider says of a dispute from its begin to its end, one after the other. */
const HISTORIES: readonly (readonly KnownDispute[])[] = [
  [of('inquiry', 0, 0), of('won', 0, 0)],
  [of('inquiry', 0, 0), of('open', 0, 0), of('open', 9, 0), of('lost', 9, 0)],
  [of('open', 0, 0), of('open', 9, 0), of('won', 9, 0), of('won', 9, 9)],
  [of('open', 9, 0), of('open', 9, 9), of('won', 9, 9)],
]

function of(state: KnownDispute['state'], withdrawn: number, returned: number): KnownDispute {
  return { state, withdrawn, returned }
}

/** All orders in which answers can be applied, each up to twice: readings cross each other. */
function* ordersOf(answers: readonly KnownDispute[]): Generator<readonly KnownDispute[]> {
  if (answers.length === 0) yield []
  for (const [at, answer] of answers.entries())
    for (const rest of ordersOf(answers.toSpliced(at, 1))) yield [answer, ...rest]
}

test('in whatever order answers about a dispute come, its end and its money are the same', () => {
  let tried = 0
  for (const history of HISTORIES)
    for (const order of ordersOf([...history, history[0]!, history.at(-2)!])) {
      let known: KnownDispute | null = null
      let places = [placeOfDispute(known)]
      for (const answer of order) {
        known = judgeDispute(known, answer)
        places = [...places, placeOfDispute(known)]
      }
      assert.deepEqual(known, history.at(-1))
      const moves = places.filter((place, at) => at > 0 && place !== places[at - 1])
      assert.ok(moves.length <= 2, `${places.join(' ')}: money moves there and back at most`)
      tried += 1
    }
  assert.ok(tried > 1_000, `${tried} orders`)
})

test('an inquiry moves nothing, a lost dispute keeps the money, a won one has it back', () => {
  assert.deepEqual(
    HISTORIES.map((history) => placeOfDispute(history.at(-1)!)),
    ['funds', 'provider:stripe', 'funds', 'funds'],
  )
  assert.deepEqual(
    DISPUTE_STATES.map((state) => placeOfDispute(of(state, 0, 0))),
    ['funds', 'funds', 'funds', 'funds'],
  )
})

test('a dispute that is won is read until its money is back', () => {
  const over = HISTORIES.map((history) => history.map(isOverDispute))
  assert.deepEqual(over, [
    [false, true],
    [false, false, false, true],
    [false, false, false, true],
    [false, false, true],
  ])
})

// Small ones as well: there a cent of rounding is most of the tax.
const PAID = fc.oneof(
  fc.record({ net: fc.integer({ min: 1, max: 30 }), tax: fc.integer({ min: 0, max: 9 }) }),
  fc.record({
    net: fc.integer({ min: 1, max: 100_000_000 }),
    tax: fc.integer({ min: 0, max: 30_000_000 }),
  }),
)

test('however a payment goes back, the parts of tax add up to it and never exceed it', () => {
  fc.assert(
    fc.property(
      PAID,
      fc.array(
        fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true }), fails: fc.boolean() }),
      ),
      ({ net, tax }, steps) => {
        const held: { amount: number; tax: number }[] = []
        const giveBack = (amount: number, fails: boolean) => {
          const returned = held.reduce((sum, each) => sum + each.amount, 0)
          const returnedTax = held.reduce((sum, each) => sum + each.tax, 0)
          const part = taxPartOf(amount, { net, tax, returned, returnedTax })
          assert.ok(part >= 0 && part <= amount && returnedTax + part <= tax)
          const netPart = amount - part
          assert.ok(returned - returnedTax + netPart <= net, 'no more net than was paid')
          if (!fails) held.push({ amount, tax: part })
        }
        const left = () => net + tax - held.reduce((sum, each) => sum + each.amount, 0)
        for (const { share, fails } of steps) {
          const amount = Math.ceil(left() * share)
          if (amount > 0) giveBack(amount, fails)
          // One that was made before fails as well, after others were calculated.
          if (fails && held.length > 1) held.shift()
        }
        if (left() > 0) giveBack(left(), false)
        assert.equal(
          held.reduce((sum, each) => sum + each.tax, 0),
          tax,
        )
      },
    ),
    { numRuns: 5_000 },
  )
})

test('the tax in a part is its rounded share of all that was returned so far', () => {
  const paid = { net: 2_500, tax: 475 }
  const parts: number[] = []
  for (let count = 0; count < 3; count += 1) {
    const returnedTax = parts.reduce((sum, part) => sum + part, 0)
    parts.push(taxPartOf(1, { ...paid, returned: count, returnedTax }))
  }
  // 0.16, 0.32 and 0.48 cents of tax are none, but the fourth cent has some.
  assert.deepEqual(parts, [0, 0, 0])
  assert.equal(taxPartOf(1, { ...paid, returned: 3, returnedTax: 0 }), 1)
  assert.equal(taxPartOf(1_000, { ...paid, returned: 0, returnedTax: 0 }), 160)
})

test('a bank that takes more than is left gets no more tax than was paid', () => {
  const paid = { net: 2_500, tax: 475, returned: 1_000, returnedTax: 160 }
  assert.equal(taxPartOf(2_975, paid), 315)
})

test('what is not over is read again within an hour, and what is none of ours for two days', () => {
  const day = 86_400
  for (const age of [0, 1, 60, day, 3 * day])
    for (const progress of ['pending', 'failed'] as const) {
      const next = nextTrySeconds(progress, age)
      assert.ok(next !== null && next >= 5 && next <= 3_600)
    }
  assert.notEqual(nextTrySeconds('unknown', day), null)
  assert.equal(nextTrySeconds('unknown', 2.1 * day), null)
  assert.equal(nextTrySeconds('over', 0), null)
})

test('in every order of steps and crashes a refund is made once and booked as it is', () => {
  const { states, broken, path } = exploreRefund()
  assert.equal(broken, undefined, path.join(' → '))
  // Fewer means that steps of the model cannot be reached any more.
  assert.ok(states > 10_000, `${states} states`)
})

const MISTAKES: readonly (readonly [RefundMistake, string])[] = [
  ['it is asked again without looking for it', 'refunded twice'],
  ['an answer that was overtaken counts', 'the books differ'],
  ['a lost webhook is lost', 'the books differ'],
  ['what succeeded is never read again', 'the books differ'],
  ['what was refused here is never taken', 'the books differ'],
  ['a refusal is forgotten when the answer comes', 'the books differ'],
]

for (const [mistake, found] of MISTAKES)
  test(`the search finds the mistake: ${mistake}`, () => {
    assert.equal(exploreRefund(mistake).broken, found)
  })

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chargeFor, type TopUpGap } from './top-up.ts'

const GAP: TopUpGap = {
  balance: 4_000_000,
  threshold: 10_000_000,
  amount: 25_000_000,
  chargeMax: 1_000_000_000,
  left: 1_000_000_000,
  taxShare: 0,
}

test('one charge closes the gap, by the smallest multiple of the amount that reaches it', () => {
  const charge = (balance: number) => chargeFor({ ...GAP, balance }) / 1_000_000
  assert.deepEqual(
    [10_000_000, 9_999_999, -15_000_000, -15_000_001, -90_000_000].map(charge),
    [0, 25, 25, 50, 100],
  )
})

test('a charge exceeds neither its own bound nor that of the month, with tax', () => {
  const gap = { ...GAP, balance: -90_000_000 }
  assert.equal(chargeFor({ ...gap, chargeMax: 99_000_000 }), 75_000_000)
  assert.equal(chargeFor({ ...gap, left: 60_000_000 }), 50_000_000)
  assert.equal(chargeFor({ ...gap, left: 59_500_000, taxShare: 0.19 }), 50_000_000)
  assert.equal(chargeFor({ ...gap, left: 59_499_999, taxShare: 0.19 }), 25_000_000)
  assert.equal(chargeFor({ ...gap, left: 24_999_999 }), 0)
  assert.equal(chargeFor({ ...gap, left: -1 }), 0)
})

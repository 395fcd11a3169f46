import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatAmount, parseAmount } from './amount.ts'

const MICRO_MAX = 999_999_999_999_999

test('an amount is read exactly, and what is shown is read as the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: -MICRO_MAX, max: MICRO_MAX }), (micro) => {
      assert.equal(parseAmount(formatAmount(micro)), micro)
    }),
  )
})

test('units and decimals count as they are written, without binary fractions', () => {
  fc.assert(
    fc.property(
      fc.nat(999_999_999),
      fc.stringMatching(/^[0-9]{1,6}$/),
      fc.boolean(),
      (units, decimals, negative) => {
        const micro = BigInt(units) * 1_000_000n + BigInt(decimals.padEnd(6, '0'))
        const text = `${negative ? '-' : ''}${units}.${decimals}`
        assert.equal(parseAmount(text), Number(negative ? -micro : micro))
      },
    ),
  )
  assert.deepEqual(
    ['12.50', '0.1', '1.005', '-0'].map(parseAmount),
    [12_500_000, 100_000, 1_005_000, 0],
  )
})

test('what is no plain amount is none', () => {
  const others = ['', '.5', '5.', '1e3', '1,50', '+1', ' 1', '1 ', '0x10', '1.0000001', '1_000']
  for (const text of [...others, '1000000000', 'NaN', '--1', '１'])
    assert.equal(parseAmount(text), undefined, text)
})

test('an amount is shown with two decimals, and with more only where they say something', () => {
  assert.deepEqual([0, 1, 12_500_000, -250_000, 1_234_567].map(formatAmount), [
    '0.00',
    '0.000001',
    '12.50',
    '-0.25',
    '1.234567',
  ])
})

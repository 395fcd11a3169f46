import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatAmount, parseAmount } from './amount.ts'

const MICRO_MAX = 999_999_999_999_999

test('property: a formatted amount parses to the same amount', () => {
  fc.assert(
    fc.property(fc.integer({ min: -MICRO_MAX, max: MICRO_MAX }), (micro) => {
      assert.equal(parseAmount(formatAmount(micro)), micro)
    }),
  )
})

test('property: units and decimals are parsed exactly, without binary fractions', () => {
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

test('anything but a plain amount is rejected', () => {
  const malformed = ['', '.5', '5.', '1e3', '1,50', '+1', ' 1', '1 ', '0x10', '1.0000001', '1_000']
  for (const text of [...malformed, '1000000000', 'NaN', '--1', '１'])
    assert.equal(parseAmount(text), undefined, text)
})

test('an amount is formatted with two decimals, or more if they are not zero', () => {
  assert.deepEqual([0, 1, 12_500_000, -250_000, 1_234_567].map(formatAmount), [
    '0.00',
    '0.000001',
    '12.50',
    '-0.25',
    '1.234567',
  ])
})

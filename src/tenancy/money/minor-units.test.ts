import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { fromMinor, minorUnit, NoMinorUnits, toMinor } from './minor-units.ts'

test('a cent is 10,000 micro-units and a yen a million', () => {
  assert.equal(minorUnit('EUR'), 10_000)
  assert.equal(minorUnit('JPY'), 1_000_000)
  assert.equal(toMinor('USD', 25_000_000), 2500)
  assert.equal(toMinor('JPY', 25_000_000), 25)
  assert.equal(fromMinor('USD', 1), 10_000)
})

test('currencies that the provider counts differently cannot be paid in', () => {
  for (const currency of [
    'ISK',
    'UGX',
    'HUF',
    'TWD',
    'KWD',
    'BHD',
    'OMR',
    'TND',
    'JOD',
    'IQD',
    'eur',
  ])
    assert.equal(minorUnit(currency), undefined, currency)
  assert.throws(() => toMinor('KWD', 1_000_000), NoMinorUnits)
  assert.throws(() => fromMinor('HUF', 1), NoMinorUnits)
})

test('an amount is never rounded on its way to the provider', () => {
  assert.throws(() => toMinor('USD', 10_001), NoMinorUnits)
  assert.throws(() => toMinor('JPY', 500_000), NoMinorUnits)
  assert.throws(() => toMinor('USD', 0.5), NoMinorUnits)
  assert.throws(() => fromMinor('USD', 0.5), NoMinorUnits)
  assert.throws(() => fromMinor('USD', Number.MAX_SAFE_INTEGER), NoMinorUnits)
})

test('minor units come back as they were', () => {
  const currency = fc.constantFrom('USD', 'EUR', 'JPY', 'KRW', 'CHF')
  fc.assert(
    fc.property(currency, fc.integer({ min: -99_999_999, max: 99_999_999 }), (code, minor) => {
      assert.equal(toMinor(code, fromMinor(code, minor)), minor + 0)
    }),
  )
})

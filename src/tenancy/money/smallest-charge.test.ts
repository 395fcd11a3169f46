import assert from 'node:assert/strict'
import test from 'node:test'
import { minorUnit } from './minor-units.ts'
import { smallestCharge } from './smallest-charge.ts'

test('every currency that can be paid in has a smallest charge of whole minor units', () => {
  const payable = allCodes().filter((code) => minorUnit(code) !== undefined)
  assert.ok(payable.length > 100)
  for (const code of payable) {
    const smallest = smallestCharge(code) ?? assert.fail(`${code} has none`)
    assert.ok(smallest > 0 && smallest % (minorUnit(code) ?? 0) === 0, code)
  }
})

function allCodes(): string[] {
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')
  return letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)))
}

test('it is what the provider publishes, and a round amount elsewhere', () => {
  const expected = {
    USD: 0.5,
    GBP: 0.3,
    JPY: 50,
    SEK: 3,
    DKK: 2.5,
    CZK: 15,
    KRW: 1000,
    VND: 20_000,
  }
  for (const [currency, units] of Object.entries(expected))
    assert.equal(smallestCharge(currency), units * 1_000_000, currency)
  assert.equal(smallestCharge('HUF'), undefined)
})

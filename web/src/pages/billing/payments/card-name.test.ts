import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brandOf, expiryOf, isExpired } from './card-name.ts'

test('a card is named as on the card', () => {
  assert.equal(brandOf({ brand: 'amex' }), 'American Express')
  assert.equal(brandOf({ brand: 'constructor' }), 'constructor')
  assert.equal(expiryOf({ expires_month: 9, expires_year: 2032 }), '09/2032')
})

test('a card can be used until the end of its month', () => {
  const card = { expires_month: 12, expires_year: 2026 }
  assert.equal(isExpired(card, Date.UTC(2026, 11, 31, 23)), false)
  assert.equal(isExpired(card, Date.UTC(2027, 0, 1)), true)
})

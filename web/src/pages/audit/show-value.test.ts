import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cursorBefore, showValue } from './show-value.ts'

test('the cursor before an event is the next higher id, with its carry', () => {
  assert.equal(
    cursorBefore('0198c0de-0000-7000-8000-0000000000ff'),
    '0198c0de-0000-7000-8000-000000000100',
  )
  assert.equal(
    cursorBefore('0198c0de-0000-7000-8000-ffffffffffff'),
    '0198c0de-0000-7000-8001-000000000000',
  )
})

test('values of every kind have a text, and nothing is not an empty one', () => {
  assert.equal(showValue(null), '—')
  assert.equal(showValue([]), '—')
  assert.equal(showValue(false), 'no')
  assert.equal(showValue(['keys:read', 'keys:write']), 'keys:read, keys:write')
  assert.equal(showValue({ amount: '5.00', amount_micro: 5_000_000, currency: 'USD' }), '5.00 USD')
  assert.match(showValue('2026-11-15T12:04:31.000Z'), /2026/)
  assert.equal(showValue('12:04'), '12:04')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transfer } from '../api/routes.ts'
import { bookedBy, reasonOf } from './transfer-words.ts'

function transfer(kind: Transfer['kind'], micro: number, reason: string | null = null) {
  const amount = { amount: '', amount_micro: micro, currency: 'USD' }
  return { kind, amount, reason, made_by: 'payments' }
}

test('what the service booked has words, by kind and by where the money went', () => {
  assert.equal(reasonOf(transfer('payment', 1, 'paid')), 'Paid in')
  assert.equal(reasonOf(transfer('refund', -1, 'refund')), 'Paid back')
  assert.equal(reasonOf(transfer('refund', 1, 'refund')), 'Refund undone')
  assert.equal(reasonOf(transfer('dispute', -1, 'dispute')), 'Taken by the bank')
  assert.equal(reasonOf(transfer('expiry', -1, 'expired')), 'Expired')
  assert.equal(bookedBy(transfer('dispute', 1)), 'The service')
})

test('a voucher was redeemed by a person', () => {
  assert.equal(reasonOf(transfer('voucher', 1, 'redeemed')), 'Voucher redeemed')
  assert.equal(bookedBy(transfer('voucher', 1)), 'payments')
})

test('what people wrote stays as it is', () => {
  assert.equal(reasonOf(transfer('grant', 1, 'paid')), 'paid')
  assert.equal(reasonOf(transfer('adjustment', -1)), '—')
  assert.equal(bookedBy(transfer('grant', 1)), 'payments')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { creditUsed, organizationFunds } from './funds.ts'

const OWES = { granted: 50, receivable: 30, creditLimit: 100 }

test('only on a postpaid plan does a credit limit add to what was granted', () => {
  assert.deepEqual(organizationFunds('postpaid', OWES), { billing: 'credit', granted: 120 })
  for (const billing of ['none', 'prepaid'] as const)
    assert.deepEqual(organizationFunds(billing, OWES), { billing, granted: 50 })
  const unlimited = organizationFunds('postpaid', { ...OWES, creditLimit: null })
  assert.deepEqual(unlimited, { billing: 'postpaid', granted: 50 })
})

test('issuing an invoice changes neither what is left nor what is used, paying it does', () => {
  const spent = 80
  const seen = (granted: number, receivable: number) => [
    organizationFunds('postpaid', { granted, receivable, creditLimit: 100 }).granted - spent,
    creditUsed({ granted, receivable }, spent),
  ]
  assert.deepEqual(seen(0, 0), [20, 80])
  assert.deepEqual(seen(80, 80), [20, 80])
  assert.deepEqual(seen(80, 0), [100, 0])
})

test('grants that are not spent are no negative use', () => {
  assert.equal(creditUsed({ granted: 50, receivable: 0 }, 20), 0)
})

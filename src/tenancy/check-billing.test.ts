import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../contract/error.ts'
import type { BillingState, Identity } from './identity.ts'
import { checkBilling } from './standing.ts'

/** All that the check reads of an identity. */
function identityWith(billingState: BillingState, overdueMonth: string | null = null): Identity {
  return { organization: { billingState, overdueMonth } } as Identity
}

test('402 and 409: billing errors have their own codes and ask not to retry', () => {
  const refused = { exhausted: [402, 'insufficient_balance'], conflict: [409, 'billing_conflict'] }
  for (const billingState of ['exhausted', 'conflict'] as const) {
    assert.throws(
      () => checkBilling(identityWith(billingState), true),
      (error) => {
        assert.ok(error instanceof ApiError)
        assert.deepEqual([error.status, error.kind], refused[billingState])
        assert.equal(error.headers['x-should-retry'], 'false')
        return true
      },
    )
  }
  checkBilling(identityWith('ok'), true)
})

test('402: the message names the overdue invoice, and what an operator has set comes first', () => {
  assert.throws(
    () => checkBilling(identityWith('ok', '2026-10'), true),
    (error) => {
      assert.ok(error instanceof ApiError)
      assert.deepEqual([error.status, error.kind], [402, 'insufficient_balance'])
      assert.match(error.message, /invoice for 2026-10 is overdue/)
      assert.equal(error.headers['x-should-retry'], 'false')
      return true
    },
  )
  assert.throws(() => checkBilling(identityWith('conflict', '2026-10'), true), {
    kind: 'billing_conflict',
  })
})

test('an overdue invoice refuses nothing where there are no payments', () => {
  checkBilling(identityWith('ok', '2026-10'), false)
})

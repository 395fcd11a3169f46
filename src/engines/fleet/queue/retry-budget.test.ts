import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRetryBudget } from './retry-budget.ts'

function openBudget() {
  const clock = { nowMs: 0 }
  const budget = createRetryBudget(() => clock.nowMs)
  /** How many retries an organization gets before it is refused one. */
  const spendAll = (organizationId: string) => {
    let spent = 0
    while (budget.spend(organizationId)) spent += 1
    return spent
  }
  return { clock, budget, spendAll }
}

test('an organization whose requests all fail leaves retries for others', () => {
  const { budget, spendAll } = openBudget()
  for (let count = 0; count < 10_000; count += 1) {
    budget.earn('failing')
    if (count % 2 === 0) budget.earn('other')
  }
  assert.ok(spendAll('failing') > 0)
  assert.ok(spendAll('other') >= 49)
})

test('an organization gets one retry for every ten of its requests', () => {
  const { budget, spendAll } = openBudget()
  spendAll('one')
  for (let count = 0; count < 105; count += 1) budget.earn('one')
  assert.equal(spendAll('one'), 10)
})

test('a model with little traffic has a few retries, and gets them back in seconds', () => {
  const { clock, spendAll } = openBudget()
  assert.equal(spendAll('one'), 3)
  clock.nowMs += 3_000
  assert.equal(spendAll('one'), 3)
})

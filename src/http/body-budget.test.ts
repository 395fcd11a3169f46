import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBodyBudget, type BodyCharge } from './body-budget.ts'

/** How much the owner gets, in steps of one. */
function takeAll(charge: BodyCharge): number {
  let bytes = 0
  while (charge.resize(bytes + 1)) bytes += 1
  return bytes
}

test('one organization gets half of the budget, however many bodies it sends', () => {
  const budget = createBodyBudget(100)
  const bodies = Array.from({ length: 5 }, () => budget.open('a'))
  const taken = bodies.reduce((sum, body) => sum + takeAll(body), 0)
  assert.deepEqual([taken, budget.used()], [50, 50])
})

test('a hundred greedy organizations leave room for one more', () => {
  const budget = createBodyBudget(1_000_000)
  for (let owner = 0; owner < 100; owner += 1) {
    const charge = budget.open(String(owner))
    let bytes = 0
    while (charge.resize(bytes + 1_000)) bytes += 1_000
    assert.ok(bytes > 0 || owner > 9, `organization ${owner} got nothing`)
  }
  assert.ok(budget.used() < 1_000_000)
  assert.equal(budget.open('modest').resize(100), true)
})

test('two organizations that take turns get a third each', () => {
  const budget = createBodyBudget(300)
  const [a, b] = [budget.open('a'), budget.open('b')]
  let bytes = 0
  while (a.resize(bytes + 1) && b.resize(bytes + 1)) bytes += 1
  assert.equal(bytes, 100)
})

test('a refusal changes nothing, and what is released can be taken again', () => {
  const budget = createBodyBudget(100)
  const [first, second] = [budget.open('a'), budget.open('a')]
  assert.equal(first.resize(40), true)
  assert.equal(second.resize(20), false)
  assert.equal(budget.used(), 40)
  assert.equal(first.resize(0), true)
  assert.equal(first.resize(0), true)
  assert.equal(budget.used(), 0)
  assert.equal(second.resize(50), true)
})

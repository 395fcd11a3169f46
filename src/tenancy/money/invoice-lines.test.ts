import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { invoiceLines } from './invoice-lines.ts'

const CENT = 10_000

const costs = fc
  .array(fc.integer({ min: -2_000_000, max: 900_000_000 }), { maxLength: 260 })
  .map((all) => all.toSorted((a, b) => b - a).map((cost, at) => ({ model: `model-${at}`, cost })))

test('lines add up to what is due, and there are never more than Stripe takes', () => {
  const property = fc.property(costs, fc.integer({ min: 50, max: 50_000_000 }), (given, due) => {
    const lines = invoiceLines(due, given, CENT)
    assert.equal(
      lines.reduce((sum, { minor }) => sum + minor, 0),
      due,
    )
    assert.ok(lines.length <= 200, `${lines.length} lines`)
    assert.ok(lines.every(({ minor }) => minor !== 0))
  })
  fc.assert(property)
})

test('what the month cost is divided exactly, without a line for the balance', () => {
  const given = [
    { model: 'a', cost: 126_000 },
    { model: 'b', cost: 125_000 },
    { model: 'c', cost: 4_000 },
  ]
  assert.deepEqual(
    invoiceLines(25, given, CENT).map(({ about, minor }) => [about, minor]),
    [
      [{ model: 'a' }, 13],
      [{ model: 'b' }, 12],
    ],
  )
})

test('what the balance paid, or what was owed before, is a line of its own', () => {
  const given = [{ model: 'a', cost: 1_000_000 }]
  assert.deepEqual(invoiceLines(60, given, CENT), [
    { about: { model: 'a' }, minor: 100 },
    { about: 'balance', minor: -40 },
  ])
  assert.deepEqual(invoiceLines(130, given, CENT).at(-1), { about: 'balance', minor: 30 })
  assert.deepEqual(invoiceLines(60, [], CENT), [{ about: 'balance', minor: 60 }])
})

test('models beyond the bound are one line', () => {
  const given = Array.from({ length: 250 }, (_, at) => ({ model: `m${at}`, cost: CENT }))
  const lines = invoiceLines(250, given, CENT)
  assert.deepEqual(lines.at(-1), { about: { model: null }, minor: 52 })
  assert.equal(lines.length, 199)
})

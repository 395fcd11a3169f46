import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { costOf, worstCost } from './price.ts'

const tokens = fc.nat(1_000_000_000)
const price = fc.record({
  input: fc.nat(10_000_000_000),
  cachedInput: fc.nat(10_000_000_000),
  output: fc.nat(10_000_000_000),
})

test('the cost is the exact sum over all tokens, rounded down to a micro-unit', () => {
  const usual = { input: 250_000, cachedInput: 25_000, output: 1_000_000 }
  const counts = { promptTokens: 1_003, cachedTokens: 1_000, completionTokens: 7 }
  // 3 × 0.25 + 1,000 × 0.025 + 7 × 1 = 32.75
  assert.equal(costOf(counts, usual), 32)
})

test('a cost beyond 2^53 millionths is still exact', () => {
  const dear = { input: 10_000_000_000, cachedInput: 0, output: 10_000_000_000 }
  const counts = { promptTokens: 1_000_003, cachedTokens: 0, completionTokens: 1 }
  assert.equal(costOf(counts, dear), 10_000_040_000)
})

test('more cached tokens than prompt tokens do not make the cost negative', () => {
  const odd = { input: 1_000_000, cachedInput: 0, output: 0 }
  assert.equal(costOf({ promptTokens: 5, cachedTokens: 9, completionTokens: 0 }, odd), 0)
})

test('property: no generation within its bounds costs more than the worst case', () => {
  fc.assert(
    fc.property(tokens, tokens, tokens, price, (prompt, cached, completion, sold) => {
      const counts = { promptTokens: prompt, cachedTokens: cached, completionTokens: completion }
      assert.ok(costOf(counts, sold) <= worstCost(prompt, completion, sold))
    }),
  )
})

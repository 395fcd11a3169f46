import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, MINIMAL, problemsOf } from '../../test/harness/processes/configuration.ts'

const textOf = (currency: string, payments: string) =>
  `${MINIMAL}\ncurrency: ${currency}\npayments: { provider: stripe${payments} }\n`

test('the smallest payment is none that the provider refuses, in any currency', () => {
  const problems = problemsOf(() => load(textOf('JPY', '')))
  const problem = 'payments.top_up_min must be at least 50 in JPY: the provider charges nothing'
  assert.equal(problems.length, 1)
  assert.ok(problems[0]?.includes(problem), problems[0])
  assert.equal(load(textOf('JPY', ', top_up_min: 50')).payments?.top_up_min, 50)
  assert.equal(load(textOf('GBP', ', top_up_min: 1')).payments?.top_up_min, 1)
})

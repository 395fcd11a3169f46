import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { EVERY_ANSWER } from './contract/every-answer.ts'
import type { Rule } from './contract/rule.ts'
import { RULES, RULES_AT_ONCE } from './contract/rules.ts'
import { startContractApi } from './contract/start.ts'

// Every rule of the interface, on the running service. `npm run prove -- contract` checks the same
// table on other kinds of engines.

const api = await startContractApi()
after(() => api[Symbol.asyncDispose]())

function testAll(rules: readonly Rule[]): void {
  for (const rule of rules)
    if ('check' in rule) test(`${rule.id}: ${rule.name}`, () => rule.check(api))
}

test('every rule has an id of its own', () => {
  const ids = [...RULES, ...EVERY_ANSWER].map(({ id }) => id)
  assert.deepEqual(
    ids.filter((id, index) => ids.indexOf(id) !== index),
    [],
  )
})

describe('a rule', { concurrency: RULES_AT_ONCE }, () => testAll(RULES))

// After all others, because they judge the answers to them.
describe('every answer', () => testAll(EVERY_ANSWER))

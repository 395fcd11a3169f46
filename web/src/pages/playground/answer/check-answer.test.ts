import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SCHEMA_EXAMPLE } from '../setup/examples.ts'
import { checkAnswer } from './check-answer.ts'

const { schema } = SCHEMA_EXAMPLE
const VALID = { city: 'Ulm', country: 'Germany', population: 128_000 }

test('an answer is checked against the schema that was sent', () => {
  assert.deepEqual(checkAnswer(JSON.stringify(VALID), schema), { kind: 'valid' })
  const verdict = checkAnswer(JSON.stringify({ ...VALID, population: 'many' }), schema)
  assert.equal(verdict.kind, 'invalid')
  assert.equal(verdict.kind === 'invalid' && verdict.at, '/population')
})

test('without a schema an answer is JSON or not', () => {
  assert.deepEqual(checkAnswer('[1]', undefined), { kind: 'json' })
  assert.deepEqual(checkAnswer('{"city": "Ul', schema), { kind: 'not_json' })
})

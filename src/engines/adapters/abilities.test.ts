import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAbilities } from './abilities.ts'

const FOUND = { tool_choice: true, json_schema: false, reasoning: false } as const

test('nothing is known of an engine that was not probed, but what is declared', () => {
  assert.deepEqual(createAbilities({ declared: { abort: true }, isTrusted: true }).known, {})
  const declared = { tool_choice: false, reasoning: true }
  assert.deepEqual(createAbilities({ declared, isTrusted: false }).known, declared)
})

test('a failed probe proves nothing of a trusted kind, whose requests are sent anyway', () => {
  const abilities = createAbilities({ declared: {}, isTrusted: true })
  abilities.learn(FOUND)
  assert.deepEqual(abilities.known, { tool_choice: true })
  assert.equal(abilities.can('json_schema'), true)
})

test('of other kinds an engine is known to lack what requests are refused for', () => {
  const abilities = createAbilities({ declared: {}, isTrusted: false })
  abilities.learn(FOUND)
  assert.deepEqual(abilities.known, { tool_choice: true, json_schema: false })
  assert.equal(abilities.can('json_schema'), false)
})

test('a later probe replaces what was known, and leaves what is declared', () => {
  const { known, learn } = createAbilities({ declared: { reasoning: false }, isTrusted: false })
  learn({ ...FOUND, reasoning: true })
  learn({ tool_choice: 'unknown', json_schema: true })
  assert.deepEqual(known, { json_schema: true, reasoning: false })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelEngine } from '../../store/fleet/model-engines.ts'
import { capabilitiesOf } from './model-capabilities.ts'

const NOT_KNOWN = { tool_choice: null, json_schema: null, reasoning: null }

function engine(known: ModelEngine['known'], organization: string | null = null): ModelEngine {
  return { name: 'one', slots: 4, organization, serves: true, outSinceMs: null, known }
}

function viewOf(...engines: readonly ModelEngine[]) {
  return capabilitiesOf({ engines, isWaitedFor: false }, 'a')
}

test('what no engine has told is not known, and never called absent', () => {
  assert.deepEqual(capabilitiesOf(undefined, 'a'), NOT_KNOWN)
  assert.deepEqual(viewOf(), NOT_KNOWN)
  assert.deepEqual(viewOf(engine({})), NOT_KNOWN)
  assert.equal(viewOf(engine({ tool_choice: false }), engine({})).tool_choice, null)
  assert.equal(viewOf(engine({ reasoning: true }), engine({})).reasoning, null)
})

test('one engine that follows schemas is enough, and reasoning takes all of them', () => {
  const [has, lacks] = [
    { tool_choice: true, json_schema: true, reasoning: true },
    { tool_choice: false, json_schema: false, reasoning: false },
  ]
  assert.deepEqual(viewOf(engine(has)), has)
  assert.deepEqual(viewOf(engine(lacks), engine(lacks)), lacks)
  assert.deepEqual(viewOf(engine(has), engine(lacks)), { ...has, reasoning: false })
})

test('an engine that is reserved for another organization tells nothing', () => {
  assert.equal(viewOf(engine({ tool_choice: true }, 'b')).tool_choice, null)
  assert.equal(viewOf(engine({ tool_choice: true }, 'a')).tool_choice, true)
})

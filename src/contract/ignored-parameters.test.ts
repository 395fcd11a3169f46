import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { checkChatRequest } from './check-chat-request.ts'
import type { ChatRequest } from './chat-request.ts'
import { ApiError } from './error.ts'
import { findViolation } from './find-violation.ts'
import { IGNORABLE_PARAMETERS, joinIgnored } from './ignorable-parameters.ts'
import { withoutIgnored, IgnoredParameters } from './ignored-parameters.ts'

const hello = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] }
const compiled = Compile(IgnoredParameters)

function pairs(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`name-${index}`, 'value']))
}

const LARGEST = {
  user: 'u'.repeat(512),
  safety_identifier: 's'.repeat(128),
  metadata: { ...pairs(15), ['n'.repeat(64)]: 'v'.repeat(512) },
  prompt_cache_key: 'p'.repeat(512),
}

function errorOf(body: object, names = IGNORABLE_PARAMETERS.slice()): ApiError {
  try {
    checkChatRequest(body, names)
  } catch (error) {
    assert.ok(error instanceof ApiError)
    return error
  }
  throw new Error('the request was accepted')
}

test('ignored parameters up to their bounds are accepted, and null means not set', () => {
  const unset = Object.fromEntries(IGNORABLE_PARAMETERS.map((name) => [name, null]))
  for (const ignored of [LARGEST, unset, { metadata: {} }, { user: '' }]) {
    const body = { ...hello, ...ignored }
    assert.equal(checkChatRequest(body, IGNORABLE_PARAMETERS), body)
  }
})

const WRONG: readonly [keyof typeof LARGEST, unknown, RegExp][] = [
  ['user', 1, /^'user' must be a string\.$/],
  ['user', 'u'.repeat(513), /at most 512 characters/],
  ['safety_identifier', ['s'], /a string/],
  ['safety_identifier', 's'.repeat(129), /at most 128 characters/],
  ['prompt_cache_key', {}, /a string/],
  ['prompt_cache_key', 'p'.repeat(513), /at most 512 characters/],
  ['metadata', 'text', /^'metadata' must be an object\.$/],
  ['metadata', [], /an object/],
  ['metadata', pairs(17), /at most 16 members/],
  ['metadata', { ['Secret4711'.repeat(7)]: 'v' }, /names of at most 64 characters/],
  ['metadata', { Secret4711: 1 }, /strings of at most 512 characters as values/],
  ['metadata', { Secret4711: null }, /strings of at most 512 characters as values/],
  ['metadata', { Secret4711: 'v'.repeat(513) }, /strings of at most 512 characters as values/],
]

for (const [name, value, message] of WRONG) {
  const shown = JSON.stringify(value).slice(0, 20)
  test(`400: ignored, '${name}' of ${shown} is still an invalid value`, () => {
    const error = errorOf({ ...hello, [name]: value })
    assert.deepEqual([error.kind, error.param], ['invalid_value', name])
    assert.match(error.message, message)
    assert.ok(!error.message.includes('Secret4711'), 'the message quotes the request')
  })
}

test('400: what is not ignored is rejected, and the message names the setting', () => {
  for (const name of IGNORABLE_PARAMETERS) {
    const others = IGNORABLE_PARAMETERS.filter((each) => each !== name)
    const error = errorOf({ ...hello, ...LARGEST }, others)
    assert.deepEqual([error.kind, error.param], ['unsupported_parameter', name])
    assert.match(error.message, /add it to 'ignored_parameters' of the API key or of the plan\.$/)
  }
  const { message, param } = errorOf({ ...hello, ...LARGEST, top_k: 1 })
  assert.equal(param, 'top_k')
  assert.ok(!message.includes('ignored_parameters'), 'the setting does not allow this one')
})

test('dropping leaves nothing of the ignored parameters and names those that were set', () => {
  const body = { ...hello, ...LARGEST, metadata: null } as unknown as ChatRequest
  const before = structuredClone(body)
  const names = joinIgnored(['metadata'], ['user', 'metadata'], ['prompt_cache_key'])
  const { rest, ignored } = withoutIgnored(body, names)
  assert.deepEqual(ignored, ['user', 'prompt_cache_key'])
  assert.deepEqual(rest, { ...hello, safety_identifier: LARGEST.safety_identifier })
  assert.deepEqual(body, before, 'the body of the client is not changed')
})

test('property: a violation of an ignored parameter is found exactly if the check fails', () => {
  const text = fc.string({ unit: 'grapheme', size: 'large', maxLength: 600 })
  const any = fc.oneof(text, fc.constantFrom<unknown>(null, 1, {}, [], true))
  const metadata = fc.dictionary(fc.string({ maxLength: 70, unit: 'grapheme' }), any, {
    maxKeys: 18,
    size: 'large',
  })
  const body = fc.record(
    { user: any, safety_identifier: any, metadata: fc.oneof(any, metadata), prompt_cache_key: any },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(body, (value) => {
      const violation = findViolation(IgnoredParameters, value)
      assert.equal(violation === undefined, compiled.Check(value))
    }),
    { numRuns: 1_000 },
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { ChatRequest } from './chat-request.ts'
import { findViolation } from './find-violation.ts'

const compiled = Compile(ChatRequest)
/** Almost valid bodies: any member may be replaced by any value. */
const anyScalar = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    1,
    -3,
    0.5,
    1e9,
    '',
    'auto',
    'text',
    'user',
    {},
    [],
  ),
  fc.string({ maxLength: 70, unit: 'grapheme' }),
)
const anyPart = fc.record({ type: fc.constantFrom('text', 'image_url'), text: anyScalar })
const anyMessage = fc.record(
  {
    role: fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool', 'robot'),
    content: fc.oneof(anyScalar, fc.array(anyPart, { maxLength: 2 })),
    reasoning_content: anyScalar,
    tool_call_id: anyScalar,
    tool_calls: fc.oneof(anyScalar, fc.constant([{ id: 'a', type: 'function', function: {} }])),
    audio: anyScalar,
  },
  { requiredKeys: ['role'] },
)
const anyBody = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...Object.keys(ChatRequest.properties), 'user'), anyScalar),
    fc.array(anyMessage, { maxLength: 3 }),
  )
  .map(([parameters, messages]) => ({ model: 'm', messages, ...parameters }))

test('property: a violation is found exactly if the compiled check fails', () => {
  fc.assert(
    fc.property(anyBody, (body) => {
      assert.equal(findViolation(ChatRequest, body) === undefined, compiled.Check(body))
    }),
    { numRuns: 5_000 },
  )
})

test('a string of another format or pattern is explained like the check rejects it', () => {
  const schema = Type.Object({
    at: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
    id: Type.Optional(Type.String({ format: 'uuid' })),
    token: Type.Optional(Type.String({ pattern: '^[a-z]{3}$' })),
  })
  const check = Compile(schema)
  for (const [value, param] of [
    [{ at: '2026-02-30T00:00:00Z' }, 'at'],
    [{ at: 'soon' }, 'at'],
    [{ id: '1' }, 'id'],
    [{ token: 'abcd' }, 'token'],
    [{ token: 'abc' }, undefined],
    [{ at: null, id: crypto.randomUUID() }, undefined],
  ] as const) {
    assert.equal(check.Check(value), param === undefined)
    assert.equal(findViolation(schema, value)?.param, param)
  }
})

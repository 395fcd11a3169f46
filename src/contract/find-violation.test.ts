import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { ChatRequest } from './chat-request.ts'
import { findViolation } from './find-violation.ts'

const compiled = Compile(ChatRequest)
const hello = { model: 'm', messages: [{ role: 'user', content: 'x' }] }

const VIOLATIONS: [name: string, body: object, code: string, param: string][] = [
  ['an unlisted parameter', { ...hello, user: 'u' }, 'unsupported_parameter', 'user'],
  ['an unlisted parameter that is null', { ...hello, user: null }, 'unsupported_parameter', 'user'],
  [
    'an unlisted stream option',
    { ...hello, stream: true, stream_options: { x: 1 } },
    'unsupported_parameter',
    'stream_options.x',
  ],
  ['no model', { messages: hello.messages }, 'missing_required_parameter', 'model'],
  ['no messages', { model: 'm' }, 'missing_required_parameter', 'messages'],
  ['empty messages', { model: 'm', messages: [] }, 'invalid_value', 'messages'],
  ['a null model', { ...hello, model: null }, 'invalid_value', 'model'],
  ['a temperature above 2', { ...hello, temperature: 2.1 }, 'invalid_value', 'temperature'],
  ['a fixed value', { ...hello, n: 2 }, 'unsupported_value', 'n'],
  ['a fixed value of another type', { ...hello, store: 'no' }, 'unsupported_value', 'store'],
  ['a fixed list', { ...hello, modalities: ['text', 'text'] }, 'unsupported_value', 'modalities'],
  ['a fixed object', { ...hello, logit_bias: { 1: 1 } }, 'unsupported_value', 'logit_bias'],
  [
    'an unknown role',
    { model: 'm', messages: [{ role: 'robot', content: '' }] },
    'invalid_value',
    'messages[0].role',
  ],
  [
    'a message without content',
    { model: 'm', messages: [{ role: 'user' }] },
    'invalid_value',
    'messages[0].content',
  ],
  [
    'an image part',
    { model: 'm', messages: [{ role: 'user', content: [{ type: 'image_url' }] }] },
    'invalid_value',
    'messages[0].content[0].type',
  ],
  [
    'a function call of the old form',
    { model: 'm', messages: [{ role: 'assistant', content: '', function_call: {} }] },
    'invalid_value',
    'messages[0].function_call',
  ],
  [
    'a tool without a name',
    { ...hello, tools: [{ type: 'function', function: {} }] },
    'invalid_value',
    'tools[0].function.name',
  ],
  [
    'an unknown response format',
    { ...hello, response_format: { type: 'xml' } },
    'invalid_value',
    'response_format.type',
  ],
  ['five stops', { ...hello, stop: ['a', 'b', 'c', 'd', 'e'] }, 'invalid_value', 'stop'],
  ['an empty stop', { ...hello, stop: ['a', ''] }, 'invalid_value', 'stop[1]'],
]

for (const [name, body, code, param] of VIOLATIONS) {
  test(`400: ${name} is ${code} at ${param}`, () => {
    const violation = findViolation(ChatRequest, body)
    assert.deepEqual({ code: violation?.code, param: violation?.param }, { code, param })
    assert.equal(compiled.Check(body), false)
  })
}

test('unlisted members that real clients send in messages and tools are accepted', () => {
  const body = {
    ...hello,
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'x' }], name: 'ann' },
      {
        role: 'assistant',
        refusal: null,
        annotations: [],
        audio: null,
        function_call: null,
        tool_calls: [
          {
            id: 'a',
            type: 'function',
            function: { name: 'f', arguments: '{}', parsed_arguments: null },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'r', name: 'f' },
    ],
    tools: [{ type: 'function', function: { name: 'f', strict: false, parameters: {} } }],
    temperature: null,
    n: null,
  }
  assert.equal(findViolation(ChatRequest, body), undefined)
  assert.equal(compiled.Check(body), true)
})

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

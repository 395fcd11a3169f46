import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JSON_DEPTH_MAX, JSON_TOKENS_MAX } from '../lib/parse-json.ts'
import { checkChatRequest } from './check-chat-request.ts'
import { ApiError } from './error.ts'

function withCalls(...texts: string[]) {
  const calls = texts.map((text, index) => ({
    id: `call_${index}`,
    type: 'function',
    function: { name: 'f', arguments: text },
  }))
  const assistant = { role: 'assistant', content: null, tool_calls: calls }
  return { model: 'm', messages: [{ role: 'user', content: 'x' }, assistant] }
}

function assertRejected(body: object, call: number, says: RegExp) {
  const param = `messages[1].tool_calls[${call}].function.arguments`
  assert.throws(
    () => checkChatRequest(body),
    (error) => {
      assert.ok(error instanceof ApiError, String(error))
      assert.deepEqual([error.status, error.kind, error.param], [400, 'invalid_value', param])
      assert.match(error.message, says)
      return true
    },
  )
}

function argumentsOf(body: object): string | undefined {
  const [, message] = checkChatRequest(body).messages
  return message?.role === 'assistant' ? message.tool_calls?.[0]?.function.arguments : undefined
}

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

test('arguments of tool calls have the limits of a body, and the error names the call', () => {
  assert.equal(argumentsOf(withCalls(nested(JSON_DEPTH_MAX))), nested(JSON_DEPTH_MAX))
  assertRejected(withCalls('{}', nested(JSON_DEPTH_MAX + 1)), 1, /nested at most 64 levels/)
  // Deep enough to overflow the stack of JSON.stringify.
  assertRejected(withCalls(nested(7_000)), 0, /nested at most 64 levels/)
  assertRejected(withCalls('{"a":1,"\\u0061":2}'), 0, /repeat a key/)
  assertRejected(withCalls('{"__proto__":{}}'), 0, /prototype/)
  assertRejected(withCalls('"\\u0000"'), 0, /NUL/)
  assertRejected(withCalls('1e999'), 0, /finite/)
  assertRejected(withCalls('{"a":'), 0, /valid JSON/)
})

test('all arguments of a request share one limit of structural characters', () => {
  const half = `[${'0,'.repeat(JSON_TOKENS_MAX / 2 - 2)}0]`
  assert.ok(checkChatRequest(withCalls(half, half)))
  assertRejected(withCalls(half, half, '[]'), 2, /structural characters/)
})

test('arguments are passed on in one form, without spaces and escapes', () => {
  assert.equal(argumentsOf(withCalls('')), '{}')
  assert.equal(argumentsOf(withCalls(' { "a" : "\\u003c|x|\\u003e" } ')), '{"a":"<|x|>"}')
})

test('a long number that a model wrote is passed on with all its digits', () => {
  const long = '{"id":12345678901234567890,"part":[0.12345678901234567890]}'
  assert.equal(argumentsOf(withCalls(long.replaceAll(':', ' : '))), long)
})

test('the body of the client is not changed, although engines get shorter arguments', () => {
  const body = withCalls('{ "a" : 1 }')
  const before = structuredClone(body)
  assert.equal(argumentsOf(body), '{"a":1}')
  assert.deepEqual(body, before)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkChatRequest } from '../../../../../src/contract/check-chat-request.ts'
import { curlOf, pythonOf } from '../probe/snippets.ts'
import { readPlaygroundSearch } from '../search.ts'
import { chatBodyOf } from './chat-body.ts'
import { SCHEMA_EXAMPLE, TOOL_EXAMPLE } from './examples.ts'
import { findInvalid, readNumber } from './parameters.ts'
import { readSchema, readTool } from './read-json.ts'
import { searchOf } from './search-of.ts'

const TEXTS = { system: 'Be brief.', tools: [TOOL_EXAMPLE], schema: SCHEMA_EXAMPLE }
const EVERYTHING = readPlaygroundSearch({
  reasoning_effort: 'low',
  temperature: '0.7',
  top_p: '0.9',
  max_completion_tokens: '100',
  frequency_penalty: '-1',
  presence_penalty: '1',
  seed: '7',
  stop: 'a\nb',
  tool_choice: TOOL_EXAMPLE.name,
  parallel_tool_calls: 'false',
  format: 'json_schema',
})
const BODY = chatBodyOf('m', EVERYTHING, TEXTS, [{ role: 'user', content: "It's\nEOF\n$HOME" }])

test('the API takes a request with every setting, and each setting is in it', () => {
  const body = checkChatRequest(structuredClone(BODY))
  assert.equal(findInvalid(EVERYTHING), undefined)
  assert.deepEqual(body, BODY)
  const { messages, tools, ...rest } = body
  assert.deepEqual(rest, {
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    reasoning_effort: 'low',
    temperature: 0.7,
    top_p: 0.9,
    max_completion_tokens: 100,
    frequency_penalty: -1,
    presence_penalty: 1,
    seed: 7,
    stop: ['a', 'b'],
    tool_choice: { type: 'function', function: { name: TOOL_EXAMPLE.name } },
    parallel_tool_calls: false,
    response_format: { type: 'json_schema', json_schema: SCHEMA_EXAMPLE },
  })
  assert.deepEqual([messages.length, tools?.length], [2, 1])
})

test('a request that is opened again has the settings that it was sent with', () => {
  assert.deepEqual(searchOf(BODY), { ...EVERYTHING, model: 'm' })
  assert.deepEqual(searchOf(chatBodyOf('m', {}, { ...TEXTS, tools: [] }, [])), { model: 'm' })
})

test('what is not set is not sent', () => {
  const empty = { system: ' ', tools: [], schema: null }
  assert.deepEqual(Object.keys(chatBodyOf('m', {}, empty, [])), [
    'model',
    'stream',
    'stream_options',
    'messages',
  ])
})

test('numbers outside of their bounds are refused', () => {
  assert.deepEqual(
    [
      readNumber('temperature', '2.1'),
      readNumber('temperature', 'x'),
      readNumber('top_p', '-0.1'),
      readNumber('seed', '1.5'),
      readNumber('max_completion_tokens', '0'),
      readNumber('temperature', ''),
      readNumber('temperature', '2'),
    ],
    [null, null, null, null, null, undefined, 2],
  )
  assert.equal(findInvalid({ top_p: '2' }), 'top_p')
  assert.equal(findInvalid({ stop: 'a\nb\nc\nd\ne' }), 'stop')
})

test('tools and schemas are checked as the API checks them', () => {
  const wrong = { name: 'a', parameters: { type: 'object', properties: { a: { type: 'strin' } } } }
  assert.match(readTool(JSON.stringify(wrong)).error ?? '', /^parameters\.properties\.a\.type /)
  assert.match(readTool('{"name":""}').error ?? '', /^name/)
  assert.match(readTool('{"name":"a","strict":true}').error ?? '', /^strict/)
  assert.match(readTool('{').error ?? '', /not JSON/)
  const entry = { type: 'function', function: TOOL_EXAMPLE }
  assert.deepEqual(readTool(JSON.stringify(entry)).value, TOOL_EXAMPLE)
  assert.deepEqual(readSchema('{"type":"object"}').value?.name, 'answer')
  assert.match(readSchema('{"type":"strin"}').error ?? '', /^schema/)
})

test('a message cannot end the text of the curl command', () => {
  const command = curlOf('https://api.example/v1', BODY)
  const [, body = ''] = /<<'EOF'\n([^]*)\nEOF$/.exec(command) ?? []
  assert.deepEqual(JSON.parse(body), BODY)
  assert.ok(!body.split('\n').includes('EOF'))
  assert.match(pythonOf('https://api.example/v1', BODY), /parallel_tool_calls=False/)
})

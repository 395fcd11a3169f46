// Streams that vLLM 0.32.0 sent: fixtures/vllm-0.32.0-real/README.md says how they were recorded.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { EngineError } from '../../src/engines/adapters/engine.ts'
import type { Piece } from '../../src/engines/adapters/piece.ts'
import { vllm } from '../../src/engines/adapters/vllm.ts'
import { readRecording } from './read-recording.ts'

const FOLDER = 'vllm-0.32.0-real'
const read = (name: string) => readRecording(`${FOLDER}/${name}`, vllm)

const thought = (text: string): Piece => ({ type: 'reasoning', text })
const said = (text: string): Piece => ({ type: 'text', text })
const called = (index: number, city: string): Piece => {
  return { type: 'tool-call', index, name: 'get_weather', text: `{"city": "${city}"}` }
}
const ended = (reason: 'stop' | 'length' | 'tool_calls'): Piece => ({ type: 'finish', reason })
const counted = (prompt: number, completion: number, reasoning: number, cached = 0): Piece => ({
  type: 'usage',
  usage: {
    promptTokens: prompt,
    cachedTokens: cached,
    completionTokens: completion,
    reasoningTokens: reasoning,
  },
})

const FRANCE = 'The user asks for a capital. The capital of France is Paris.'
const PARIS = 'The tool get_weather fits this request. The arguments: city is Paris.'
const BOTH = 'The tool get_weather fits this request. The arguments: city is Rome; city is Oslo.'

test('vLLM 0.32.0: reasoning, text and the counts of both', async () => {
  assert.deepEqual(await read('text'), [
    thought(FRANCE),
    said('The capital of France is Paris.'),
    ended('stop'),
    counted(26, 26, 15),
  ])
})

test('vLLM 0.32.0: characters of several bytes are not split', async () => {
  assert.deepEqual(await read('text-many-bytes'), [
    thought('The user wants me to repeat a text. The text is "🙂 привет мир 你好"'),
    said('🙂 привет мир 你好'),
    ended('stop'),
    counted(46, 63, 27),
  ])
})

test('vLLM 0.32.0: cached tokens are counted if the server reports them', async () => {
  const pieces = await read('text-cached')
  assert.deepEqual(pieces.at(-1), counted(438, 8, 8, 384))
})

test('vLLM 0.32.0: a limit reached in the reasoning ends with length and no text', async () => {
  assert.deepEqual(await read('length-in-reasoning'), [
    thought('The user asks for a capital'),
    ended('length'),
    counted(26, 6, 6),
  ])
})

test('vLLM 0.32.0: a limit reached in the text ends with length', async () => {
  assert.deepEqual((await read('length-in-text')).slice(-2), [ended('length'), counted(28, 60, 20)])
})

test('vLLM 0.32.0: one call, and two in one turn', async () => {
  assert.deepEqual(await read('tool-auto'), [
    thought(PARIS),
    called(0, 'Paris'),
    ended('tool_calls'),
    counted(84, 38, 15),
  ])
  assert.deepEqual(await read('tool-auto-two'), [
    thought(BOTH),
    called(0, 'Rome'),
    called(1, 'Oslo'),
    ended('tool_calls'),
    counted(86, 64, 19),
  ])
})

for (const name of ['tool-required', 'tool-named']) {
  test(`vLLM 0.32.0: ${name} ends with tool_calls, whatever vLLM reports`, async () => {
    assert.deepEqual(await read(name), [
      thought(PARIS),
      called(0, 'Paris'),
      ended('tool_calls'),
      counted(92, 37, 15),
    ])
  })
}

test('vLLM 0.32.0: a truncated call ends with length', async () => {
  assert.deepEqual(await read('tool-auto-cut'), [
    thought(PARIS),
    { type: 'tool-call', index: 0, name: 'get_weather', text: '{"' },
    ended('length'),
    counted(84, 30, 15),
  ])
  assert.deepEqual(await read('tool-required-cut'), [
    thought(PARIS),
    ended('length'),
    counted(84, 24, 15),
  ])
})

test('vLLM 0.32.0: JSON by a schema, and a reply without reasoning', async () => {
  assert.deepEqual(await read('json-schema'), [
    thought('I answer with a JSON object. The values are name: "Bob"; age: 42.'),
    said('{"name": "Bob", "age": 42}'),
    ended('stop'),
    counted(31, 40, 23),
  ])
  assert.deepEqual(await read('effort-none'), [
    said('17 + 25 = 85.'),
    ended('stop'),
    counted(30, 12, 0),
  ])
})

const BROKEN = [
  ['a type that is none', 'error-schema-type', 'schema'],
  ['a reference to nothing', 'error-schema-ref', 'schema'],
  ['a pattern it cannot follow', 'error-schema-pattern', 'schema'],
  ['a keyword it cannot follow', 'error-schema-unique', 'schema'],
  // If only its inner process finds the error, vLLM reports no details.
  ['a schema that fails late', 'error-schema-in-core', 'status'],
  ['its own shutdown', 'abort-by-shutdown', 'protocol'],
] as const

for (const [what, name, kind] of BROKEN) {
  test(`vLLM 0.32.0: ${what}, sent in a 200, is an error of kind ${kind}`, async () => {
    await assert.rejects(read(name), (error) => {
      assert.ok(error instanceof EngineError, String(error))
      assert.equal(error.kind, kind)
      return true
    })
  })
}

for (const name of ['error-context-prompt', 'error-context-output']) {
  test(`vLLM 0.32.0: ${name}, a 400, is an error of kind context`, () => {
    const file = new URL(`fixtures/${FOLDER}/${name}.400.json`, import.meta.url)
    assert.equal(vllm.errorKindOf(400, readFileSync(file, 'utf8')), 'context')
  })
}

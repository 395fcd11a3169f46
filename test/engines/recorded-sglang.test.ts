// Streams that SGLang 0.5.23 sent: fixtures/sglang-0.5.23-real/README.md says how they were
// recorded.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { EngineError } from '../../src/engines/adapters/engine.ts'
import type { Piece } from '../../src/engines/adapters/piece.ts'
import { sglang } from '../../src/engines/adapters/sglang.ts'
import { readRecording } from './read-recording.ts'

const FOLDER = 'sglang-0.5.23-real'
const read = (name: string) => readRecording(`${FOLDER}/${name}`, sglang)

const thought = (text: string): Piece => ({ type: 'reasoning', text })
const said = (text: string): Piece => ({ type: 'text', text })
const called = (index: number, text: string): Piece => {
  return { type: 'tool-call', index, name: 'get_weather', text }
}
const ended = (reason: 'stop' | 'length' | 'tool_calls'): Piece => ({ type: 'finish', reason })
const FRANCE = 'The user asks for a capital. The capital of France is Paris.'
const PARIS = 'The tool get_weather fits this request. The arguments: city is Paris.'
const BOTH = 'The tool get_weather fits this request. The arguments: city is Rome; city is Oslo.'

/** Without cached tokens, which depend on earlier requests. */
async function readUncached(name: string) {
  const pieces = await read(name)
  return pieces.map((piece) => {
    if (piece.type !== 'usage') return piece
    const { promptTokens, completionTokens, reasoningTokens } = piece.usage
    return [promptTokens, completionTokens, reasoningTokens]
  })
}

test('SGLang 0.5.23: reasoning, text and the counts of both', async () => {
  assert.deepEqual(await readUncached('text'), [
    thought(FRANCE),
    said('The capital of France is Paris.'),
    ended('stop'),
    [26, 26, 16],
  ])
})

test('SGLang 0.5.23: characters of several bytes are not split', async () => {
  assert.deepEqual(await readUncached('text-many-bytes'), [
    thought('The user wants me to repeat a text. The text is "🙂 привет мир 你好"'),
    said('🙂 привет мир 你好'),
    ended('stop'),
    [46, 63, 38],
  ])
})

test('SGLang 0.5.23: cached tokens are counted if the server reports them', async () => {
  const counts = { promptTokens: 438, cachedTokens: 437, completionTokens: 8, reasoningTokens: 8 }
  assert.deepEqual((await read('text-cached')).at(-1), { type: 'usage', usage: counts })
})

test('SGLang 0.5.23: a limit ends with length, in the reasoning or after it', async () => {
  assert.deepEqual(await readUncached('length-in-reasoning'), [
    thought('The user asks for a capital'),
    ended('length'),
    [26, 6, 6],
  ])
  const late = await readUncached('length-in-text')
  assert.deepEqual(late.slice(-2), [ended('length'), [28, 60, 21]])
})

test('SGLang 0.5.23: one call, and two in one turn', async () => {
  assert.deepEqual(await readUncached('tool-auto'), [
    thought(PARIS),
    called(0, '{"city": "Paris"}'),
    ended('tool_calls'),
    [98, 38, 16],
  ])
  assert.deepEqual(await readUncached('tool-auto-two'), [
    thought(BOTH),
    called(0, '{"city": "Rome"}'),
    called(1, '{"city": "Oslo"}'),
    ended('tool_calls'),
    [100, 64, 20],
  ])
})

for (const name of ['tool-required', 'tool-named']) {
  test(`SGLang 0.5.23: ${name} of a strict tool follows its parameters`, async () => {
    assert.deepEqual(await readUncached(name), [
      thought(PARIS),
      called(0, '{"city": "Paris"}'),
      ended('tool_calls'),
      [105, 46, 16],
    ])
  })
}

test('SGLang 0.5.23: a truncated call ends with length', async () => {
  assert.deepEqual(await readUncached('tool-auto-cut'), [
    thought(PARIS),
    called(0, '{}'),
    ended('length'),
    [98, 30, 16],
  ])
  assert.deepEqual(await readUncached('tool-required-cut'), [
    thought(PARIS),
    ended('length'),
    [98, 24, 16],
  ])
})

test('SGLang 0.5.23: JSON by a schema, and a reply without reasoning', async () => {
  assert.deepEqual(await readUncached('json-schema'), [
    thought('I answer with a JSON object. The values are name: "Bob"; age: 42.'),
    said('{"name": "Bob", "age": 42}'),
    ended('stop'),
    [31, 40, 24],
  ])
  const plain = [said('17 + 25 = 85.'), ended('stop'), [30, 12, 0]]
  assert.deepEqual(await readUncached('effort-none'), plain)
})

const BROKEN = [
  ['a type that is none', 'error-schema-type', 'schema'],
  ['a reference to nothing', 'error-schema-ref', 'schema'],
  ['a pattern it cannot follow', 'error-schema-pattern', 'schema'],
  ['a keyword it cannot follow', 'error-schema-unique', 'schema'],
  ['a full queue', 'queue-full', 'busy'],
  ['an abort by someone else', 'abort', 'protocol'],
] as const

for (const [what, name, kind] of BROKEN) {
  test(`SGLang 0.5.23: ${what}, sent in a 200, is an error of kind ${kind}`, async () => {
    await assert.rejects(read(name), (error) => {
      assert.ok(error instanceof EngineError, String(error))
      assert.equal(error.kind, kind)
      return true
    })
  })
}

const REFUSED = [
  ['error-context-prompt', 'context'],
  ['error-context-sum', 'context'],
  ['error-output-limit', 'refused'],
] as const

for (const [name, kind] of REFUSED) {
  test(`SGLang 0.5.23: ${name}, a 400, is an error of kind ${kind}`, () => {
    const file = new URL(`fixtures/${FOLDER}/${name}.400.json`, import.meta.url)
    assert.equal(sglang.errorKindOf(400, readFileSync(file, 'utf8')), kind)
  })
}

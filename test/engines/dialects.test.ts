// Dialects of releases and flags that were not run: the fixtures are written after their sources.
// Recordings of the real servers are read by recorded-vllm.test.ts and recorded-sglang.test.ts.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { EngineTraits } from '../../src/engines/adapters/chat-engine.ts'
import { EngineError } from '../../src/engines/adapters/engine.ts'
import type { Piece } from '../../src/engines/adapters/piece.ts'
import { bytesOf } from '../harness/engines/engine-bytes.ts'
import { readPieces } from '../../src/engines/adapters/read-pieces.ts'
import { sglang } from '../../src/engines/adapters/sglang.ts'
import { vllm } from '../../src/engines/adapters/vllm.ts'

/** The pieces of a fixture, read at once. */
async function read(name: string, traits: EngineTraits): Promise<Piece[]> {
  const stream = readFileSync(new URL(`fixtures/${name}.sse`, import.meta.url))
  const bytes = bytesOf([[stream]])
  const options = { toolCallsMax: Infinity, charactersMax: 10_000, pauses: undefined }
  const pieces: Piece[] = []
  for await (const batch of readPieces(bytes, { ...traits, engine: name, observed: {} }, options))
    pieces.push(...batch.pieces)
  return pieces
}

const ANSWER: Piece[] = [
  { type: 'reasoning', text: 'The user asks.' },
  { type: 'text', text: 'Paris.' },
  { type: 'finish', reason: 'stop' },
]

test('vLLM: reasoning, a finish chunk with text, and counts of both', async () => {
  const usage = { promptTokens: 21, cachedTokens: 16, completionTokens: 8, reasoningTokens: 5 }
  assert.deepEqual(await read('vllm-0.28-text', vllm), [...ANSWER, { type: 'usage', usage }])
})

test('vLLM: a named tool choice that ends with stop becomes tool_calls', async () => {
  const usage = { promptTokens: 80, cachedTokens: 0, completionTokens: 17, reasoningTokens: 0 }
  assert.deepEqual(await read('vllm-0.28-named-tool', vllm), [
    { type: 'tool-call', index: 0, name: 'get_weather', text: '{"city": "Paris"}' },
    { type: 'finish', reason: 'tool_calls' },
    { type: 'usage', usage },
  ])
})

test('SGLang: the same reply in its dialect gives the same pieces', async () => {
  const usage = { promptTokens: 21, cachedTokens: 16, completionTokens: 8, reasoningTokens: 5 }
  assert.deepEqual(await read('sglang-0.5.18-text', sglang), [...ANSWER, { type: 'usage', usage }])
})

const BROKEN = [
  ['vLLM: an error before the end marker', 'vllm-0.28-error-then-done', vllm, 'status'],
  ['SGLang: a full queue in a 200', 'sglang-0.5.18-queue-full', sglang, 'busy'],
  ['SGLang: a finish of abort', 'sglang-0.5.18-abort', sglang, 'protocol'],
] as const

for (const [name, fixture, traits, kind] of BROKEN) {
  test(`${name} is an error of kind ${kind}, not a normal end`, async () => {
    await assert.rejects(read(fixture, traits), (error) => {
      assert.ok(error instanceof EngineError, String(error))
      assert.equal(error.kind, kind)
      return true
    })
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf } from '../../../../test/harness/engines/engine-bytes.ts'
import { EngineError, type Observed } from '../engine.ts'
import { keepText } from '../neutralise.ts'
import type { Piece, TokenCounts } from '../piece.ts'
import { readPieces } from '../read-pieces.ts'
import { openAi, type Declared } from './openai.ts'

const DECLARED: Declared = {
  reasoning_field: 'auto',
  usage: 'auto',
  tool_choice: 'auto',
  json_schema: 'auto',
  cache: 'none',
  abort: 'none',
  context: 'truncates',
}

const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const delta = (own: object) => event({ choices: [{ index: 0, delta: own }] })
const USAGE = { prompt_tokens: 7, completion_tokens: 3 }
const finish = (more: object = {}) =>
  event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], ...more })
const DONE = 'data: [DONE]\n\n'

async function read(events: readonly string[], declared: Partial<Declared> = {}) {
  const observed: Observed = {}
  const dialect = { ...openAi({ ...DECLARED, ...declared }), engine: 'any', observed }
  const estimate = { promptTokens: 11, bytesPerToken: 2 }
  const options = { toolCallsMax: 9, charactersMax: 1_000, pauses: undefined, estimate }
  const pieces: Piece[] = []
  const progress: (TokenCounts | undefined)[] = []
  const bytes = bytesOf(events.map((each) => [Buffer.from(each)]))
  for await (const batch of readPieces(bytes, dialect, options)) {
    pieces.push(...batch.pieces)
    progress.push(batch.progress)
  }
  const last = pieces.at(-1)
  return { observed, progress, pieces, usage: last?.type === 'usage' ? last.usage : undefined }
}

test('a stream may end after its finish reason', async () => {
  const events = [delta({ content: 'Hello' }), finish({ usage: USAGE })]
  const { observed, usage } = await read(events)
  assert.equal(observed.endMarker, false)
  assert.equal(usage?.completionTokens, 3)
  assert.equal((await read([...events, DONE])).observed.endMarker, true)
})

test('a stream that ends before its finish reason is broken', async () => {
  await assert.rejects(read([delta({ content: 'Hello' })]), { kind: 'transport' })
  await assert.rejects(read([delta({ content: 'Hello' }), DONE]), { kind: 'protocol' })
})

test('tokens that are not reported are estimated from bytes, and marked', async () => {
  const events = [delta({ reasoning: 'née' }), delta({ content: 'four' }), finish(), DONE]
  const { usage, progress } = await read(events)
  const estimated = { promptTokens: 11, cachedTokens: 0, isEstimated: true }
  assert.deepEqual(progress[0], { ...estimated, completionTokens: 2, reasoningTokens: 2 })
  assert.deepEqual(usage, { ...estimated, completionTokens: 4, reasoningTokens: 2 })
  await assert.rejects(read(events, { usage: 'reported' }), EngineError)
})

test('reported tokens replace the estimate', async () => {
  const events = [delta({ content: 'four' }), finish(), event({ choices: [], usage: USAGE }), DONE]
  const { usage } = await read(events)
  assert.deepEqual(usage, {
    promptTokens: 7,
    cachedTokens: 0,
    completionTokens: 3,
    reasoningTokens: 0,
  })
})

test('reasoning is read from both members, and the member is remembered', async () => {
  for (const member of ['reasoning', 'reasoning_content'] as const) {
    const events = [delta({ [member]: 'Why' }), delta({ content: 'So' }), finish(), DONE]
    const { observed, pieces } = await read(events)
    assert.equal(observed.reasoningMember, member)
    assert.deepEqual(pieces[0], { type: 'reasoning', text: 'Why' })
  }
})

test('only members of the convention are sent, and a salt only if it is declared', () => {
  const plain = openAi(DECLARED)
  assert.deepEqual(plain.cacheOf('salt', undefined), {})
  assert.deepEqual(plain.usageOptions, { stream_options: { include_usage: true } })
  assert.deepEqual(openAi({ ...DECLARED, usage: 'none' }).usageOptions, {})
  const salted = openAi({ ...DECLARED, cache: 'salt:cache_key' })
  assert.deepEqual(salted.cacheOf('x', undefined), { cache_key: 'x' })
  assert.deepEqual([plain.promptCache, salted.promptCache], ['shared', 'salted'])
})

test('a named tool is the only one that is offered, and must follow its schema', () => {
  const tool = (name: string) => ({ type: 'function' as const, function: { name } })
  const request = {
    model: 'm',
    messages: [{ role: 'user' as const, content: 'Hi' }],
    tools: [tool('one'), tool('two')],
    tool_choice: { type: 'function' as const, function: { name: 'two' } },
  }
  const sent = openAi(DECLARED).toolsOf(request, keepText) as {
    tools: { function: { name: string; strict?: boolean } }[]
    tool_choice: string
  }
  assert.deepEqual(
    sent.tools.map(({ function: { name, strict } }) => [name, strict]),
    [['two', true]],
  )
  assert.equal(sent.tool_choice, 'required')
})

test('errors about the context and about schemas are told apart from others', () => {
  const traits = openAi(DECLARED)
  assert.equal(traits.errorKindOf(400, 'maximum context length is 4096 tokens'), 'context')
  assert.equal(traits.errorKindOf(400, 'invalid JSON schema'), 'schema')
  assert.equal(traits.errorKindOf(400, 'unexpected field'), 'refused')
  assert.equal(traits.errorKindOf(500, 'context length'), 'status')
})

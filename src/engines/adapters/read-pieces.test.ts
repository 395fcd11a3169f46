import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { bytesOf } from '../../../test/harness/engines/engine-bytes.ts'
import { recordedEvents } from '../../../test/harness/fake-engine/events.ts'
import { EngineError } from './engine.ts'
import type { Piece, TokenCounts } from './piece.ts'
import { readPieces } from './read-pieces.ts'
import type { Dialect } from './wire-chunk.ts'

const COUNTS = { promptTokens: 3, cachedTokens: 0, completionTokens: 2, reasoningTokens: 0 }

const dialect: Dialect = {
  engine: 'test',
  observed: {},
  usage: 'reported',
  end: 'marker',
  reasoningOf: (delta) => delta.reasoning_content,
  progressOf: ({ timings }) =>
    timings ? { ...COUNTS, completionTokens: timings.predicted_n ?? 0 } : undefined,
  reasoningTokensOf: (_usage, counted) => counted,
  errorKindOf: () => 'status',
}

async function* inParts(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer[]> {
  const at = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b), bytes.length]
  for (const [index, from] of at.slice(0, -1).entries()) {
    const part = bytes.subarray(from, at[index + 1])
    if (part.length > 0) yield [part]
  }
}

async function readPiecesOf(
  stream: string,
  cuts: readonly number[] = [],
  toolCallsMax = Infinity,
  charactersMax = 10_000,
) {
  const pieces: Piece[] = []
  const bytes = bytesOf(inParts(Buffer.from(stream), cuts))
  const options = { toolCallsMax, charactersMax, pauses: undefined }
  for await (const batch of readPieces(bytes, dialect, options)) pieces.push(...batch.pieces)
  return pieces
}

async function readOf(stream: string, { json }: { json: boolean }) {
  const bytes = bytesOf(inParts(Buffer.from(stream), []))
  const options = { toolCallsMax: Infinity, charactersMax: 10_000, pauses: undefined, json }
  const pieces: Piece[] = []
  for await (const batch of readPieces(bytes, dialect, options)) pieces.push(...batch.pieces)
  return assemble(pieces)
}

async function read(stream: string, cuts: readonly number[] = [], toolCallsMax = Infinity) {
  return assemble(await readPiecesOf(stream, cuts, toolCallsMax))
}

function assemble(pieces: readonly Piece[]) {
  const result = {
    text: '',
    reasoning: '',
    calls: [] as string[],
    finish: '',
    usage: undefined as TokenCounts | undefined,
  }
  for (const piece of pieces) {
    if (piece.type === 'text') result.text += piece.text
    else if (piece.type === 'reasoning') result.reasoning += piece.text
    else if (piece.type === 'tool-call') result.calls[piece.index] = `${piece.name}:${piece.text}`
    else if (piece.type === 'arguments') result.calls[piece.index] += piece.text
    else if (piece.type === 'finish') result.finish = piece.reason
    else result.usage = piece.usage
  }
  return result
}

function chunk(delta: object, finish: string | null = null, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return `data: ${JSON.stringify({ choices, ...more })}\n\n`
}

function call(index: number, fields: { id?: string; name?: string; arguments?: string }): string {
  const { id, ...details } = fields
  return chunk({ tool_calls: [{ index, ...(id ? { id } : {}), function: details }] })
}

const COUNTED = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }
const USAGE = `data: ${JSON.stringify(COUNTED)}\n\n`
const END = `${USAGE}data: [DONE]\n\n`

const RECORDED = [
  '27-stream-usage',
  '29-stream-utf8',
  '32-tool-auto-stream',
  '41-tool-parallel-stream',
  '47-json-schema-stream',
]

for (const name of RECORDED) {
  test(`the recorded ${name} reads the same however it is split`, async () => {
    const stream = recordedEvents(name).join('')
    const whole = await read(stream)
    assert.notEqual(whole.finish, '')
    assert.notEqual(whole.usage, undefined)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 12 }), async (cuts) => {
        assert.deepEqual(await read(stream, cuts), whole)
      }),
      { numRuns: 40 },
    )
  })
}

test('reasoning loses its trailing newlines and keeps the others', async () => {
  const stream =
    chunk({ reasoning_content: 'a\n' }) +
    chunk({ reasoning_content: '\nb\n' }) +
    chunk({ content: 'c' }, 'stop')
  const result = await read(stream + END)
  assert.deepEqual([result.reasoning, result.text, result.finish], ['a\n\nb', 'c', 'stop'])
})

test('newlines in reasoning cost time in proportion to their number', async () => {
  const count = 100_000
  const held = '\n'.repeat(count)
  const streams = {
    'in one event': chunk({ reasoning_content: `${held}a` }),
    'each in an event': chunk({ reasoning_content: '\n' }).repeat(count),
    'before every letter': chunk({ reasoning_content: '\n'.repeat(99) + 'a' }).repeat(count / 100),
  }
  for (const [name, stream] of Object.entries(streams)) {
    const start = process.cpuUsage()
    await readPiecesOf(stream + chunk({ content: 'b' }, 'stop') + END, [], Infinity, 2 * count)
    const { user, system } = process.cpuUsage(start)
    // 100,000 events need about 300 ms; the newlines next to nothing.
    assert.ok(user + system < 2_000_000, `${name}: ${(user + system) / 1000} ms`)
  }
})

test('newlines that are held back count as output', async () => {
  const stream = chunk({ reasoning_content: '\n'.repeat(99) }).repeat(200)
  await assert.rejects(readPiecesOf(stream), /more output than requested/)
})

test('names of tool calls count as output, and each call as one token at least', async () => {
  const named = call(0, { id: 'x', name: 'f'.repeat(10_001) })
  await assert.rejects(readPiecesOf(named), /more output than requested/)
  const many = Array.from({ length: 10_000 }, (_, index) => call(index, { name: 'f' })).join('')
  await assert.rejects(readPiecesOf(many), /more output than requested/)
})

test('reasoning after the start of the answer is dropped', async () => {
  const stream = chunk({ content: 'a' }) + chunk({ reasoning_content: 'b' }) + chunk({}, 'stop')
  const result = await read(stream + END)
  assert.deepEqual([result.reasoning, result.text], ['', 'a'])
})

test('newlines between reasoning and answer belong to neither', async () => {
  const stream = chunk({ reasoning_content: 'a' }) + chunk({ content: '\n' })
  const result = await read(stream + chunk({ content: '\n b\n' }, 'stop') + END)
  assert.deepEqual([result.reasoning, result.text], ['a', ' b\n'])
})

test('an answer without reasoning keeps the blanks at its start', async () => {
  const result = await read(chunk({ content: '\n ' }) + chunk({ content: 'a' }, 'stop') + END)
  assert.equal(result.text, '\n a')
})

test('an answer that consists of blanks is kept', async () => {
  const result = await read(chunk({ content: ' ' }) + chunk({ content: '\n' }, 'length') + END)
  assert.equal(result.text, ' \n')
})

test('blanks before, between and after tool calls are no text', async () => {
  const one = call(0, { id: 'x', name: 'f', arguments: '{}' })
  const other = call(1, { id: 'y', name: 'g', arguments: '{}' })
  const blank = chunk({ content: '\n\n' })
  const thought = chunk({ reasoning_content: 'a' })
  const pieces = await readPiecesOf(
    thought + blank + one + blank + other + blank + chunk({}, 'stop') + END,
  )
  assert.deepEqual(assemble(pieces).calls, ['f:{}', 'g:{}'])
  assert.deepEqual(
    pieces.filter((piece) => piece.type === 'text'),
    [],
  )
})

test('text before a tool call is kept whole', async () => {
  const stream = chunk({ content: 'Let me see.\n' }) + call(0, { id: 'x', name: 'f' })
  const result = await read(stream + chunk({}, 'stop') + END)
  assert.deepEqual([result.text, result.calls], ['Let me see.\n', ['f:{}']])
})

test('JSON that runs away into blanks is cut, and counted as far as it came', async () => {
  const blanks = chunk({ content: ' '.repeat(100) }, null, { timings: { predicted_n: 9 } })
  const text = chunk({ content: '{"a": "' + ' '.repeat(999) + '", ' }) + blanks.repeat(3)
  const json = await readOf(text, { json: true })
  assert.deepEqual([json.finish, json.usage?.completionTokens], ['length', 9])
  const named = call(0, { id: 'x', name: 'f', arguments: '{' + '\n'.repeat(300) })
  const called = await readOf(blanks + named, { json: true })
  assert.deepEqual([called.finish, called.calls.length], ['length', 1])
  // Text that is no JSON may have as many blanks as it likes.
  await assert.rejects(readOf(text, { json: false }), /ended before its end marker/)
})

test('text of one read is one piece, which hides the number of tokens', async () => {
  const stream = chunk({ content: 'a' }) + chunk({ content: 'b' }) + chunk({}, 'stop') + END
  const texts = (await readPiecesOf(stream)).filter((piece) => piece.type === 'text')
  assert.deepEqual(texts, [{ type: 'text', text: 'ab' }])
})

test('tool calls are identified by index or id and get our indexes', async () => {
  const byIndex = call(3, { id: 'x', name: 'f', arguments: '{' }) + call(3, { arguments: '}' })
  const byId = call(3, { id: 'y', name: 'g', arguments: '{}' })
  const result = await read(byIndex + byId + chunk({}, 'stop') + END)
  assert.deepEqual(result.calls, ['f:{}', 'g:{}'])
  assert.equal(result.finish, 'tool_calls')
})

test('a tool call beyond the limit ends the generation before it', async () => {
  const progress = { timings: { predicted_n: 7 } }
  const first = call(0, { id: 'x', name: 'f', arguments: '{}' }) + chunk({}, null, progress)
  const result = await read(first + call(1, { id: 'y', name: 'g' }), [], 1)
  assert.deepEqual(result.calls, ['f:{}'])
  assert.deepEqual([result.finish, result.usage?.completionTokens], ['tool_calls', 7])
})

test('empty arguments of a finished tool call become {}', async () => {
  const result = await read(call(0, { id: 'x', name: 'f' }) + chunk({}, 'tool_calls') + END)
  assert.deepEqual(result.calls, ['f:{}'])
})

test('arguments cut off by the output limit are kept', async () => {
  const cut = call(0, { id: 'x', name: 'f', arguments: '{"a": 1} and so' })
  const result = await read(cut + chunk({}, 'length') + END)
  assert.deepEqual([result.calls, result.finish], [['f:{"a": 1} and so'], 'length'])
})

const BROKEN: [name: string, stream: string, kind: string][] = [
  ['an end of the connection mid-stream', chunk({ content: 'a' }), 'transport'],
  ['an end of the connection after the finish', chunk({}, 'stop'), 'transport'],
  ['an end marker without a finish', chunk({ content: 'a' }) + END, 'protocol'],
  ['an end marker without usage', `${chunk({}, 'stop')}data: [DONE]\n\n`, 'protocol'],
  ['an error before the end marker', `data: {"error":{"message":"x"}}\n\n${END}`, 'status'],
  ['text after the finish', chunk({}, 'stop') + chunk({ content: 'a' }) + END, 'protocol'],
  ['an event that is not JSON', `data: {"choices\n\n${END}`, 'protocol'],
  ['an event that is not an object', `data: 1\n\n${END}`, 'protocol'],
  ['content that is not text', chunk({ content: 1 }) + END, 'protocol'],
  ['a tool call without a name', call(0, { arguments: '{}' }) + END, 'protocol'],
  [
    'a finished tool call whose arguments are not JSON',
    call(0, { id: 'x', name: 'f', arguments: '{"a": 1} and so on' }) + chunk({}, 'stop') + END,
    'protocol',
  ],
  [
    'a finished tool call whose arguments are a number',
    call(0, { id: 'x', name: 'f', arguments: '5' }) + chunk({}, 'stop') + END,
    'protocol',
  ],
  ['an unknown finish', chunk({}, 'abort') + END, 'protocol'],
  ['more text than requested', chunk({ content: 'a'.repeat(10_001) }) + END, 'protocol'],
  ['tool calls that are not a list', chunk({ tool_calls: 5 }) + END, 'protocol'],
  ['a tool call that is null', chunk({ tool_calls: [null] }) + END, 'protocol'],
  [
    'a negative count',
    `${chunk({}, 'stop')}data: {"usage":{"prompt_tokens":-5,"completion_tokens":"2"}}\n\n${END}`,
    'protocol',
  ],
  ['an event without an end', `data: ${'a'.repeat(2_000_000)}`, 'protocol'],
]

for (const [name, stream, kind] of BROKEN) {
  test(`${name} is an EngineError of kind ${kind}`, async () => {
    await assert.rejects(read(stream), (error) => {
      assert.ok(error instanceof EngineError, String(error))
      assert.equal(error.kind, kind)
      return true
    })
  })
}

test('comments and events after the end marker are ignored', async () => {
  const result = await read(
    `: ping\n\n${chunk({ content: 'a' }, 'stop')}:\n\n${END}data: {"error":1}\n\n`,
  )
  assert.deepEqual([result.text, result.finish], ['a', 'stop'])
})

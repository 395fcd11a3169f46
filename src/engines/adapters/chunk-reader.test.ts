import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { recordedEvents } from '../../../test/harness/fake-engine/events.ts'
import { ChunkReader } from './chunk-reader.ts'

/** The expected chunks: a stream in one part is never read by a frame. */
function parsed(stream: Buffer): unknown[] {
  return readIn([stream]).chunks
}

/** Reads the parts; `failed` if the reader threw. */
function readIn(parts: readonly Buffer[]) {
  const chunks: unknown[] = []
  const reader = new ChunkReader({
    isOver: () => false,
    onChunk: (chunk) => chunks.push(structuredClone(chunk)),
    onEndMarker: () => chunks.push('end'),
  })
  try {
    for (const part of parts) reader.read(part, 0, part.length)
    return { chunks, failed: false }
  } catch {
    return { chunks, failed: true }
  }
}

/** One part per event, as engines send them. */
function eventsOf(stream: Buffer): Buffer[] {
  const events = stream.toString('latin1').match(/[^]*?\n\n/g) ?? []
  return events.map((event) => Buffer.from(event, 'latin1'))
}

function fixture(name: string): Buffer {
  return readFileSync(new URL(`../../../test/engines/fixtures/${name}.sse`, import.meta.url))
}

/** Events as vLLM sends them. */
function countedStream(texts: readonly string[], member = 'content'): Buffer {
  const events = texts.map((text, index) => {
    const head = { id: 'chatcmpl-1', created: 1_794_700_000, model: 'm' }
    const choices = [{ index: 0, delta: { [member]: text }, finish_reason: null }]
    const usage = { prompt_tokens: 9, total_tokens: 10 + index, completion_tokens: 1 + index }
    return `data: ${JSON.stringify({ ...head, choices, usage })}\n\n`
  })
  return Buffer.from(events.join(''))
}

test('a byte order mark is skipped at the start of a stream only, however it is cut', () => {
  const mark = '\ufeff'
  const event = 'data: {"a":1}\n\n'
  const cases = [
    [mark + event, [{ a: 1 }]],
    [mark + mark + event + event, [{ a: 1 }]],
    [event + mark + event, [{ a: 1 }]],
    [`${event}ï»¿${event}`, [{ a: 1 }]],
  ] as const
  for (const [text, expected] of cases) {
    const stream = Buffer.from(text)
    assert.deepEqual(readIn([stream]).chunks, expected, JSON.stringify(text))
    for (let cut = 1; cut < stream.length; cut++) {
      const parts = [stream.subarray(0, cut), stream.subarray(cut)]
      assert.deepEqual(readIn(parts).chunks, expected, `${JSON.stringify(text)} cut at ${cut}`)
    }
  }
})

const REAL = ['vllm-0.32.0-real/length-in-text', 'sglang-0.5.23-real/length-in-text']

const STREAMS: readonly (readonly [name: string, stream: Buffer])[] = [
  ...['vllm-0.28-text', 'vllm-0.28-named-tool', 'sglang-0.5.18-text', ...REAL].map(
    (name) => [name, fixture(name)] as const,
  ),
  ...['27-stream-usage', '29-stream-utf8', '32-tool-auto-stream'].map(
    (name) => [name, Buffer.from(recordedEvents(name).join(''))] as const,
  ),
  ['texts with escapes', countedStream(['a', '"', '\\', '\n', 'é', '😀', '\u0000', 'z'])],
  ['texts that look like members', countedStream(['x', '"content":"y"', 'content', '":1,"', 'z'])],
]

for (const [name, stream] of STREAMS) {
  test(`${name}: reading event by event gives the same chunks as reading all at once`, () => {
    assert.deepEqual(readIn(eventsOf(stream)).chunks, parsed(stream))
  })

  test(`${name}: a mutated event gives the same result with and without a frame`, () => {
    const events = eventsOf(stream)
    fc.assert(
      fc.property(fc.nat(), fc.array(mutation, { minLength: 1, maxLength: 3 }), (pick, changes) => {
        const index = pick % events.length
        const changed = changes.reduce(mutate, events[index] as Buffer)
        const parts = [...events.slice(0, index), changed, ...events.slice(index + 1)]
        assert.deepEqual(readIn(parts), readIn([Buffer.concat(parts)]))
      }),
      { numRuns: 400 },
    )
  })
}

type Mutation = { readonly at: number; readonly remove: number; readonly add: string }

/** Mostly at the positions of counts and texts, and mostly meaningful there. */
const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat({ max: 400 }),
  remove: fc.nat({ max: 3 }),
  add: fc.oneof(
    fc.constantFrom('"', '\\', '\\u12', '0', '1', '00', '-', '.5', 'e1', '{', '}', '\n', '\r'),
    fc.constantFrom('\n\n', ',"content":"', '"usage":null,', 'null', '\u0001', ' ', '\xc3', '\xff'),
    fc.string({ maxLength: 4 }),
  ),
})

function mutate(event: Buffer, { at, remove, add }: Mutation): Buffer {
  const from = at % event.length
  const rest = event.subarray(from + remove)
  return Buffer.concat([event.subarray(0, from), Buffer.from(add, 'latin1'), rest])
}

test('every text in every member is preserved', () => {
  const texts = fc.array(fc.string({ unit: 'binary' }), { minLength: 1 })
  const member = fc.constantFrom('content', 'reasoning', 'reasoning_content')
  fc.assert(
    fc.property(texts, member, (values, key) => {
      const stream = countedStream(values, key)
      assert.deepEqual(readIn(eventsOf(stream)).chunks, parsed(stream))
    }),
  )
})

const EVENT = '{"choices":[{"delta":{"content":"a"}}],"usage":{"completion_tokens":1}}'

function detailed(details: string, after = ''): string {
  return `${EVENT.slice(0, -2)},"completion_tokens_details":${details}}${after}}`
}

/** Pairs of events, the second of which almost matches the frame of the first. */
const LOOKALIKES: readonly (readonly [name: string, first: string, second: string])[] = [
  ['a count with a leading zero', EVENT, EVENT.replace('1}', '02}')],
  ['a count with a fraction', EVENT, EVENT.replace('1}', '1.5}')],
  ['a count that is not exact', EVENT, EVENT.replace('1}', '12345678901234567891}')],
  ['no count', EVENT, EVENT.replace('1}', '}')],
  ['a raw control character', EVENT, EVENT.replace('a"', '\u0001"')],
  ['a text without an end', EVENT, EVENT.replace('a"', 'a\\"')],
  ['two events in one part', EVENT, `${EVENT}\n\ndata: ${EVENT}`],
  ['more after the event', EVENT, `${EVENT}\n\n `],
  [
    'the same key elsewhere',
    '{"x":{"content":"q"},"choices":[{"delta":{"content":"a"}}]}',
    '{"x":{"content":"r"},"choices":[{"delta":{"content":"a"}}]}',
  ],
  [
    'a key that ends like another',
    String.raw`{"x\"content":"q","choices":[{"delta":{"\u0063ontent":"a"}}]}`,
    String.raw`{"x\"content":"r","choices":[{"delta":{"\u0063ontent":"a"}}]}`,
  ],
  [
    'the same details elsewhere',
    detailed(
      '{"reasoning_tokens":1}',
      ',"x":{"completion_tokens_details": {"reasoning_tokens":1}}',
    ),
    detailed(
      '{"reasoning_tokens":1}',
      ',"x":{"completion_tokens_details": {"reasoning_tokens":2}}',
    ),
  ],
  [
    'a repeated count in the details',
    detailed('{"reasoning_tokens":1,"reasoning_tokens":1}'),
    detailed('{"reasoning_tokens":2,"reasoning_tokens":1}'),
  ],
  [
    'a count deeper in the details',
    detailed('{"x":{"reasoning_tokens":1},"reasoning_tokens":1}'),
    detailed('{"x":{"reasoning_tokens":2},"reasoning_tokens":1}'),
  ],
  [
    'a second usage',
    '{"choices":[{"delta":{"content":"a"}}],"usage":{"completion_tokens":1},"usage":{}}',
    '{"choices":[{"delta":{"content":"a"}}],"usage":{"completion_tokens":2},"usage":{}}',
  ],
]

for (const [name, first, second] of LOOKALIKES) {
  test(`${name} gives the same result with and without a frame`, () => {
    const parts = [first, second].map((event) => Buffer.from(`data: ${event}\n\n`))
    assert.deepEqual(readIn(parts), readIn([Buffer.concat(parts)]))
  })
}

for (const name of REAL) {
  test(`${name}: most events of a real engine are not parsed again`, (t) => {
    const events = eventsOf(fixture(name))
    const parse = t.mock.method(JSON, 'parse')
    readIn(events)
    assert.ok(parse.mock.callCount() < events.length / 4, `${parse.mock.callCount()}`)
  })
}

test('a ping or line feeds in a read of their own are skipped', () => {
  const event = eventsOf(countedStream(['a']))[0] ?? Buffer.alloc(0)
  assert.deepEqual(readIn([event.subarray(0, -2), event.subarray(-2)]), readIn([event]))
  for (const noise of [':\n\n', '\n\n'])
    assert.deepEqual(readIn([Buffer.from(noise), event]), readIn([event]))
})

test('an event that matches the frame is not parsed', (t) => {
  const events = eventsOf(countedStream(['a', 'b', 'c', 'd']))
  const parse = t.mock.method(JSON, 'parse')
  readIn(events)
  assert.equal(parse.mock.callCount(), 1)
})

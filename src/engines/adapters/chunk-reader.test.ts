import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { recordedEvents } from '../../../test/harness/fake-engine/events.ts'
import { createChunkReader } from './chunk-reader.ts'

/** Every event parsed by itself, as a body that came in one part is: nothing is known then. */
function parsed(stream: Buffer): unknown[] {
  return readIn([stream]).chunks
}

/** What a reader makes of the parts, and how it failed if it did. */
function readIn(parts: readonly Buffer[]) {
  const chunks: unknown[] = []
  const read = createChunkReader({
    isOver: () => false,
    onChunk: (chunk) => chunks.push(structuredClone(chunk)),
    onEndMarker: () => chunks.push('end'),
  })
  try {
    for (const part of parts) read(part)
    return { chunks, failed: false }
  } catch {
    return { chunks, failed: true }
  }
}

/** One part for each event, as engines send them. */
function eventsOf(stream: Buffer): Buffer[] {
  const events = stream.toString('latin1').match(/[^]*?\n\n/g) ?? []
  return events.map((event) => Buffer.from(event, 'latin1'))
}

function fixture(name: string): Buffer {
  return readFileSync(new URL(`../../../test/engines/fixtures/${name}.sse`, import.meta.url))
}

/** As vLLM sends them, with whatever tokens a model may have. */
function countedStream(texts: readonly string[], member = 'content'): Buffer {
  const events = texts.map((text, index) => {
    const head = { id: 'chatcmpl-1', created: 1_794_700_000, model: 'm' }
    const choices = [{ index: 0, delta: { [member]: text }, finish_reason: null }]
    const usage = { prompt_tokens: 9, total_tokens: 10 + index, completion_tokens: 1 + index }
    return `data: ${JSON.stringify({ ...head, choices, usage })}\n\n`
  })
  return Buffer.from(events.join(''))
}

const STREAMS: readonly (readonly [name: string, stream: Buffer])[] = [
  ...['vllm-0.28-text', 'vllm-0.28-named-tool', 'sglang-0.5.18-text'].map(
    (name) => [name, fixture(name)] as const,
  ),
  ...['27-stream-usage', '29-stream-utf8', '32-tool-auto-stream'].map(
    (name) => [name, Buffer.from(recordedEvents(name).join(''))] as const,
  ),
  ['texts with escapes', countedStream(['a', '"', '\\', '\n', 'é', '😀', '\u0000', 'z'])],
  ['texts that look like members', countedStream(['x', '"content":"y"', 'content', '":1,"', 'z'])],
]

for (const [name, stream] of STREAMS) {
  test(`${name}: events read one by one say what they say all at once`, () => {
    assert.deepEqual(readIn(eventsOf(stream)).chunks, parsed(stream))
  })

  test(`${name}: a changed event is read or refused as if nothing were known before it`, () => {
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

/** Mostly where counts and texts stand, and mostly what means something there. */
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

test('any texts, of any member, come out as they went in', () => {
  const texts = fc.array(fc.string({ unit: 'binary' }), { minLength: 1 })
  const member = fc.constantFrom('content', 'reasoning', 'reasoning_content')
  fc.assert(
    fc.property(texts, member, (told, key) => {
      const stream = countedStream(told, key)
      assert.deepEqual(readIn(eventsOf(stream)).chunks, parsed(stream))
    }),
  )
})

const TOLD = '{"choices":[{"delta":{"content":"a"}}],"usage":{"completion_tokens":1}}'

/** Pairs of events, the second of which looks like the first to a careless reader. */
const LOOKALIKES: readonly (readonly [name: string, first: string, second: string])[] = [
  ['a count with a leading zero', TOLD, TOLD.replace('1}', '02}')],
  ['a count with a fraction', TOLD, TOLD.replace('1}', '1.5}')],
  ['a count that is not exact', TOLD, TOLD.replace('1}', '12345678901234567891}')],
  ['no count', TOLD, TOLD.replace('1}', '}')],
  ['a raw control character', TOLD, TOLD.replace('a"', '\u0001"')],
  ['a text without an end', TOLD, TOLD.replace('a"', 'a\\"')],
  ['two events in one part', TOLD, `${TOLD}\n\ndata: ${TOLD}`],
  ['more after the event', TOLD, `${TOLD}\n\n `],
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
    'a second usage',
    '{"choices":[{"delta":{"content":"a"}}],"usage":{"completion_tokens":1},"usage":{}}',
    '{"choices":[{"delta":{"content":"a"}}],"usage":{"completion_tokens":2},"usage":{}}',
  ],
]

for (const [name, first, second] of LOOKALIKES) {
  test(`${name} is read as it stands, or refused`, () => {
    const parts = [first, second].map((event) => Buffer.from(`data: ${event}\n\n`))
    assert.deepEqual(readIn(parts), readIn([Buffer.concat(parts)]))
  })
}

test('an event like the last is not parsed again', (t) => {
  const events = eventsOf(countedStream(['a', 'b', 'c', 'd']))
  const parse = t.mock.method(JSON, 'parse')
  readIn(events)
  assert.equal(parse.mock.callCount(), 1)
})

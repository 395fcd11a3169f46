import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { bytesOf } from '../../harness/engines/engine-bytes.ts'
import type { EngineTraits } from '../../../src/engines/adapters/chat-engine.ts'
import { EngineError } from '../../../src/engines/adapters/engine.ts'
import { llamaServer } from '../../../src/engines/adapters/llama-server.ts'
import type { Piece } from '../../../src/engines/adapters/piece.ts'
import { readPieces } from '../../../src/engines/adapters/read-pieces.ts'
import { sglang } from '../../../src/engines/adapters/sglang.ts'
import { vllm } from '../../../src/engines/adapters/vllm.ts'
import { MalformedResponse, ResponseReader } from '../../../src/engines/wire/response-reader.ts'
import { chunk, ending, recordedEvents, ROLE } from '../../harness/fake-engine/events.ts'
import { createRandom, type Random } from '../../harness/figures/random.ts'
import type { FuzzTarget } from '../target.ts'

const DIALECTS: readonly EngineTraits[] = [llamaServer, vllm, sglang]
const CHARACTERS_MAX = 4_096
const SEED_BYTES_MAX = 3_000
/** Beyond this length a read for every byte takes too long. */
const SINGLE_BYTES_MAX = 256
const CUTS_MAX = 12
const FIXTURES = new URL('../../engines/fixtures/', import.meta.url).pathname

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n'
const CALL = { index: 0, id: 'c', function: { name: 'f', arguments: '{"a":' } }
const REST = { index: 0, function: { arguments: '1}' } }
const STREAM =
  ROLE +
  chunk({ reasoning_content: 'Hm\n' }, null, { timings: { prompt_n: 3, predicted_n: 1 } }) +
  chunk({ content: 'é' }) +
  chunk({ tool_calls: [CALL] }) +
  chunk({ tool_calls: [REST] }) +
  ending({ prompt: 3, completion: 5 }, 'tool_calls')

/** The first byte chooses the dialect, and whether the stream comes in an HTTP response. */
function seed(dialect: number, asResponse: boolean, stream: string): Buffer {
  const body = Buffer.from(stream).subarray(0, SEED_BYTES_MAX)
  const first = Buffer.from([dialect + (asResponse ? DIALECTS.length : 0)])
  if (!asResponse) return Buffer.concat([first, body])
  const size = `${body.length.toString(16)}\r\n`
  return Buffer.concat([first, Buffer.from(HEAD + size), body, Buffer.from('\r\n0\r\n\r\n')])
}

const recorded = [
  ...globSync('**/*.sse', { cwd: FIXTURES })
    .toSorted()
    .map((path) => {
      const text = readFileSync(FIXTURES + path, 'utf8')
      return seed(path.startsWith('vllm') ? 1 : 2, false, text)
    }),
  seed(0, false, recordedEvents('32-tool-auto-stream').join('')),
]

/** Streams of engines: the same pieces however they are cut, or an EngineError. */
export const engineTarget: FuzzTarget = {
  seeds: [
    ...[0, 1, 2].flatMap((dialect) => [seed(dialect, false, STREAM), seed(dialect, true, STREAM)]),
    ...recorded,
  ],
  dictionary: [
    'data: ',
    '\n\n',
    '\r\n',
    'data: [DONE]\n\n',
    '"content":"',
    '"reasoning_content":"',
    '"reasoning":"',
    '"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]',
    '"finish_reason":"stop"',
    '"usage":{"prompt_tokens":1,"completion_tokens":1}',
    '"completion_tokens_details":{"reasoning_tokens":1}',
    '"timings":{"predicted_n":1}',
    '"error":{"code":400}',
    ': ping\n\n',
    'event: x\n',
    'id: 1\n',
    '\ufeff',
    'Content-Length: 5\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n',
    '0\r\n\r\n',
    ';x=y',
    '\\n',
    '\\ud83d',
    '"choices":[{"delta":{',
  ],
  lengthMax: 8_192,
  ciExecutions: 25_000,
  generate: (random) => seed(random.between(0, 2), random.chance(0.2), similarEvents(random)),
  async check(input) {
    const mode = (input[0] ?? 0) % (2 * DIALECTS.length)
    const traits = DIALECTS[mode % DIALECTS.length] as EngineTraits
    const bytes = input.subarray(1)
    const read = (parts: readonly Buffer[]) =>
      mode < DIALECTS.length ? readStream(traits, parts) : readResponse(traits, parts)
    const whole = await read([bytes])
    assert.ok(whole.length <= 2 * CHARACTERS_MAX, `more output than allowed: ${whole.length}`)
    // Of several faults of a response, the first that is noticed depends on how it arrives.
    const faultOf = (end: string) =>
      mode < DIALECTS.length || end === 'complete' ? end : 'some fault'
    for (const parts of cuts(bytes)) {
      const cut = await read(parts)
      assert.equal(faultOf(cut.end), faultOf(whole.end), 'cut otherwise, it ends otherwise')
      if (whole.end === 'complete')
        assert.deepEqual(cut.pieces, whole.pieces, 'cut otherwise, it differs')
    }
  },
}

const TEXTS = [
  'a',
  'é',
  '\\n',
  '\\"',
  '\\',
  '\\u0041',
  '\\ud83d',
  '',
  '\t',
  '😀',
  '","x":"',
  'null',
]
const COUNTS = ['1', '2', '01', '-1', '1e2', '1.0', '999999999999999', '9999999999999999', ' 3', '']

/** Events that differ in their text and counts only, as those that are read without parsing. */
function similarEvents(random: Random): string {
  const key = random.pick(['content', 'reasoning_content', 'reasoning'])
  const details = random.chance(0.5)
  const event = () => {
    const odd = random.chance(0.3)
    const text = odd ? random.pick(TEXTS) : 'word '
    const count = () =>
      odd && random.chance(0.5) ? random.pick(COUNTS) : String(random.between(0, 99))
    const inner = details ? `,"completion_tokens_details":{"reasoning_tokens":${count()}}` : ''
    const counts = `"completion_tokens":${count()},"total_tokens":${count()}${inner}`
    const usage = `{"prompt_tokens":3,${counts}}`
    const delta = `{"delta":{"${key}":"${text}"},"index":0}`
    return `data: {"choices":[${delta}],"usage":${usage}}\n\n`
  }
  const events = Array.from({ length: random.between(2, 8) }, event)
  return events.join('') + ending({ prompt: 3, completion: 5 })
}

function* cuts(bytes: Buffer): Generator<Buffer[]> {
  yield atOffsets(bytes, eventEnds(bytes))
  const random = createRandom(bytes.length)
  const count = random.between(1, CUTS_MAX)
  yield atOffsets(
    bytes,
    Array.from({ length: count }, () => random.between(0, bytes.length)),
  )
  if (bytes.length <= SINGLE_BYTES_MAX) yield atOffsets(bytes, [...bytes.keys()])
}

function eventEnds(bytes: Buffer): number[] {
  const ends: number[] = []
  for (let at = bytes.indexOf('\n\n'); at !== -1; at = bytes.indexOf('\n\n', at + 2))
    ends.push(at + 2)
  return ends
}

function atOffsets(bytes: Buffer, offsets: readonly number[]): Buffer[] {
  const all = [0, ...offsets.toSorted((a, b) => a - b), bytes.length]
  return all
    .slice(0, -1)
    .map((from, index) => bytes.subarray(from, all[index + 1]))
    .filter((part) => part.length > 0)
}

type Read = { readonly end: string; readonly pieces: readonly string[]; readonly length: number }

async function readStream(traits: EngineTraits, parts: readonly Buffer[]): Promise<Read> {
  const bytes = bytesOf(parts.map((part) => [part]))
  const options = { toolCallsMax: 3, charactersMax: CHARACTERS_MAX, pauses: undefined }
  const pieces: Piece[] = []
  let end = 'complete'
  try {
    for await (const batch of readPieces(
      bytes,
      { ...traits, engine: 'fuzz', observed: {} },
      options,
    )) {
      assert.ok(batch.pieces.length > 0, 'a batch without pieces')
      pieces.push(...batch.pieces)
    }
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    end = `${error.kind}: ${error.message}`
  }
  return { end, ...joined(pieces) }
}

async function readResponse(traits: EngineTraits, parts: readonly Buffer[]): Promise<Read> {
  const body: Buffer[] = []
  const events: string[] = []
  const reader = new ResponseReader({
    onStatus: (status) => void events.push(String(status)),
    onData: (bytes, start, end) => void body.push(Buffer.from(bytes.subarray(start, end))),
    onEnd: (reusable) => void events.push(`end, ${reusable ? 'reusable' : 'not reusable'}`),
  })
  let malformed = ''
  try {
    for (const part of parts) reader.read(part, part.length)
    if (events.length < 2) reader.end()
  } catch (error) {
    if (!(error instanceof MalformedResponse)) throw error
    malformed = error.message
  }
  assert.ok(events.length <= 2, 'more than one response')
  const read = await readStream(
    traits,
    body.filter((part) => part.length > 0),
  )
  return { ...read, end: read.end, pieces: [...read.pieces, ...events, malformed] }
}

/** Neighbours of the same kind are one: how texts are divided depends on the reads. */
function joined(pieces: readonly Piece[]): { pieces: string[]; length: number } {
  const texts = new Map<string, string>()
  let length = 0
  for (const piece of pieces) {
    if ('text' in piece) length += piece.text.length + ('name' in piece ? piece.name.length : 0)
    const key = 'index' in piece ? `call ${piece.index}` : piece.type
    if (piece.type === 'tool-call') texts.set(key, `${piece.name} `)
    texts.set(key, (texts.get(key) ?? '') + ('text' in piece ? piece.text : JSON.stringify(piece)))
  }
  return { pieces: [...texts].map(([key, text]) => `${key}: ${text}`), length }
}

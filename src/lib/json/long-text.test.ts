import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { parseJson, type ParsedJson } from '../parse-json.ts'
import { byteLengthOf, LongText, toJsonPieces } from './long-text.ts'
import { LONG_BYTES_MIN } from './scan-json.ts'

const CONTENT = /^messages\[\d+\]\.content$/
const FILLER = 'a'.repeat(LONG_BYTES_MIN)

function parse(json: string): ParsedJson {
  // A buffer with memory of its own can be freed.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(json))
  bytes.write(json)
  return parseJson(bytes, { longTexts: CONTENT })
}

/** The long text of a body whose only message has this JSON as its content. */
function longTextOf(content: string): LongText | undefined {
  const parsed = parse(`{"messages":[{"content":${content}}]}`)
  assert.ok(parsed.ok)
  const { messages } = parsed.value as { messages: [{ content: unknown }] }
  return messages[0].content instanceof LongText ? messages[0].content : undefined
}

/** Pieces of JSON strings: plain, escaped in every way, forbidden, and long. */
const stringPiece = fc.oneof(
  fc.constantFrom('\\n', '\\"', '\\\\', '\\/', '\\b', '\\t', '\\u0041', '\\u0000', '\\\\u0000'),
  fc.constantFrom('\\ud800', '\\ud83d\\ude00', '\\x', '\n', '\u001f', '\u007f', '\0'),
  fc.constantFrom('é', '漢', '😀', '<|a|>', 'b'),
  fc.constantFrom(FILLER, 'b'.repeat(65_536), 'é'.repeat(40_000), '\\n'.repeat(40_000)),
)
const jsonString = fc.array(stringPiece, { maxLength: 6 }).map((parts) => `"${parts.join('')}"`)

test('a body with long texts is the value, or the error, that it is without them', () => {
  const member = fc.tuple(fc.constantFrom('"content"', '"text"', '"0"', `"${FILLER}"`), jsonString)
  const message = fc
    .array(member, { maxLength: 3 })
    .map((members) => `{${members.map((each) => each.join(' : ')).join(',\n')}}`)
  const body = fc
    .tuple(fc.array(message, { maxLength: 3 }), jsonString)
    .map(([messages, other]) => `{"messages":[${messages.join(',')}],"other":[${other}]}`)
  fc.assert(
    fc.property(body, (json) => {
      const expected = parseJson(Buffer.from(json))
      const parsed = parse(json)
      if (!expected.ok) return assert.deepEqual(parsed, expected)
      assert.ok(parsed.ok)
      assert.equal(parsed.tokens, expected.tokens)
      assert.equal(JSON.stringify(parsed.value), JSON.stringify(expected.value))
      return undefined
    }),
    { numRuns: 300 },
  )
})

test('a long text is written as JSON.stringify writes it, and has its length', () => {
  const part = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\n', '"', '\\', '｜', '😀'))
  const long = fc
    .array(part, { maxLength: 50 })
    .map((parts) => `${parts.join('')}${FILLER}`.replaceAll('\0', ''))
  fc.assert(
    fc.property(long, long, (one, other) => {
      const json = JSON.stringify({ messages: [{ content: one }, { content: other }], stop: ['é'] })
      const parsed = parse(json)
      assert.ok(parsed.ok)
      const pieces = toJsonPieces(parsed.value as object)
      const text = typeof pieces === 'string' ? pieces : Buffer.concat(pieces.pieces).toString()
      assert.equal(text, json)
      assert.equal(byteLengthOf(pieces), Buffer.byteLength(json))
      const kept = longTextOf(JSON.stringify(one))
      if (kept === undefined) return assert.match(JSON.stringify(one), /\\u/)
      assert.equal(kept.toString(), one)
      assert.equal(kept.bytes, Buffer.byteLength(one))
      return assert.ok(one.startsWith(kept.start(100).slice(0, 100)))
    }),
  )
})

test('a string that JSON.stringify would write in another way is decoded', () => {
  assert.ok(longTextOf(`"${FILLER}\\n"`))
  for (const part of ['\\/', '\\u0041', '\\ud83d\\ude00'])
    assert.equal(longTextOf(`"${FILLER}${part}"`), undefined, part)
})

test('a control character is found wherever it is in a long string', () => {
  const text = Buffer.from(`  {"messages":[{"content":"${FILLER}é\u007f\u0020"}]}`)
  const first = text.indexOf(FILLER)
  for (const offset of [0, 1, 2, 3]) {
    const bytes = Buffer.concat([Buffer.alloc(offset), text]).subarray(offset)
    for (const index of [0, 1, 2, 3, 4, 777, FILLER.length - 1, FILLER.length + 2]) {
      for (const control of [1, 0x0a, 0x1f, 0x20]) {
        const before = bytes[first + index] ?? 0
        bytes[first + index] = control
        const { ok } = parseJson(bytes, { longTexts: CONTENT })
        assert.equal(ok, control === 0x20, `${control} at ${index}`)
        bytes[first + index] = before
      }
    }
  }
})

test('no client can write a mark that stands for a long text', () => {
  const messages = `[{"content":"${FILLER}"},{"content":"\\u00000"}]`
  assert.deepEqual(parse(`{"messages":${messages}}`), {
    ok: false,
    error: 'nul_character',
    path: 'messages[1].content',
  })
  const text = '\\u0000"\\u00000"'
  const value = { messages: [{ content: FILLER }, { content: text }] }
  const parsed = parse(JSON.stringify(value))
  assert.ok(parsed.ok)
  assert.deepEqual(JSON.parse(JSON.stringify(parsed.value)), value)
  const pieces = toJsonPieces([longTextOf(`"${FILLER}"`), text])
  assert.ok(typeof pieces !== 'string')
  assert.deepEqual(JSON.parse(Buffer.concat(pieces.pieces).toString()), [FILLER, text])
})

test('a long name of a member is a name', () => {
  const json = `{"messages":[{"${FILLER}" : "${FILLER}","content":{"${FILLER}":1}}]}`
  const parsed = parse(json)
  assert.ok(parsed.ok)
  assert.deepEqual(parsed.value, JSON.parse(json))
})

test('the bytes of a text are freed when it is released and nobody writes it', () => {
  const long = longTextOf(`"${FILLER}"`)
  assert.ok(long)
  const pieces = toJsonPieces([long])
  assert.ok(typeof pieces !== 'string')
  const [one, other] = [pieces.hold(), pieces.hold()]
  one()
  long.held.release()
  assert.equal(long.json.length, FILLER.length)
  other()
  assert.equal(long.json.length, 0)
  long.held.release()
})

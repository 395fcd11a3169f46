import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  JSON_DEPTH_MAX,
  JSON_ERRORS,
  JSON_TOKENS_MAX,
  parseJson,
  type JsonError,
  type ParsedJson,
} from './parse-json.ts'

const MEBIBYTE = 1024 * 1024

function parse(text: string): ParsedJson {
  return parseJson(Buffer.from(text))
}

function assertViolation(text: string | Uint8Array, error: JsonError, path?: string): void {
  const parsed = typeof text === 'string' ? parse(text) : parseJson(text)
  assert.deepEqual(parsed, path === undefined ? { ok: false, error } : { ok: false, error, path })
}

test('a chat body is parsed as by JSON.parse', () => {
  const body = {
    model: 'a/b',
    messages: [{ role: 'user', content: 'say "hi" \\ \n 漢字 😀 \u007f' }],
    temperature: 0.7,
    seed: Number.MAX_SAFE_INTEGER,
    stop: ['\\', '\\\\', '"', '{[,:]}'],
    tools: [],
    user: null,
  }
  for (const indent of [0, 2]) {
    const parsed = parse(JSON.stringify(body, null, indent))
    assert.deepEqual(parsed, { ok: true, value: body, tokens: 29 })
  }
})

test('only the bytes of the view are read, not the buffer around it', () => {
  const buffer = Buffer.from('xx{"a":1}yy')
  const parsed = parseJson(buffer.subarray(2, 9))
  assert.deepEqual(parsed, { ok: true, value: { a: 1 }, tokens: 3 })
})

test('bytes that are not UTF-8 or start with a byte order mark are rejected', () => {
  assertViolation(Buffer.from([0x22, 0xff, 0x22]), 'not_utf8')
  assertViolation(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'not_utf8')
  assertViolation(Buffer.from('\uFEFF{}', 'utf16le'), 'not_utf8')
  assertViolation('\uFEFF{}', 'byte_order_mark')
  assert.equal(parse('"\uFEFF"').ok, true)
})

test('a body that is not JSON is rejected, the empty body included', () => {
  for (const text of [
    '',
    ' ',
    '{',
    '{]',
    "{'a':1}",
    '[1,]',
    'NaN',
    '"a',
    '"\\',
    '"a\\"',
    '1 2',
    '"\n"',
  ])
    assertViolation(text, 'not_json')
})

test('the NUL character is rejected, raw or escaped, in a value or in a key', () => {
  assertViolation('{"a":"\0"}', 'nul_character')
  assertViolation('\0', 'nul_character')
  assertViolation('{"a":["x\\u0000"]}', 'nul_character', 'a[0]')
  assertViolation('{"a":{"\\u0000":1}}', 'nul_character', 'a')
  assert.equal(parse('"\\\\u0000"').ok, true)
})

test('a body may be nested up to the limit, not deeper', () => {
  const nest = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  assert.equal(parse(nest(JSON_DEPTH_MAX)).ok, true)
  assertViolation(nest(JSON_DEPTH_MAX + 1), 'too_deep')
  assertViolation('{"a":'.repeat(JSON_DEPTH_MAX + 1), 'too_deep')
  assert.equal(parse(JSON.stringify('['.repeat(1000))).ok, true)
  assert.equal(parse(`[${'[],'.repeat(1000)}[]]`).ok, true)
})

test('structural characters are limited; those in strings do not count', () => {
  const list = (tokens: number) => `[${'1,'.repeat(tokens - 2)}1]`
  assert.equal(parse(list(JSON_TOKENS_MAX)).ok, true)
  assertViolation(list(JSON_TOKENS_MAX + 1), 'too_many_values')
  assertViolation('""'.repeat(JSON_TOKENS_MAX + 1), 'too_many_values')
  assert.equal(parse(JSON.stringify('",:{}[]\\"'.repeat(JSON_TOKENS_MAX))).ok, true)
})

test('a key repeated in one object is rejected, also if one spelling is escaped', () => {
  assertViolation('{"a":1,"a":1}', 'duplicate_key')
  assertViolation('{"a":1,"\\u0061":1}', 'duplicate_key')
  assertViolation('{"x":[{"1":{"b":1},"1":{"b":2}}]}', 'duplicate_key')
  assert.equal(parse('[{"a":1},{"a":{"a":"a:"}}]').ok, true)
})

test('keys that reach a prototype are rejected; a property named constructor is not', () => {
  assertViolation('{"__proto__":1}', 'forbidden_key')
  assertViolation('{"a":[{"\\u005f_proto__":{}}]}', 'forbidden_key', 'a[0]')
  assertViolation('{"constructor":{"prototype":{}}}', 'forbidden_key')
  for (const value of ['"x"', 'null', '{"type":"string"}', '[]']) {
    assert.equal(parse(`{"properties":{"constructor":${value}}}`).ok, true)
  }
  assert.equal(parse('{"prototype":{}}').ok, true)
})

test('half a surrogate pair is rejected with its path', () => {
  assertViolation(
    '{"messages":[{},{},{"content":"\\ud83d"}]}',
    'lone_surrogate',
    'messages[2].content',
  )
  assertViolation('"\\ude00\\ud83d"', 'lone_surrogate')
  assertViolation('{"metadata":{"\\ud83d":1}}', 'lone_surrogate', 'metadata')
  assert.equal(parse('"\\ud83d\\ude00"').ok, true)
})

test('numbers that a double cannot represent exactly are rejected with their path', () => {
  for (const number of ['1e400', '-1e400', '9007199254740993', '-9007199254740992', '1e22']) {
    assertViolation(`{"model":"m","seed":${number}}`, 'number_out_of_range', 'seed')
    assertViolation(number, 'number_out_of_range')
  }
  for (const number of ['9007199254740991', '-9007199254740991', '1e-400', '0.1', '-0', '1e3']) {
    assert.deepEqual(parse(number), { ok: true, value: JSON.parse(number) as unknown, tokens: 0 })
  }
})

test('a path ends before a key that does not look like an identifier', () => {
  assertViolation('{"a":{"b c":{"d":1e400}}}', 'number_out_of_range', 'a')
  assertViolation('{"<script>":1e400}', 'number_out_of_range')
  assertViolation('{"a":[[{"":1e400}]]}', 'number_out_of_range', 'a[0][0]')
  assertViolation('{"a":{"b-c_$9":1e400}}', 'number_out_of_range', 'a.b-c_$9')
  assertViolation(`{"${'k'.repeat(64)}":1e400}`, 'number_out_of_range', 'k'.repeat(64))
  assertViolation(`{"${'k'.repeat(65)}":1e400}`, 'number_out_of_range')
  assertViolation('[1,1e400]', 'number_out_of_range', '[1]')
  assertViolation('{"10":1e400,"a":1}', 'number_out_of_range')
  assertViolation('{"a\\n":1e400}', 'number_out_of_range')
})

test('every error has one public sentence', () => {
  for (const sentence of Object.values(JSON_ERRORS)) assert.match(sentence, /^must .*[^.]$/)
})

function violatesRule(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value)
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed()
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([key, inner]) => key === '__proto__' || violatesRule(key) || violatesRule(inner),
  )
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('\\', '"', 'a', '{', ':', '\0', '\ud83d', 'é'), { maxLength: 40 })
    .map((parts) => parts.join('')),
)
const anyJson = fc.oneof(
  fc.jsonValue({ stringUnit: 'binary' }),
  fc.dictionary(anyText, fc.oneof(anyText, fc.double({ noNaN: true, noDefaultInfinity: true }))),
)

test('property: every JSON value is parsed unchanged unless it violates a rule', () => {
  fc.assert(
    fc.property(anyJson, fc.constantFrom(0, 1, 10), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const parsed = parse(text)
      assert.equal(parsed.ok, !violatesRule(value))
      if (parsed.ok) assert.deepEqual(parsed.value, JSON.parse(text))
    }),
    { numRuns: 2000 },
  )
})

test('property: a key repeated at any depth is found, whatever its spelling', () => {
  const plainKey = fc.string().filter((key) => key !== '__proto__' && key !== 'constructor')
  const escapeAll = (text: string) =>
    `"${text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`
  fc.assert(
    fc.property(
      plainKey,
      fc.boolean(),
      fc.jsonValue({ maxDepth: 2 }).filter((value) => !violatesRule(value)),
      fc.array(fc.constantFrom('[1,', '{"k":'), { maxLength: 20 }),
      (key, escaped, value, around) => {
        const first = JSON.stringify(key)
        const second = escaped ? escapeAll(key) : first
        const inner = JSON.stringify(value)
        const close = around.map((open) => (open === '[1,' ? ']' : '}')).toReversed()
        const wrap = (middle: string) => [...around, middle, ...close].join('')
        assert.equal(parse(wrap(`{${first}:${inner}}`)).ok, true)
        assertViolation(wrap(`{${first}:${inner},${second}:${inner}}`), 'duplicate_key')
      },
    ),
    { numRuns: 1000 },
  )
})

test('property: corrupted bytes never make it throw or accept what JSON.parse rejects', () => {
  const change = fc.record({
    at: fc.nat(),
    byte: fc.oneof(fc.nat(255), fc.constantFrom(34, 92, 58)),
  })
  fc.assert(
    fc.property(anyJson, fc.array(change, { maxLength: 4 }), fc.nat(), (value, changes, cut) => {
      const whole = Buffer.from(JSON.stringify(value))
      const bytes = cut % 2 === 0 ? whole : whole.subarray(0, cut % whole.length)
      for (const { at, byte } of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte
      const parsed = parseJson(bytes)
      if (parsed.ok) assert.deepEqual(parsed.value, JSON.parse(bytes.toString()))
      else if (parsed.error === 'not_json') assert.throws(() => JSON.parse(bytes.toString()))
    }),
    { numRuns: 3000 },
  )
})

test('ten mebibytes of worst-case input take less than a second of CPU time', () => {
  const size = 10 * MEBIBYTE
  const bodies = {
    brackets: Buffer.alloc(size, '['),
    objects: Buffer.alloc(size, '{"a":'),
    quotes: Buffer.alloc(size, '"'),
    escapes: Buffer.from(`"${'\\"'.repeat(size / 2 - 1)}"`),
    backslashes: Buffer.from(`"${'\\\\'.repeat(size / 2 - 1)}"`),
    unfinished: Buffer.from(`"${'\\"'.repeat(size / 2)}`),
    keys: Buffer.from(`{${Array.from({ length: 700_000 }, (_, key) => `"key${key}":1`).join()}}`),
    digits: Buffer.alloc(size, '7'),
    spaces: Buffer.alloc(size, ' '),
  }
  for (const [name, body] of Object.entries(bodies)) {
    const before = process.threadCpuUsage()
    parseJson(body)
    const { user, system } = process.threadCpuUsage(before)
    assert.ok(user + system < 1_000_000, `${name} took ${user + system} µs`)
  }
})

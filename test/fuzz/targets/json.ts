import assert from 'node:assert/strict'
import {
  JSON_DEPTH_MAX,
  JSON_ERRORS,
  parseJson,
  type JsonError,
} from '../../../src/lib/parse-json.ts'
import type { FuzzTarget } from '../target.ts'

const SEEDS = [
  '{"a":[1,-2.5e3,true,false,null],"b":{"c":"d\\u00e9\\n"}}',
  '{"a":1,"\\u0061":2}',
  '{"__proto__":1}',
  '{"constructor":{"prototype":{}}}',
  '["\\ud800"]',
  '{"x":{"y":["\\u0000"]}}',
  '[9007199254740993,1e400]',
  '\ufeff{}',
  '"😀é"',
  '['.repeat(70),
  `${'['.repeat(64)}${']'.repeat(64)}`,
]

/** `parseJson` against `JSON.parse`: the same value, or both reject, or a rule that is broken. */
export const jsonTarget: FuzzTarget = {
  seeds: SEEDS.map((text) => Buffer.from(text)),
  dictionary: [
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    '\\',
    '\\u0000',
    '\\ud83d',
    '\\ude00',
    '\\"',
    '\\\\',
    '__proto__',
    'constructor',
    'prototype',
    'null',
    'true',
    '1e309',
    '-',
    '\ufeff',
    '"a":',
    '[[',
  ],
  lengthMax: 4_096,
  ciExecutions: 300_000,
  check(input) {
    const parsed = parseJson(input)
    const text = decode(input)
    if (text === undefined) return expectError(parsed, 'not_utf8')
    if (text.startsWith('\ufeff')) return expectError(parsed, 'byte_order_mark')
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      assert.ok(!parsed.ok, 'accepted what JSON.parse rejects')
      const known = ['not_json', 'nul_character', 'too_deep', 'too_many_values']
      assert.ok(known.includes(parsed.error), `an error that the text cannot have: ${parsed.error}`)
      if (parsed.error === 'nul_character')
        assert.ok(text.includes('\0'), 'a NUL that is not there')
      if (parsed.error === 'too_deep') assert.ok(text.length > JSON_DEPTH_MAX, 'not too deep')
      return undefined
    }
    const broken = brokenRules(value, text)
    if (parsed.ok) {
      assert.deepEqual([...broken], [], 'accepted although a rule is broken')
      return assert.deepStrictEqual(parsed.value, value, 'another value than JSON.parse')
    }
    assert.ok(Object.hasOwn(JSON_ERRORS, parsed.error))
    assert.ok(broken.has(parsed.error), `a rule that is not broken: ${parsed.error}`)
    if (parsed.path === undefined) return undefined
    const place = valueAt(value, parsed.path)
    const inside = brokenRules(place, JSON.stringify(place))
    return assert.ok(inside.has(parsed.error), `the path does not lead to it: ${parsed.path}`)
  },
}

function expectError(parsed: ReturnType<typeof parseJson>, error: JsonError): void {
  assert.deepEqual(parsed, { ok: false, error })
}

function decode(input: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(input)
  } catch {
    return undefined
  }
}

/** Written to be obviously right, not fast. */
function brokenRules(root: unknown, text: string): Set<JsonError> {
  const broken = new Set<JsonError>()
  let keys = 0
  const readText = (value: string) => {
    if (value.includes('\0')) broken.add('nul_character')
    if (!value.isWellFormed()) broken.add('lone_surrogate')
  }
  const pending: { value: unknown; depth: number }[] = [{ value: root, depth: 1 }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next
    if (typeof value === 'string') readText(value)
    if (typeof value === 'number' && !isExact(value)) broken.add('number_out_of_range')
    if (typeof value !== 'object' || value === null) continue
    if (depth > JSON_DEPTH_MAX) broken.add('too_deep')
    for (const [key, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) {
        keys += 1
        readText(key)
        if (key === '__proto__') broken.add('forbidden_key')
        if (key === 'constructor' && isPrototypeHolder(inner)) broken.add('forbidden_key')
      }
      pending.push({ value: inner, depth: depth + 1 })
    }
  }
  const outside = text.replace(/"(?:[^"\\]|\\[^])*"/g, '""')
  if (outside.split(':').length - 1 !== keys) broken.add('duplicate_key')
  return broken
}

function isPrototypeHolder(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).includes('prototype')
}

function isExact(value: number): boolean {
  return Number.isInteger(value)
    ? Math.abs(value) <= Number.MAX_SAFE_INTEGER
    : Number.isFinite(value)
}

/** Follows `a.b[0]`. */
function valueAt(root: unknown, path: string): unknown {
  let value = root
  for (const [, key, index] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    value = (value as Record<string, unknown>)[
      index === undefined || key !== undefined ? (key ?? '') : index
    ]
  }
  return value
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertViolation,
  check,
  PATH,
} from '../../../test/harness/engines/json-schema-violations.ts'
import { checkJsonSchemas } from './check-json-schemas.ts'
import {
  SCHEMA_BYTES_MAX,
  SCHEMA_CHARACTERS_MAX,
  SCHEMA_ENUM_VALUES_MAX,
  SCHEMA_LEVELS_MAX,
  SCHEMA_NAME_LENGTH_MAX,
  SCHEMA_NODES_MAX,
  SCHEMA_PROPERTIES_MAX,
} from './totals.ts'
import { SCHEMA_ITEMS_MAX, SCHEMA_KEYWORDS, SCHEMA_LENGTH_MAX } from './keywords.ts'

function nest(levels: number, leaf: unknown, kind: 'items' | 'properties' | 'anyOf'): unknown {
  let schema = leaf
  for (let level = 0; level < levels; level++) {
    schema =
      kind === 'items'
        ? { items: schema }
        : kind === 'anyOf'
          ? { anyOf: [schema] }
          : { properties: { a: schema } }
  }
  return schema
}

test('levels: properties and items nest up to the limit; branches do not count', () => {
  for (const kind of ['items', 'properties'] as const) {
    assert.equal(check(nest(SCHEMA_LEVELS_MAX, {}, kind)), undefined)
    assert.equal(check(nest(SCHEMA_LEVELS_MAX, { additionalProperties: false }, kind)), undefined)
    assertViolation(nest(SCHEMA_LEVELS_MAX + 1, {}, kind), '', /at most 10 levels deep/)
  }
  assert.equal(check(nest(25, nest(SCHEMA_LEVELS_MAX, {}, 'items'), 'anyOf')), undefined)
})

function named(count: number, value: unknown = true): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, value]))
}

function required(count: number): Record<string, unknown> {
  const properties = named(count)
  return { properties, required: Object.keys(properties) }
}

test('properties, enum values, subschemas: accepted at the limit, rejected one above', () => {
  assert.equal(check(required(SCHEMA_PROPERTIES_MAX)), undefined)
  assertViolation(required(SCHEMA_PROPERTIES_MAX + 1), '', /5000 properties/)
  const digits = (count: number) => ({ enum: Array.from({ length: count }, (_, index) => index) })
  assert.equal(check(digits(SCHEMA_ENUM_VALUES_MAX)), undefined)
  assertViolation(digits(SCHEMA_ENUM_VALUES_MAX + 1), '', /1000 enum values/)
  const branches = (count: number) => ({ $defs: named(count - 1, {}) })
  assert.equal(check(branches(SCHEMA_NODES_MAX)), undefined)
  assertViolation(branches(SCHEMA_NODES_MAX + 1), '', /10000 subschemas/)
})

test('characters: names, enum and const values count together', () => {
  const third = SCHEMA_CHARACTERS_MAX / 3
  const schema = (extra: number) => ({
    enum: ['d'.repeat(third - 1)],
    properties: { n: { enum: ['e'.repeat(third)] } },
    const: 'c'.repeat(third + extra),
  })
  assert.equal(check(schema(0)), undefined)
  assertViolation(schema(1), '', /120000 characters/)
  assert.equal(check({ description: 'd'.repeat(SCHEMA_CHARACTERS_MAX + 1) }), undefined)
})

test('bytes: counted in UTF-8', () => {
  const room = SCHEMA_BYTES_MAX - JSON.stringify({ title: '' }).length
  assert.equal(check({ title: 't'.repeat(room) }), undefined)
  assertViolation({ title: 't'.repeat(room + 1) }, '', /262144 bytes/)
  assertViolation({ title: 'é'.repeat(room / 2 + 1) }, '', /262144 bytes/)
})

test('limits apply to all schemas together; the violation names the one that exceeds them', () => {
  const half = required(SCHEMA_PROPERTIES_MAX / 2)
  const schemas = ['a', 'b', 'c'].map((path) => ({ path, schema: half }))
  assert.equal(checkJsonSchemas(schemas.slice(1)), undefined)
  assert.equal(checkJsonSchemas(schemas)?.path, 'c')
})

test('counts: items and lengths each have a limit', () => {
  for (const [keyword, rule] of SCHEMA_KEYWORDS) {
    if (rule.kind !== 'count') continue
    const most = keyword.endsWith('Length') ? SCHEMA_LENGTH_MAX : SCHEMA_ITEMS_MAX
    assert.equal(check({ [keyword]: 0 }), undefined)
    assert.equal(check({ [keyword]: most }), undefined)
    assertViolation({ [keyword]: most + 1 }, `.${keyword}`, new RegExp(`at most ${most}$`))
  }
})

test('256 KiB of worst-case schemas take less than a quarter of a second of CPU time', () => {
  const many = <Item>(count: number, item: (index: number) => Item) =>
    Array.from({ length: count }, (_, index) => item(index))
  const chain = many(7_000, (index) => [index, { $ref: `#/$defs/${index + 1}` }] as const)
  const schemas: Record<string, unknown> = {
    'one long chain of references': { $defs: { ...Object.fromEntries(chain), 7000: {} } },
    'branches that all refer to one': {
      $defs: { a: {} },
      prefixItems: many(4_990, () => ({ $ref: '#/$defs/a' })),
      ...required(3_000),
    },
    'long pointers': { $ref: `#${'/a'.repeat(100_000)}` },
    'patterns to the limit': { anyOf: many(19, () => ({ pattern: '(a{9})'.repeat(42) })) },
    'patterns of many letters': {
      anyOf: many(19, () => ({ pattern: '[abcdefghijk]{0,12}|'.repeat(12) })),
    },
    'branches to join': { $defs: { a: {} }, allOf: many(4_000, () => ({ $ref: '#/$defs/a' })) },
    'more subschemas than allowed': { anyOf: many(80_000, () => ({})) },
    'more enum values than allowed': { enum: many(120_000, () => 1) },
    'names of one character': { $defs: named(9_999, {}) },
    'a default that is large': { default: many(60_000, () => [1]) },
  }
  for (const [name, schema] of Object.entries(schemas)) {
    assert.ok(Buffer.byteLength(JSON.stringify(schema)) <= SCHEMA_BYTES_MAX, name)
    // The least of three: what else the machine does can only add to the cost.
    const costsMs = many(3, () => {
      const begin = process.cpuUsage()
      checkJsonSchemas([{ path: PATH, schema }])
      return process.cpuUsage(begin).user / 1000
    })
    assert.ok(Math.min(...costsMs) < 250, `${name} cost ${costsMs.join(', ')} ms`)
  }
})

// With each of these llama-server 0.7.0 hung, grew without limit or crashed.
test('engine: schemas that make llama-server hang, grow or crash are rejected', () => {
  const harmful: Record<string, unknown> = {
    'maxLength below minLength': { type: 'string', minLength: 5, maxLength: 2 },
    'maxItems below minItems': { items: {}, minItems: 5, maxItems: 2 },
    'a repetition with a maximum below its minimum': { pattern: '^a{5,2}$' },
    'a lower bound of 16 digits': { type: 'integer', minimum: 9_007_199_254_740_991 },
    'an exclusive lower bound, or null': { type: ['null', 'integer'], exclusiveMinimum: 1e18 },
    'an upper bound of 16 digits below zero': { type: 'integer', maximum: -9_007_199_254_740_991 },
    'an upper bound of more than 64 bits': { type: 'integer', maximum: 2 ** 63 },
    'a long name beside additional properties': {
      properties: { ['a'.repeat(30_000)]: {} },
      additionalProperties: true,
    },
    'a thousand optional properties': { properties: named(1_000) },
    'optional properties joined from many branches': {
      $defs: { a: { ...required(500) } },
      allOf: [{ anyOf: Array.from({ length: 200 }, () => ({ $ref: '#/$defs/a' })) }],
    },
    'thousands of branches with the same prefix': {
      anyOf: Array.from({ length: 4_900 }, () => ({ const: 'aaaaaaaaaaaaaa' })),
    },
    'nested branches': {
      $defs: { a: { anyOf: Array.from({ length: 30 }, () => ({ type: 'string' })) } },
      anyOf: Array.from({ length: 30 }, () => ({ type: 'array', items: { $ref: '#/$defs/a' } })),
    },
    'joined properties of two types': {
      type: ['object', 'string'],
      allOf: [{ properties: named(5) }],
    },
    'a repeated pattern that can be empty': { pattern: '^(.*){1,20}$' },
    'many interchangeable optional characters': { pattern: `^${'.?'.repeat(40)}$` },
  }
  for (const [name, schema] of Object.entries(harmful)) {
    assert.notEqual(check(schema), undefined, name)
    assert.notEqual(check({ properties: { a: { items: schema } } }), undefined, `${name}, nested`)
  }
})

test('bounds: equal ones, those of zod and large ones of non-integers are accepted', () => {
  const safe = Number.MAX_SAFE_INTEGER
  for (const schema of [
    { type: 'string', minLength: 5, maxLength: 5 },
    { type: 'integer', minimum: -safe, maximum: safe },
    { type: 'integer', exclusiveMinimum: 0 },
    { type: 'integer', minimum: 999_999_999_999_999 },
    { type: 'number', minimum: -1e308, maximum: 1e308 },
  ]) {
    assert.equal(check(schema), undefined, JSON.stringify(schema))
  }
  assertViolation({ minItems: 2, maxItems: 1 }, '.minItems', /not be greater than maxItems/)
  assertViolation({ type: 'integer', minimum: 1e15 }, '.minimum', /at most 999999999999999/)
})

test('optional properties: 400 in one object, or 20 in each of 128 tools, are accepted', () => {
  assert.equal(check({ properties: named(400) }), undefined)
  assert.equal(check(...Array.from({ length: 128 }, () => ({ properties: named(20) }))), undefined)
})

test('names: accepted at the maximum length, rejected one character above', () => {
  const schema = (length: number) => ({ properties: { ['n'.repeat(length)]: {} } })
  assert.equal(check(schema(SCHEMA_NAME_LENGTH_MAX)), undefined)
  assertViolation(schema(SCHEMA_NAME_LENGTH_MAX + 1), '.properties', /at most 256 characters/)
})

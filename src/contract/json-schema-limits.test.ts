import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  checkJsonSchemas,
  SCHEMA_BYTES_MAX,
  SCHEMA_CHARACTERS_MAX,
  SCHEMA_ENUM_VALUES_MAX,
  SCHEMA_LEVELS_MAX,
  SCHEMA_NODES_MAX,
  SCHEMA_PROPERTIES_MAX,
  type SchemaFault,
} from './json-schema.ts'
import { SCHEMA_ITEMS_MAX, SCHEMA_KEYWORDS, SCHEMA_LENGTH_MAX } from './json-schema-keywords.ts'

const PATH = 'tools[3].function.parameters'

// Through JSON, so that as in a request no two places share one object.
function check(...schemas: unknown[]): SchemaFault | undefined {
  return checkJsonSchemas(
    schemas.map((schema) => ({
      path: PATH,
      schema: JSON.parse(JSON.stringify(schema)) as unknown,
    })),
  )
}

function assertFault(schema: unknown, below: string, message: RegExp): void {
  const fault = check(schema)
  assert.equal(fault?.path, PATH + below, JSON.stringify(schema).slice(0, 200))
  assert.match(fault?.message ?? '', message)
  assert.match(fault?.message ?? '', /^must /)
}

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

test('levels: properties and items nest up to the limit, branches do not count', () => {
  for (const kind of ['items', 'properties'] as const) {
    assert.equal(check(nest(SCHEMA_LEVELS_MAX, {}, kind)), undefined)
    assert.equal(check(nest(SCHEMA_LEVELS_MAX, { additionalProperties: false }, kind)), undefined)
    assertFault(nest(SCHEMA_LEVELS_MAX + 1, {}, kind), '', /at most 10 levels deep/)
  }
  assert.equal(check(nest(25, nest(SCHEMA_LEVELS_MAX, {}, 'items'), 'anyOf')), undefined)
})

function named(count: number, value: unknown = true): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, value]))
}

test('properties, enum values, subschemas: at the limit accepted, one above refused', () => {
  assert.equal(check({ properties: named(SCHEMA_PROPERTIES_MAX) }), undefined)
  assertFault({ properties: named(SCHEMA_PROPERTIES_MAX + 1) }, '', /5000 properties/)
  const digits = (count: number) => ({ enum: Array.from({ length: count }, (_, index) => index) })
  assert.equal(check(digits(SCHEMA_ENUM_VALUES_MAX)), undefined)
  assertFault(digits(SCHEMA_ENUM_VALUES_MAX + 1), '', /1000 enum values/)
  const branches = (count: number) => ({ anyOf: Array.from({ length: count - 1 }, () => ({})) })
  assert.equal(check(branches(SCHEMA_NODES_MAX)), undefined)
  assertFault(branches(SCHEMA_NODES_MAX + 1), '', /10000 subschemas/)
})

test('characters: names, enum and const values count together', () => {
  const third = SCHEMA_CHARACTERS_MAX / 3
  const schema = (extra: number) => ({
    properties: { ['n'.repeat(third)]: { enum: ['e'.repeat(third)] } },
    const: 'c'.repeat(third + extra),
  })
  assert.equal(check(schema(0)), undefined)
  assertFault(schema(1), '', /120000 characters/)
  assertFault({ $defs: { ['n'.repeat(SCHEMA_CHARACTERS_MAX + 1)]: {} } }, '', /120000 characters/)
  assert.equal(check({ description: 'd'.repeat(SCHEMA_CHARACTERS_MAX + 1) }), undefined)
})

test('bytes: counted in UTF-8', () => {
  const room = SCHEMA_BYTES_MAX - JSON.stringify({ title: '' }).length
  assert.equal(check({ title: 't'.repeat(room) }), undefined)
  assertFault({ title: 't'.repeat(room + 1) }, '', /262144 bytes/)
  assertFault({ title: 'é'.repeat(room / 2 + 1) }, '', /262144 bytes/)
})

test('limits hold for all schemas of a request together and name the one that goes above', () => {
  const half = { properties: named(SCHEMA_PROPERTIES_MAX / 2) }
  const schemas = ['a', 'b', 'c'].map((path) => ({ path, schema: half }))
  assert.equal(checkJsonSchemas(schemas.slice(1)), undefined)
  assert.equal(checkJsonSchemas(schemas)?.path, 'c')
})

test('counts: items to their limit, lengths to theirs', () => {
  for (const [keyword, rule] of SCHEMA_KEYWORDS) {
    if (rule.kind !== 'count') continue
    const most = keyword.endsWith('Length') ? SCHEMA_LENGTH_MAX : SCHEMA_ITEMS_MAX
    assert.equal(check({ [keyword]: 0 }), undefined)
    assert.equal(check({ [keyword]: most }), undefined)
    assertFault({ [keyword]: most + 1 }, `.${keyword}`, new RegExp(`at most ${most}$`))
  }
})

test('256 KiB of the worst take less than a quarter of a second', () => {
  const many = <Item>(count: number, item: (index: number) => Item) =>
    Array.from({ length: count }, (_, index) => item(index))
  const chain = many(7_000, (index) => [index, { $ref: `#/$defs/${index + 1}` }] as const)
  const schemas: Record<string, unknown> = {
    'one long chain of references': { $defs: { ...Object.fromEntries(chain), 7000: {} } },
    'branches that all refer to one': {
      $defs: { a: {} },
      anyOf: many(4_990, () => ({ $ref: '#/$defs/a' })),
      properties: named(5_000),
    },
    'long pointers': { $ref: `#${'/a'.repeat(100_000)}` },
    'patterns to the limit': { anyOf: many(900, () => ({ pattern: '(a{9})'.repeat(42) })) },
    'more subschemas than allowed': { anyOf: many(80_000, () => ({})) },
    'more enum values than allowed': { enum: many(120_000, () => 1) },
    'names of one character': { $defs: named(9_999, {}) },
    'a default that is large': { default: many(60_000, () => [1]) },
  }
  for (const [name, schema] of Object.entries(schemas)) {
    assert.ok(Buffer.byteLength(JSON.stringify(schema)) <= SCHEMA_BYTES_MAX, name)
    const begin = performance.now()
    checkJsonSchemas([{ path: PATH, schema }])
    const elapsedMs = performance.now() - begin
    assert.ok(elapsedMs < 250, `${name} took ${elapsedMs} ms`)
  }
})

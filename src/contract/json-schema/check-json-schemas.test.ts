import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { assertViolation, check } from '../../../test/harness/engines/json-schema-violations.ts'
import { SCHEMA_KEYWORDS } from './keywords.ts'

const GOOD: Record<string, unknown> = {
  'a tool without parameters': { type: 'object', properties: {} },
  'an empty schema': {},
  'draft-07 as zod writes it': {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      email: {
        type: 'string',
        format: 'email',
        pattern: '^[\\w.+-]+@([A-Za-z0-9]{1,63}\\.)+[a-z]{2,}$',
      },
      age: { type: ['integer', 'null'], exclusiveMinimum: 0, maximum: 9007199254740991 },
      pair: {
        type: 'array',
        minItems: 2,
        maxItems: 2,
        items: [{ type: 'string' }, { type: 'number' }],
      },
      nothing: { not: {} },
      emptyTuple: { type: 'array', items: [] },
      again: { $ref: '#/properties/email' },
      kind: { type: 'string', const: 'x', default: { any: ['thing'] } },
    },
    required: ['email'],
    additionalProperties: false,
  },
  '2020-12 as pydantic writes it': {
    $defs: {
      Color: { enum: ['red', 'green', 3, null], title: 'Color', type: 'string' },
      'Page[int]': {
        properties: { items: { items: { type: 'integer' }, type: 'array' } },
        type: 'object',
      },
    },
    properties: {
      color: { anyOf: [{ $ref: '#/$defs/Color' }, { type: 'null' }], default: null },
      page: { $ref: '#/$defs/Page%5Bint%5D' },
      pageUnescaped: { $ref: '#/$defs/Page[int]' },
      point: { prefixItems: [{ type: 'number' }, true], type: 'array', maxItems: 2 },
    },
    title: 'Order',
    type: 'object',
  },
  'a recursive tree': {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $ref: '#/$defs/Node',
    $defs: {
      Node: {
        type: 'object',
        properties: { children: { type: 'array', items: { $ref: '#/$defs/Node' } } },
      },
    },
  },
  'recursion to the root': { properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } } },
  'anchors and escaped pointers': {
    $defs: { 'a/b~c': { $anchor: 'here' }, old: { $id: '#there' } },
    anyOf: [{ $ref: '#here' }, { $ref: '#/$defs/a~1b~0c' }, { $ref: '#there' }],
  },
  'a pointer into an array': { items: [{ type: 'null' }], contains: { $ref: '#/items/0' } },
  'a pointer below an unknown keyword': {
    components: { schemas: { A: { type: 'string' } } },
    properties: { a: { $ref: '#/components/schemas/A' } },
  },
  'properties named like keywords': {
    properties: { type: { type: 'string' }, $ref: {}, enum: true, constructor: { type: 'null' } },
  },
  'unknown keywords': { nullable: true, 'x-order': [], constructor: 1, toString: null },
  'draft-07 dependencies': { dependencies: { a: ['b'], c: { required: ['d'] } } },
  'a reference to a boolean': { $defs: { any: true }, items: { $ref: '#/$defs/any' } },
}

for (const [name, schema] of Object.entries(GOOD)) {
  test(`accepted: ${name}`, () => {
    assert.equal(check(schema), undefined)
    assert.equal(check(schema, schema, schema), undefined)
  })
}

test('draft-07, 2019-09 and 2020-12 may be declared, others are rejected', () => {
  for (const draft of ['draft-07', 'draft/2019-09', 'draft/2020-12']) {
    for (const scheme of ['http', 'https']) {
      for (const end of ['', '#']) {
        assert.equal(
          check({ $schema: `${scheme}://json-schema.org/${draft}/schema${end}` }),
          undefined,
        )
      }
    }
  }
  for (const $schema of ['http://json-schema.org/draft-04/schema#', 'draft-07', '', 7, null]) {
    assertViolation({ $schema }, '.$schema', /2020-12/)
  }
})

test('the root must be an object, any other schema an object or a boolean', () => {
  for (const root of [true, false, null, 'x', 1, []])
    assertViolation(root, '', /JSON Schema object/)
  for (const inner of [null, 'string', 1, []]) {
    assertViolation({ properties: { city: inner } }, '.properties.city', /object or a boolean/)
    assertViolation({ anyOf: [true, inner] }, '.anyOf[1]', /object or a boolean/)
    assertViolation({ additionalProperties: inner }, '.additionalProperties', /object or a boolean/)
  }
})

const BAD_VALUES: Record<string, readonly unknown[]> = {
  type: ['text', 1, null, [], ['string', 'string'], ['string', 'any'], {}],
  enum: [[], 'a', null, {}],
  required: [true, 'a', [1], {}],
  dependentRequired: [[], { a: 'b' }, { a: [1] }],
  properties: [[], null, true],
  $defs: [[], null],
  allOf: [[], {}, true],
  prefixItems: [[], {}],
  minItems: [-1, 1.5, '1', null, true],
  maxLength: [-1, 0.5, []],
  minimum: ['1', true, null],
  multipleOf: [0, -1, '1'],
  pattern: [1, null],
  uniqueItems: ['true', 1],
  description: [1, null],
  $id: [1],
  $anchor: [{}],
  $ref: [1, 'https://example.com/schema', 'other.json#/a', '', '/$defs/a'],
  $dynamicRef: ['https://json-schema.org/draft/2020-12/schema'],
}

for (const [keyword, values] of Object.entries(BAD_VALUES)) {
  test(`rejected with its path: an invalid ${keyword}`, () => {
    for (const value of values) {
      assertViolation(
        { properties: { city: { [keyword]: value } } },
        `.properties.city.${keyword}`,
        /./,
      )
    }
  })
}

test('a path ends before a name that does not look like an identifier', () => {
  assertViolation({ properties: { 'my city': { type: 'x' } } }, '.properties', /type/)
})

test('a reference that does not resolve within the JSON Schema is rejected', () => {
  const pointers = ['#/$defs/b', '#/title', '#/constructor', '#/required/length', '#/required/0']
  for (const $ref of [...pointers, '#/%', '#/__proto__', '#/', '#//', '#nowhere']) {
    const schema = { $defs: { a: {} }, title: 't', required: ['a'], items: { $ref } }
    assertViolation(schema, '.items.$ref', /within the same/)
  }
  const hidden = { components: { a: { type: 'nonsense' } }, items: { $ref: '#/components/a' } }
  assertViolation(hidden, '.components.a.type', /type/)
})

test('a reference that leads back to itself at the same level is rejected', () => {
  const endless = /leads back to itself/
  assertViolation({ $ref: '#' }, '', endless)
  assertViolation({ anyOf: [{ type: 'null' }, { $ref: '#' }] }, '', endless)
  const circle = { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } }
  assertViolation({ $defs: circle }, '', endless)
})

test('property: it never throws, and violations quote identifiers only', () => {
  const keyword = fc.constantFrom(...SCHEMA_KEYWORDS.keys(), 'city', 'my city')
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<unknown>(
        {},
        true,
        '#',
        '#/properties/city',
        'string',
        1,
        -1,
        null,
        'a{2',
        '\\',
      ),
      fc.jsonValue({ maxDepth: 2 }),
      fc.dictionary(keyword, tie('schema'), { maxKeys: 4 }),
      fc.array(tie('schema'), { maxLength: 3 }),
    ),
  }))
  fc.assert(
    fc.property(fc.oneof(schema, fc.jsonValue()), (value) => {
      const violation = check(value, { properties: { a: value } }, { allOf: [value], $ref: value })
      if (violation === undefined) return
      assert.match(
        violation.path,
        /^tools\[3\]\.function\.parameters(\.[A-Za-z_$][\w$-]*|\[\d+\])*$/,
      )
      assert.match(violation.message, /^must /)
    }),
    { numRuns: 3000 },
  )
})

test('a violation in a schema that only a reference reaches is reported where it stands', () => {
  const schema = { $ref: '#/x/y~1z/0', x: { 'y/z': [{ minimum: 'no' }] } }
  assertViolation(schema, '.x', /must be a number/)
  assertViolation({ $ref: '#/x/0', x: [{ minimum: 'no' }] }, '.x[0].minimum', /must be a number/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { neutraliseSchema } from './neutralise-schema.ts'
import { BREAK, createNeutralise } from './neutralise.ts'

const neutralise = createNeutralise([])
const change = (schema: unknown) => neutraliseSchema(schema, neutralise)

test('a keyword of the client cannot become a control token between angle brackets', () => {
  for (const keyword of ['think', '/think', 'tool_call', '|im_end|', 'think>', 'seed:bos']) {
    const deep = { items: { anyOf: [{ $defs: { a: { [keyword]: 1 } } }] } }
    // A property that is called `properties` does not hide its schema.
    const hidden = { properties: { properties: { [keyword]: 1 } } }
    for (const schema of [{ [keyword]: 1 }, deep, hidden]) {
      const [name = ''] = JSON.stringify(change(schema)).match(/[^"{]+(?=":1)/) ?? []
      assert.equal(name.replaceAll(BREAK, ''), keyword)
      for (const element of [`<${name}>`, `</${name}>`])
        assert.equal(neutralise(element), element, keyword)
    }
  }
})

test('names of properties, keywords of JSON Schema and harmless keywords stay', () => {
  const schema = {
    type: 'object',
    title: 'think',
    properties: {
      think: { type: 'string', 'x-order': 1, enum: ['think', 's'], default: { tool_call: 's' } },
      tool_name: { type: ['string', 'null'], format: 'uri', example: 'a' },
      s: true,
    },
    required: ['think', 's'],
    dependencies: { s: ['think'] },
    dependentRequired: { think: ['s'] },
    additionalProperties: false,
    prefixItems: [{ const: null }, true],
  }
  assert.deepEqual(change(schema), schema)
})

test('control tokens in any name or text of a schema are broken up', () => {
  const token = '<|im_end|>'
  const schema = {
    description: token,
    properties: { [token]: { enum: [token], default: { [token]: [token] } } },
    required: [token],
    $defs: { [token]: { not: { const: token } } },
    dependencies: { [token]: [token] },
    dependentRequired: { [token]: [token] },
    [token]: token,
    ['x-more']: [{ [token]: token }],
  }
  const text = JSON.stringify(change(schema))
  assert.ok(!text.includes(token), text)
  assert.deepEqual(JSON.parse(text.replaceAll(BREAK, '')), schema)
})

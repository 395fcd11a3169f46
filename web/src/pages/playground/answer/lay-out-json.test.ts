import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { layOutJson } from './lay-out-json.ts'

const INDENT = 2

test('JSON is laid out as JSON.stringify does it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      const expected = JSON.stringify(value, null, INDENT)
      assert.equal(layOutJson(text), expected)
      assert.equal(layOutJson(expected), expected)
    }),
  )
})

test('values stay as they were written', () => {
  const text = '{"2": 1.00, "1": 12345678901234567890, "e": 1E+2, "s": "a\\u0041, \\"[{"}'
  const shown = layOutJson(text)
  for (const value of ['1.00', '12345678901234567890', '1E+2', '"a\\u0041, \\"[{"'])
    assert.ok(shown.includes(`: ${value}`), value)
  assert.ok(shown.indexOf('"2"') < shown.indexOf('"1"'))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countOf } from './count-of.ts'

test('only one is singular', () => {
  const shown = [0, 1, 2, 11].map((count) => countOf(count, 'engine'))
  assert.deepEqual(shown, ['0 engines', '1 engine', '2 engines', '11 engines'])
})

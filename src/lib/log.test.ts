import assert from 'node:assert/strict'
import { test } from 'node:test'
import { traceError } from './log.ts'

const SECRET = 'a-secret-nobody-may-see'
const DISGUISED = `broken\n    at ${SECRET} (file.js:1:1)\n   at ${SECRET}`

function parseError(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    return error
  }
}

test('the trace of an error shows where it was thrown, and nothing of its message', () => {
  const renamed = new Error(DISGUISED)
  renamed.message = 'another'
  const emptied = new Error(DISGUISED)
  emptied.message = ''
  const errors = [
    new Error(DISGUISED),
    new Error('outer', { cause: new TypeError(DISGUISED, { cause: DISGUISED }) }),
    new AggregateError([new Error(DISGUISED)], DISGUISED),
    parseError(`{"\n    at ${SECRET}`),
    parseError(SECRET),
    renamed,
    emptied,
    DISGUISED,
  ]
  for (const error of errors) assert.doesNotMatch(JSON.stringify(traceError(error)), /secret/)
})

test('the trace of an ordinary error has its frames', () => {
  for (const error of [new Error('of two\nlines'), new RangeError(''), parseError('{')])
    assert.match(traceError(error).at[0] ?? '', /^at .*log\.test\.ts|^at JSON\.parse/)
})

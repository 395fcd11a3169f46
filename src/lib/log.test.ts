import assert from 'node:assert/strict'
import { test } from 'node:test'
import { traceError } from './log.ts'

const SECRET = 'a-secret-nobody-may-see'
const DISGUISED = `broken\n    at ${SECRET} (file.js:1:1)\n   at ${SECRET}`

function parseFault(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    return error
  }
}

test('the trace of a fault shows where it was, and nothing of its message', () => {
  const renamed = new Error(DISGUISED)
  renamed.message = 'another'
  const emptied = new Error(DISGUISED)
  emptied.message = ''
  const faults = [
    new Error(DISGUISED),
    new Error('outer', { cause: new TypeError(DISGUISED, { cause: DISGUISED }) }),
    new AggregateError([new Error(DISGUISED)], DISGUISED),
    parseFault(`{"\n    at ${SECRET}`),
    parseFault(SECRET),
    renamed,
    emptied,
    DISGUISED,
  ]
  for (const fault of faults) assert.doesNotMatch(JSON.stringify(traceError(fault)), /secret/)
})

test('the trace of an ordinary fault has its frames', () => {
  for (const fault of [new Error('of two\nlines'), new RangeError(''), parseFault('{')])
    assert.match(traceError(fault).at[0] ?? '', /^at .*log\.test\.ts|^at JSON\.parse/)
})

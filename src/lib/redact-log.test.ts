import assert from 'node:assert/strict'
import { test } from 'node:test'
import { traceError } from './log.ts'
import { redactLogLine } from './redact-log.ts'

const LINE = { level: 40, time: 1_780_000_000_000, msg: 'request failed' }

test('a line of ours is kept as it is', () => {
  const cause = new Error('quoted')
  const error = traceError(new Error('quoted', { cause }))
  const line = JSON.stringify({ ...LINE, requestId: 'x', count: 3, missing: ['text'], error })
  const kept = JSON.parse(redactLogLine(line) ?? '') as object
  assert.deepEqual(kept, JSON.parse(line))
})

test('fields that a log may not have are removed, in errors too', () => {
  const error = { name: 'Error', at: ['at f (file.ts:1:1)', 'CANARY'], message: 'CANARY' }
  const odd = { content: 'CANARY', by: 'CANARY', model: { nested: 'CANARY' } }
  const line = JSON.stringify({ ...LINE, ...odd, error })
  const kept = redactLogLine(line) ?? ''
  assert.doesNotMatch(kept, /CANARY/)
  assert.match(kept, /at f \(file\.ts:1:1\)/)
})

test('lines that are not of our log are removed', () => {
  const odd = ['CANARY', '{"CANARY":1}', '[1]', '', JSON.stringify({ ...LINE, msg: 'CANARY\n' })]
  for (const line of odd) assert.equal(redactLogLine(line), undefined)
})

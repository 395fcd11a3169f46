import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeLine, type Paint } from './print-log.ts'

const PLAIN: Paint = (_, text) => text
const MARKED: Paint = (style, text) => `<${style}>${text}</${style}>`
const NAMES = new Map([['id-of-demo', 'demo']])
const TIME = new Date(2026, 10, 18, 9, 5, 3).getTime()
const API = { level: 30, time: TIME, part: 'api' } as const
const ENDED = { ...API, msg: 'request ended', ended: 'whole', code: null }

test('a request is one short line with its organization, model and tokens', () => {
  const line = {
    ...ENDED,
    operation: 'POST /chat/completions',
    organizationId: 'id-of-demo',
    status: 200,
    durationMs: 812,
    model: 'headrace/pebble',
    promptTokens: 26,
    completionTokens: 31,
  }
  assert.equal(
    describeLine(line, NAMES, PLAIN),
    '09:05:03 api     POST /chat/completions  200    812 ms  demo  headrace/pebble  26 + 31 tokens',
  )
  const broken = describeLine({ ...line, ended: 'broken' }, NAMES, MARKED)
  assert.match(broken, /<red>200 broken<\/red>/)
})

test('a refused request says why, and one without an organization names none', () => {
  const line = { ...ENDED, status: 401, durationMs: 1, code: 'missing_api_key' }
  const fields = { operation: null, organizationId: null, model: null, promptTokens: null }
  assert.equal(
    describeLine({ ...line, ...fields }, NAMES, PLAIN),
    '09:05:03 api     no such path            401      1 ms  missing_api_key',
  )
})

test('a warning or an error begins with that word and has its fields', () => {
  const error = { name: 'Error', code: 'ECONNREFUSED', at: ['at connect (net.ts:1)'] }
  const failed = { ...API, part: 'worker', level: 50, msg: 'job failed', count: 2, error } as const
  assert.equal(
    describeLine(failed, NAMES, PLAIN),
    '09:05:03 worker  error: job failed count=2 error=Error (ECONNREFUSED) at connect (net.ts:1)',
  )
  const warned = { ...API, level: 40, msg: 'engine ejected', engine: 'a\u001b[31m\nb' }
  assert.equal(
    describeLine(warned, NAMES, PLAIN),
    '09:05:03 api     warning: engine ejected engine=a b',
  )
})

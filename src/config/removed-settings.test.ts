import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, MINIMAL, problemsOf } from '../../test/harness/processes/configuration.ts'

test('a setting that was removed is reported with what replaces it', () => {
  const problems = problemsOf(() => load(`worker: { poll_seconds: 1 }\n${MINIMAL}`))
  assert.deepEqual(problems, [
    'headrace.yaml:1 worker.poll_seconds is not a known setting any more: ' +
      'the worker looks for records every 200 ms',
  ])
})

test('a removed setting of a list entry is found in every entry', () => {
  const text = MINIMAL.replace('owned_by: example', 'owned_by: example, bytes_per_token: 3')
  assert.notEqual(text, MINIMAL)
  const [problem] = problemsOf(() => load(text))
  assert.match(problem ?? '', /models\[0\]\.bytes_per_token is not a known setting any more: est/)
})

test('a variable of a removed setting is reported too', () => {
  const problems = problemsOf(() => load(MINIMAL, { HEADRACE_API_REUSE_PORT: 'true' }))
  assert.deepEqual(problems, [
    'HEADRACE_API_REUSE_PORT is not a known setting any more: ' +
      'run headrace api with --reuse-port or --processes',
  ])
})

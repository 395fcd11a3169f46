import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadIn } from './read-load.ts'

const NAMES = { running: 'vllm:num_requests_running', waiting: 'vllm:num_requests_waiting' }

test('a load is the sum over all labels, without metrics whose name only begins the same', () => {
  const page = [
    '# HELP vllm:num_requests_waiting Number of requests waiting.',
    '# TYPE vllm:num_requests_waiting gauge',
    'vllm:num_requests_running{engine="0",model_name="a}b"} 3.0',
    'vllm:num_requests_running{engine="1",model_name="a}b"} 4.0 1763280000000',
    'vllm:num_requests_waiting{engine="0",model_name="a"} 2.0',
    'vllm:num_requests_waiting_by_reason{engine="0",reason="capacity"} 2.0',
    'vllm:num_requests_waiting{engine="1",model_name="a"} 0.0',
  ].join('\n')
  assert.deepEqual(loadIn(page, NAMES), { running: 7, waiting: 2 })
})

test('a load without labels is read at the start and at the end of a page', () => {
  const names = { running: 'llamacpp:requests_processing', waiting: 'llamacpp:requests_deferred' }
  const page = 'llamacpp:requests_processing 1\nllamacpp:requests_deferred 12\r\n'
  assert.deepEqual(loadIn(page, names), { running: 1, waiting: 12 })
})

test('a page without one of the metrics, or with a value that is no count, has no load', () => {
  const running = 'vllm:num_requests_running 1'
  assert.equal(loadIn('', NAMES), undefined)
  assert.equal(loadIn(running, NAMES), undefined)
  for (const value of ['NaN', '-1', '+Inf', '', 'many'])
    assert.equal(loadIn(`${running}\nvllm:num_requests_waiting ${value}`, NAMES), undefined)
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { requireStack } from '../../../test/harness/processes/service.ts'
import { COUNTER_NAMES, readCounters, loadIn } from './read-counters.ts'

async function serve(text: string, status = 200, headers: OutgoingHttpHeaders = {}) {
  const server = createServer((_request, response) => {
    response.writeHead(status, headers).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      if (server.listening) await once(server, 'close')
    },
  }
}

const VLLM = `# HELP vllm:prompt_tokens_total Number of prefill tokens processed.
# TYPE vllm:prompt_tokens_total counter
vllm:prompt_tokens_total{engine="0",model_name="a b"} 1200.0
vllm:prompt_tokens_total{engine="1",model_name="a b"} 34.0
vllm:prompt_tokens_total_of_others 7.0
vllm:generation_tokens_total{engine="0",model_name="a b"} 1.5e+06
vllm:num_requests_running{engine="0"} 2.0
vllm:num_requests_waiting{engine="0"} 1.0
`

test('the counters of an engine are summed over its labels', async () => {
  await using server = await serve(VLLM)
  const engine = { name: 'one', apiKey: undefined, counters: COUNTER_NAMES.vllm, ...server }
  assert.deepEqual(await readCounters(engine), {
    promptTokens: 1234,
    completionTokens: 1_500_000,
    running: 3,
  })
})

test('missing counters, an error status and a failed connection are EngineErrors', async () => {
  const counters = COUNTER_NAMES.sglang
  await using silent = await serve(VLLM)
  await assert.rejects(readCounters({ name: 'one', apiKey: undefined, counters, ...silent }), {
    name: 'EngineError',
    kind: 'protocol',
  })
  const vllm = { name: 'one', apiKey: undefined, counters: COUNTER_NAMES.vllm }
  await using refusing = await serve(VLLM, 501)
  await assert.rejects(readCounters({ ...vllm, ...refusing }), { kind: 'status' })
  // Following the redirect would send the API key to another server.
  await using redirecting = await serve('', 302, { location: silent.url })
  await assert.rejects(readCounters({ ...vllm, ...redirecting }), { kind: 'status' })
  const unreachable = { name: 'one', apiKey: undefined, counters, url: 'http://127.0.0.1:1' }
  await assert.rejects(readCounters(unreachable), { name: 'EngineError', kind: 'transport' })
})

test('the size of the metrics page is bounded', async () => {
  await using endless = await serve(`${'# x\n'.repeat(3_000_000)}${VLLM}`)
  const engine = { name: 'one', apiKey: undefined, counters: COUNTER_NAMES.vllm, ...endless }
  await assert.rejects(readCounters(engine), { kind: 'protocol' })
})

test('the counters of a real llama-server are read with its API key', async () => {
  const { url, apiKey } = requireStack().engine
  const counters = COUNTER_NAMES['llama-server']
  const counted = await readCounters({ name: 'local', url, apiKey, counters })
  assert.ok(Number.isSafeInteger(counted.promptTokens))
  assert.ok(Number.isSafeInteger(counted.completionTokens))
})

const NAMES = {
  running: 'vllm:num_requests_running',
  waiting: 'vllm:num_requests_waiting',
  cacheUse: 'vllm:kv_cache_usage_perc',
  preempted: 'vllm:num_preemptions_total',
  served: 'vllm:generation_tokens_total',
}
const UNKNOWN = { cacheUse: undefined, preempted: undefined, served: undefined }

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
  assert.deepEqual(loadIn(page, NAMES), { ...UNKNOWN, running: 7, waiting: 2 })
})

test('requests of vLLM that wait for their grammar are no load', () => {
  const page = [
    'vllm:num_requests_running{engine="0"} 1.0',
    'vllm:num_requests_waiting_by_reason{engine="0",reason="capacity"} 2.0',
    'vllm:num_requests_waiting_by_reason{engine="0",reason="deferred"} 3.0',
    'vllm:num_requests_waiting{engine="0"} 5.0',
  ].join('\n')
  const deferred = { name: 'vllm:num_requests_waiting_by_reason', label: 'reason="deferred"' }
  assert.deepEqual(loadIn(page, { ...NAMES, deferred }), { ...UNKNOWN, running: 1, waiting: 2 })
})

test('the memory of an engine is that of its fullest rank, what it stopped that of all', () => {
  const page = [
    'vllm:num_requests_running{engine="0"} 1.0',
    'vllm:num_requests_waiting{engine="0"} 0.0',
    'vllm:kv_cache_usage_perc{engine="0"} 0.25',
    'vllm:kv_cache_usage_perc{engine="1"} 0.75',
    'vllm:num_preemptions_total{engine="0"} 2.0',
    'vllm:num_preemptions_total{engine="1"} 3.0',
    'vllm:num_preemptions_created{engine="0"} 1.7e+09',
    'vllm:generation_tokens_total{engine="0"} 9.0',
  ].join('\n')
  const memory = { cacheUse: 0.75, preempted: 5, served: 9 }
  assert.deepEqual(loadIn(page, NAMES), { running: 1, waiting: 0, ...memory })
})

test('a load without labels is read at the start and at the end of a page', () => {
  const names = {
    running: 'llamacpp:requests_processing',
    waiting: 'llamacpp:requests_deferred',
    served: 'llamacpp:tokens_predicted_total',
  }
  const lines = ['llamacpp:requests_processing 1', 'llamacpp:tokens_predicted_total 7']
  const page = [...lines, 'llamacpp:requests_deferred 12\r\n'].join('\n')
  assert.deepEqual(loadIn(page, names), { ...UNKNOWN, running: 1, waiting: 12, served: 7 })
})

test('a page without one of the metrics, or with a value that is no count, has no load', () => {
  const running = 'vllm:num_requests_running 1'
  assert.equal(loadIn('', NAMES), undefined)
  assert.equal(loadIn(running, NAMES), undefined)
  for (const value of ['NaN', '-1', '+Inf', '', 'many'])
    assert.equal(loadIn(`${running}\nvllm:num_requests_waiting ${value}`, NAMES), undefined)
})

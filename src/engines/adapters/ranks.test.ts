import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { createReadPauses } from '../wire/read-pauses.ts'
import { connectChatEngine, type EngineTraits } from './chat-engine.ts'
import { EngineError, type Generation } from './engine.ts'
import { sglang } from './sglang.ts'
import { vllm } from './vllm.ts'

const GENERATION: Generation = {
  request: { model: 'm', messages: [{ role: 'user', content: 'One?' }] },
  outputTokensMax: 1,
  effort: undefined,
  organizationId: 'a',
  neutralise: (each: string) => each,
}
const METRICS = [
  'vllm:num_requests_running{engine="0"} 3.0',
  'vllm:num_requests_running{engine="1"} 1.0',
  'vllm:num_requests_waiting{engine="0"} 2.0',
  'vllm:num_requests_waiting{engine="1"} 0.0',
].join('\n')

/** A server that refuses generations and keeps what was asked. */
async function openServer(t: TestContext) {
  const asked: { rank: unknown; body: Record<string, unknown> }[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    if (request.url === '/metrics') return void response.end(METRICS)
    const rank = request.headers['x-data-parallel-rank']
    asked.push({ rank, body: JSON.parse(body) as Record<string, unknown> })
    response.writeHead(400).end()
  }
  const server = createServer((request, response) => void answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const connect = (traits: EngineTraits, rank?: number) => {
    const own = { name: 'one', url, rank, apiKey: undefined, slots: 1, modelName: 'm' }
    const engine = connectChatEngine({ ...own, readPauses: createReadPauses(0) }, traits)
    t.after(() => engine.close())
    return engine
  }
  return { asked, connect }
}

test('a generation names its rank by the header of vLLM, or the member of SGLang', async (t) => {
  const { asked, connect } = await openServer(t)
  const signal = new AbortController().signal
  for (const engine of [connect(vllm, 1), connect(sglang, 1), connect(vllm), connect(sglang)])
    await assert.rejects(engine.generate(GENERATION, signal), EngineError)
  assert.deepEqual(
    asked.map(({ rank, body }) => [rank, body['routed_dp_rank']]),
    [
      ['1', undefined],
      [undefined, 1],
      [undefined, undefined],
      [undefined, undefined],
    ],
  )
})

test('the load of a rank is its own, that of a server without ranks all of it', async (t) => {
  const { connect } = await openServer(t)
  const { signal } = new AbortController()
  const loads = await Promise.all(
    [connect(vllm, 0), connect(vllm, 1), connect(vllm)].map((engine) => engine.readLoad(signal)),
  )
  assert.deepEqual(
    loads.map(({ running, waiting }) => [running, waiting]),
    [
      [3, 2],
      [1, 0],
      [4, 2],
    ],
  )
})

// One URL in front of two real servers, of which one is killed.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { after, test } from 'node:test'
import type { EnginesReport } from '../../src/contract/management/operator-system.ts'
import { startEnvironment } from '../harness/environment.ts'
import { startRealEngine } from '../harness/engines/real-engine.ts'

const REQUESTS = 40

/** Connections that the router has sent to each worker. */
const sent = [0, 0]

/** Connects to the workers in turn, also to those that are dead. */
async function startRouter(): Promise<Server> {
  let turn = 0
  const server = createServer((client) => {
    const index = (turn += 1) % workers.length
    sent[index] = (sent[index] ?? 0) + 1
    const worker = connect(Number(new URL(workers[index]?.url ?? '').port), '127.0.0.1')
    worker.on('error', () => client.destroy())
    client.on('error', () => worker.destroy())
    client.pipe(worker).pipe(client)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

const workers = [await startRealEngine(4), await startRealEngine(4)]
const router = await startRouter()
const url = `http://127.0.0.1:${(router.address() as AddressInfo).port}`
const capabilities = { cache: 'shared', abort: 'disconnect' }
const common = { url, kind: 'openai' as const, slots: 4, model_name: 'pebble', capabilities }
const engines = [{ ...common, name: 'routed', workers: 'many' as const }]
const models = [{ id: 'routed', engines: ['routed'], context_length: 4_096 }]
const environment = await startEnvironment({ engines, models, valkey: 'own' })
const api = await environment.startApi()
const caller = await environment.openCaller()
after(async () => {
  await environment[Symbol.asyncDispose]()
  router.close()
  for (const worker of workers) await worker[Symbol.asyncDispose]()
})

async function ask(turn: number): Promise<number> {
  const messages = [{ role: 'user', content: `Question ${turn}: why?` }]
  const response = await fetch(`${api.apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'routed', messages, max_completion_tokens: 5 }),
  })
  await response.text()
  return response.status
}

test('a dead worker of two fails no request and does not eject the others', async () => {
  for (let turn = 0; turn < 4; turn += 1) assert.equal(await ask(turn), 200)
  await workers[0]?.kill()
  const first = sent[0] ?? 0
  const statuses: number[] = []
  for (let turn = 0; turn < REQUESTS; turn += 1) statuses.push(await ask(turn))
  assert.deepEqual([...new Set(statuses)], [200])
  assert.ok((sent[0] ?? 0) >= first + REQUESTS / 4, 'the dead worker was tried')
  const report = (await (await fetch(`${api.healthAddress}/engines`)).json()) as EnginesReport
  const { state, ejections, faults } = report.states?.['routed'] ?? {}
  assert.deepEqual([state, ejections], ['ready', 0])
  assert.ok((faults?.['connection']?.count ?? 0) > 0, 'operators see the failures')
})

test('when all workers are dead requests fail after one more attempt', async () => {
  for (const worker of workers) await worker.kill()
  const first = (sent[0] ?? 0) + (sent[1] ?? 0)
  assert.equal(await ask(0), 502)
  assert.equal((sent[0] ?? 0) + (sent[1] ?? 0), first + 2)
})

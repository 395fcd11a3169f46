import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Config } from '../../src/config/load.ts'
import { changeOrganization } from '../../src/store/tenants/organizations.ts'
import { scriptedModel } from '../harness/fake-engine/scripts.ts'
import { readError } from './client.ts'
import { openChat, request, startApi, until } from './start.ts'

const BODY_BYTES_MAX = 1_000_000
const BUDGET_BYTES = 4 * BODY_BYTES_MAX

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** An unlisted member, which is not sent to engines. */
const MARK = 'marked-by-the-test'

/** Every marked message that JSON.parse has made, as long as anything refers to it. */
const marked: WeakRef<object>[] = []
const { parse } = JSON
JSON.parse = (...given: Parameters<typeof parse>) => {
  const value = parse(...given) as { messages?: { [MARK]?: true }[] } | null
  const message = value?.messages?.[0]
  if (message?.[MARK] === true) marked.push(new WeakRef(message))
  return value
}

function isAlive(): boolean {
  collectGarbage()
  return marked.at(-1)?.deref() !== undefined
}

function small({ api, ...config }: Config): Config {
  const limits = { body_bytes_max: BODY_BYTES_MAX, body_budget_bytes: BUDGET_BYTES }
  return { ...config, api: { ...api, ...limits } }
}

const api = await startApi(small)
after(() => api[Symbol.asyncDispose]())

describe('the memory of bodies', () => {
  async function charged(): Promise<number> {
    const page = await (await fetch(`${api.service.healthAddress}/metrics`)).text()
    return Number(/^headrace_body_bytes (\d+)$/m.exec(page)?.[1])
  }

  const streaming = () =>
    request({
      model: scriptedModel('stops-talking'),
      messages: [{ role: 'user', content: 'x'.repeat(1_000), [MARK]: true }],
      stream: true,
    })

  /** Sends the head and a part of a body, and leaves the connection open. */
  async function openUpload(key: string, bytes: number): Promise<Socket> {
    const { hostname, port } = new URL(api.service.apiRoot)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    const head = [
      'POST /compat/v1/chat/completions HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${BODY_BYTES_MAX}`,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n${' '.repeat(bytes)}`)
    await once(socket, 'connect')
    return socket
  }

  test('a request is released when its engine begins to answer', async () => {
    const leaving = new AbortController()
    await openChat(api, streaming(), leaving.signal)
    await until('the messages are collected', () => !isAlive())
    assert.equal(await charged(), 0)
    leaving.abort()
    await until('the engine is left', () => api.engine.running === 0)
  })

  test('a request whose content is retained stays, and stays charged, until it ends', async () => {
    const { key, organizationId } = await api.service.createCaller()
    const { database } = api.service.postgres
    await changeOrganization(database, organizationId, { retention: 'standard' })
    const leaving = new AbortController()
    await openChat({ ...api, key }, streaming(), leaving.signal)
    assert.equal(isAlive(), true)
    assert.ok((await charged()) > 1_000)
    leaving.abort()
    await until('the charge ends', async () => (await charged()) === 0)
    await until('the messages are collected', () => !isAlive())
  })

  test('503: beyond its share an organization is refused, and others are served', async () => {
    const greedy = await api.service.createCaller()
    const part = 0.9 * BODY_BYTES_MAX
    const uploads = [await openUpload(greedy.key, part), await openUpload(greedy.key, part)]
    await until('two bodies are held', async () => (await charged()) >= 2 * part)
    const body = JSON.stringify(request()).padEnd(BODY_BYTES_MAX)
    const refused = await api.client.chat({}, { key: greedy.key, body })
    assert.equal(refused.status, 503)
    assert.equal(readError(refused).code, 'infrastructure_rate_limit_exceeded')
    assert.equal(refused.headers['retry-after'], '1')
    assert.equal(refused.headers['retry-after-ms'], '1000')
    // It was admitted, so a flood of these is limited.
    assert.ok(Number(refused.headers['x-ratelimit-remaining-requests-day']) < 1_000_000_000)
    assert.ok((await charged()) <= BUDGET_BYTES / 2)
    const other = await api.client.chat({}, { body: JSON.stringify(request()).padEnd(100_000) })
    assert.equal(other.status, 200)
    for (const socket of uploads) socket.destroy()
    await until('everything is released', async () => (await charged()) === 0)
  })
})

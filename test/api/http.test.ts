import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { readError, type ErrorFields } from './client.ts'
import { exchangeRaw, headerOf, type RawAnswer } from './raw-socket.ts'
import { request, startApi } from './start.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const api = await startApi()
after(() => api[Symbol.asyncDispose]())

describe('HTTP server', () => {
  /** Sends a request with these header lines and this body. */
  function send(lines: readonly string[], body = '', end = false): Promise<RawAnswer> {
    const head = [
      'POST /compat/v1/chat/completions HTTP/1.1',
      `Authorization: Bearer ${api.key}`,
      ...lines,
    ]
    const bytes = `${head.join('\r\n')}\r\n\r\n${body}`
    return exchangeRaw(new URL(api.service.apiRoot), bytes, { end })
  }

  function expectError(answer: RawAnswer, status: number): ErrorFields {
    assert.equal(answer.status, status, answer.head)
    assert.match(headerOf(answer, 'x-request-id') ?? '', UUID_V7)
    return readError({ text: answer.body })
  }

  const JSON_TYPE = 'Content-Type: application/json'
  const HOST = 'Host: localhost'

  test('431: headers that are too large get an error body', async () => {
    const answer = await send([HOST, JSON_TYPE, `X-Large: ${'x'.repeat(40_000)}`])
    assert.equal(expectError(answer, 431).code, 'headers_too_large')
  })

  test('400: bytes that are not HTTP get an error body', async () => {
    const answer = await exchangeRaw(new URL(api.service.apiRoot), 'NONSENSE\r\n\r\n')
    assert.equal(expectError(answer, 400).code, 'malformed_http')
  })

  const LENGTH = 'Content-Length: 2'
  const TWICE = {
    Host: [HOST, JSON_TYPE, LENGTH, 'Host: other'],
    Authorization: [HOST, JSON_TYPE, LENGTH, 'Authorization: Bearer other'],
    'Content-Type': [HOST, JSON_TYPE, LENGTH, 'Content-Type: text/plain'],
    'Content-Length': [HOST, JSON_TYPE, LENGTH, 'Content-Length: 3'],
  }
  for (const [name, lines] of Object.entries(TWICE)) {
    test(`400: two ${name} headers are rejected`, async () => {
      assert.equal(expectError(await send(lines, '{}', true), 400).code, 'malformed_http')
    })
  }

  test('400: Content-Length together with chunks is rejected', async () => {
    const lines = [HOST, JSON_TYPE, 'Content-Length: 2', 'Transfer-Encoding: chunked']
    expectError(await send(lines, '2\r\n{}\r\n0\r\n\r\n'), 400)
  })

  test('400: a missing Host is rejected with a request id', async () => {
    expectError(await send([JSON_TYPE, 'Content-Length: 2'], '{}'), 400)
  })

  test('a truncated body is never processed as a complete one', async () => {
    const body = JSON.stringify(request())
    const lines = [HOST, JSON_TYPE, `Content-Length: ${body.length + 1}`]
    const answer = await send(lines, body, true)
    assert.notEqual(answer.status, 200)
  })

  test('415: garbage after an early response gets no second response', async () => {
    const head = [
      'POST /compat/v1/chat/completions HTTP/1.1',
      `Authorization: Bearer ${api.key}`,
      HOST,
      'Content-Type: text/plain',
      'Transfer-Encoding: chunked',
    ]
    const all = await readAll(`${head.join('\r\n')}\r\n\r\n2\r\n{}\r\n`, 'zz\r\nrubbish\r\n')
    assert.deepEqual(all.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 415'])
  })

  /** Sends more once the response has started, and reads until the connection ends. */
  async function readAll(first: string, more: string): Promise<string> {
    const { port, hostname } = new URL(api.service.apiRoot)
    const socket = connect(Number(port), hostname)
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    let all = ''
    socket.setEncoding('latin1')
    socket.on('data', (part: string) => {
      if (all === '') socket.write(more)
      all += part
    })
    socket.on('error', () => resolve())
    socket.on('close', () => resolve())
    socket.write(first)
    await ended
    return all
  }

  test('200: Expect: 100-continue gets 100, then the response', async () => {
    const body = JSON.stringify(request())
    const lines = [HOST, JSON_TYPE, `Content-Length: ${body.length}`, 'Expect: 100-continue']
    assert.equal((await send(lines, body)).status, 200)
  })

  test('204: a preflight has no request id; any other OPTIONS request has one', async () => {
    const address = `${api.service.apiRoot}/chat/completions`
    const origin = { origin: 'https://app.example.com' }
    const headers = { ...origin, 'access-control-request-method': 'POST' }
    const preflight = await fetch(address, { method: 'OPTIONS', headers })
    assert.deepEqual([preflight.status, preflight.headers.get('x-request-id')], [204, null])
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*')
    const other = await fetch(address, { method: 'OPTIONS', headers: origin })
    assert.equal(other.status, 401)
    assert.match(other.headers.get('x-request-id') ?? '', UUID_V7)
  })

  test('404: paths outside the API root do not exist, and get a request id', async () => {
    const { origin } = new URL(api.service.apiRoot)
    for (const path of ['/', '/compat/v1x/models', '/v1/models', '/metrics', '/healthz']) {
      const answer = await fetch(`${origin}${path}`)
      assert.equal(answer.status, 404, path)
      assert.match(answer.headers.get('x-request-id') ?? '', UUID_V7)
    }
  })

  test('200: liveness and readiness are served on a separate port', async () => {
    const { healthAddress } = api.service
    const alive = await fetch(`${healthAddress}/healthz`)
    assert.equal(alive.status, 200)
    const ready = await fetch(`${healthAddress}/readyz`)
    assert.equal(ready.status, 200)
    const { checks } = (await ready.json()) as { checks: Record<string, boolean> }
    assert.ok(Object.values(checks).every(Boolean))
    assert.equal((await fetch(`${healthAddress}/compat/v1/models`)).status, 404)
  })
})

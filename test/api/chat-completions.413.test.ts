import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { after, describe, test } from 'node:test'
import { text } from 'node:stream/consumers'
import { readError } from './client.ts'
import { exchangeRaw } from './raw-socket.ts'
import { request, startApi } from './start.ts'

const BODY_BYTES_MAX = 100_000

const api = await startApi((config) => ({
  ...config,
  api: { ...config.api, body_bytes_max: BODY_BYTES_MAX },
}))
after(() => api[Symbol.asyncDispose]())

describe('413', () => {
  /** Sends over one keep-alive connection, with Content-Length or in chunks. */
  async function post(agent: Agent, body: string, announced: boolean) {
    const sent = httpRequest(`${api.service.apiRoot}/chat/completions`, {
      agent,
      method: 'POST',
      headers: {
        authorization: `Bearer ${api.key}`,
        'content-type': 'application/json',
        ...(announced && { 'content-length': Buffer.byteLength(body) }),
      },
    })
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>
    sent.end(body)
    const [response] = await answered
    const { statusCode: status } = response
    return { status, text: await text(response), reused: sent.reusedSocket }
  }

  for (const announced of [true, false]) {
    const how = announced ? 'with Content-Length' : 'in chunks'
    test(`413: a body over the limit, sent ${how}, leaves the connection usable`, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const valid = JSON.stringify(request())
      const rejected = await post(agent, valid.padEnd(5 * BODY_BYTES_MAX), announced)
      assert.equal(rejected.status, 413)
      const { type, code, param } = readError(rejected)
      assert.deepEqual([type, code, param], ['invalid_request_error', 'request_too_large', null])
      const next = await post(agent, valid, announced)
      assert.deepEqual([next.status, next.reused], [200, true])
      agent.destroy()
    })
  }

  test('413: a Content-Length over the limit is rejected before the body is sent', async () => {
    const head = [
      'POST /compat/v1/chat/completions HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${api.key}`,
      'Content-Type: application/json',
      'Content-Length: 99999999',
    ]
    const answer = await exchangeRaw(new URL(api.service.apiRoot), `${head.join('\r\n')}\r\n\r\n`)
    assert.equal(answer.status, 413)
  })
})

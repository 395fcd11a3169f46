import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { UrlRefused } from '../sign-in/identity/guard-url.ts'
import { callWebhook, createWebhookSecret, signWebhook, WebhookRefused } from './webhook.ts'

const ALLOWED = { privateHosts: ['127.0.0.1', 'localhost'] }

async function startReceiver(t: TestContext, answer: RequestListener) {
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    answer(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return { paths, message: { url, secret: createWebhookSecret(), id: 'alert_1', body: '{}' } }
}

test('signatures are those of Standard Webhooks', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
  const signed = signWebhook(secret, { id, timestamp: 1_614_265_330, body: '{"test": 2432232314}' })
  assert.equal(signed, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

test('a private address is not called unless the operator allows it', async (t) => {
  const { paths, message } = await startReceiver(t, (_, response) => response.end())
  const { port } = new URL(message.url)
  for (const host of ['127.0.0.1', '[::1]', 'localhost', '2130706433', '[::ffff:127.0.0.1]'])
    await assert.rejects(
      callWebhook({ ...message, url: `https://${host}:${port}/hook` }, { privateHosts: [] }),
      UrlRefused,
    )
  await assert.rejects(callWebhook(message, { privateHosts: [] }), UrlRefused)
  assert.deepEqual(paths, [])
  await callWebhook(message, ALLOWED)
  assert.deepEqual(paths, ['/hook'])
})

test('redirects are not followed, and only 2xx is success', async (t) => {
  let status = 307
  const { paths, message } = await startReceiver(t, (_, response) =>
    response.writeHead(status, { location: '/elsewhere' }).end(),
  )
  for (status of [307, 301, 404, 500])
    await assert.rejects(callWebhook(message, ALLOWED), WebhookRefused)
  status = 204
  await callWebhook(message, ALLOWED)
  assert.deepEqual(new Set(paths), new Set(['/hook']))
})

test('a receiver that does not answer, or not to its end, is left at the time limit', async (t) => {
  const silent = await startReceiver(t, () => {})
  const endless = await startReceiver(t, (_, response) => response.writeHead(200).write('x'))
  const sinceMs = performance.now()
  await Promise.all(
    [silent, endless].map(({ message }) =>
      assert.rejects(callWebhook(message, { ...ALLOWED, timeoutMs: 300 })),
    ),
  )
  const tookMs = performance.now() - sinceMs
  assert.ok(tookMs > 250 && tookMs < 4_000, `${tookMs} ms`)
})

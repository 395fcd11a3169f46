import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { startEnvironment } from '../harness/environment.ts'
import { waitUntil } from '../harness/figures/measure.ts'

const KEY = 'rk_test_canary0123456789'
const SECRET = 'whsec_canary0123456789abcdef'

/** A provider that repeats in its errors what it was sent, as careless ones and proxies do. */
async function startEcho() {
  const server = createServer((request, response) => {
    const message = `You sent ${request.headers.authorization}`
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { type: 'invalid_request_error', message } }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

test("the provider's key and the webhook secret are in no log, answer or metric", async () => {
  using provider = await startEcho()
  const log: string[] = []
  await using environment = await startEnvironment({
    sections: {
      console: { port: 0, health_port: 0 },
      payments: { provider: 'stripe', page_hosts: ['127.0.0.1'], api_url: provider.url },
    },
    onLog: (line) => void log.push(line),
  })
  const console_ = await environment.startConsole({
    HEADRACE_STRIPE_KEY: KEY,
    HEADRACE_STRIPE_WEBHOOK_SECRETS: SECRET,
  })
  const failed = () => log.some((line) => line.includes('poll-events'))
  await waitUntil('a refused request in the log', async () => failed(), 30_000)
  const hooks = await fetch(new URL('/hooks/stripe', console_.apiRoot), {
    method: 'POST',
    headers: { 'stripe-signature': `t=1,v1=${SECRET}` },
    body: '{}',
  })
  assert.equal(hooks.status, 400)
  const pages = ['/metrics', '/status', '/readyz'].map(async (path) =>
    (await fetch(`${console_.healthAddress}${path}`)).text(),
  )
  const seen = [...log, await hooks.text(), ...(await Promise.all(pages))].join('\n')
  for (const secret of [KEY, SECRET]) assert.ok(!seen.includes(secret), `${secret} is not seen`)
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ProviderError } from '../../provider-error.ts'
import { connectStripe } from '../stripe.ts'

/** Of the event loop, far more than a request on the loopback interface takes. */
const TURNS = 1_000
const KEY = 'rk_test_0123456789'
const REFUND = { attempt: 1, moneyRef: 'pi_1', invoiceRef: null, currency: 'USD', amount: 10_000 }

async function failureOf(asked: Promise<unknown>): Promise<ProviderError> {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ProviderError, String(error))
  return error
}

type Answered = { readonly status: number; readonly body: string }

/** Uses the client with a server that answers as told; returns how many it had at once. */
async function withAnswers(
  answer: (running: number) => Answered | Promise<Answered>,
  use: (client: ReturnType<typeof connectStripe>) => Promise<void>,
  timeoutMs = 20_000,
): Promise<number> {
  let running = 0
  let most = 0
  const server = createServer((_, response) => {
    running += 1
    most = Math.max(most, running)
    const send = async () => {
      const { status, body } = await answer(running)
      running -= 1
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    }
    void send()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    await use(connectStripe({ key: KEY, apiUrl, timeoutMs, webhookSecrets: [], backoffMs: 1 }))
  } finally {
    server.closeAllConnections()
    server.close()
  }
  return most
}

test('an answer that lacks what we read is unreadable, and one with more is read', async () => {
  const refund = { id: 're_1', status: 'succeeded', amount: 5, currency: 'usd', metadata: null }
  let body = JSON.stringify({ ...refund, payment_intent: 'pi_1', invented: { later: true } })
  const answer = () => ({ status: 200, body })
  await withAnswers(answer, async (client) => {
    assert.equal((await client.readRefund('re_1')).amount, 50_000)
    body = JSON.stringify({ ...refund, amount: '5', payment_intent: 'pi_1' })
    assert.equal((await failureOf(client.readRefund('re_1'))).failure, 'unreadable')
    body = '<html>'
    assert.equal((await failureOf(client.readRefund('re_1'))).failure, 'unreadable')
  })
})

test('statuses mean what they say, and no error quotes the key', async () => {
  const meanings = {
    400: 'refused',
    401: 'denied',
    402: 'declined',
    403: 'denied',
    307: 'unavailable',
  }
  for (const [status, failure] of Object.entries(meanings)) {
    const error = { type: 'card_error', code: 'card_declined', message: 'No.' }
    const answer = () => ({ status: Number(status), body: JSON.stringify({ error }) })
    await withAnswers(answer, async (client) => {
      const seen = await failureOf(client.refund({ ...REFUND, id: `refund-${status}` }))
      assert.equal(seen.failure, failure, status)
      assert.doesNotMatch(`${seen.stack} ${JSON.stringify(seen)}`, /rk_test_0/)
    })
  }
})

test('a provider that does not answer is given up', async () => {
  const silent = async () => new Promise<never>(() => undefined)
  await withAnswers(
    silent,
    async (client) => {
      assert.equal((await failureOf(client.readRefund('re_1'))).failure, 'unavailable')
    },
    50,
  )
})

test('at most 10 requests run at once', async () => {
  const full = Promise.withResolvers<void>()
  const body = JSON.stringify({ id: 'pi_1', url: 'https://portal.example' })
  const answer = async (running: number) => {
    // Whatever else was sent arrives in the meantime.
    if (running === 10) for (let turn = 0; turn < TURNS; turn += 1) await setImmediate()
    if (running === 10) full.resolve()
    await full.promise
    return { status: 200, body }
  }
  const most = await withAnswers(answer, async (client) => {
    await Promise.all(Array.from({ length: 25 }, async () => client.openPortal('cus_1', 'x')))
  })
  assert.equal(most, 10)
})

test('an invoice whose money was taken and that is still open is being processed', async () => {
  const intent = { id: 'pi_1', status: 'succeeded', amount_received: 500 }
  const invoice = {
    id: 'in_1',
    status: 'open',
    livemode: false,
    currency: 'usd',
    customer: 'cus_1',
    metadata: {},
    total: 500,
    total_excluding_tax: 500,
    amount_due: 500,
    payments: { data: [{ payment: { payment_intent: intent } }] },
  }
  const answer = () => ({ status: 200, body: JSON.stringify(invoice) })
  await withAnswers(answer, async (client) => {
    assert.equal((await client.read('in_1')).state, 'processing')
  })
})

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { connectStripe } from '../../../src/payments/stripe/stripe.ts'
import { timeUntil } from '../../harness/figures/measure.ts'
import { startLocalstripe } from '../../harness/payments/localstripe.ts'
import type { ProofRun } from '../../harness/proof.ts'

/** It takes keys of this form only, and no restricted ones. */
const KEY = 'sk_test_0123456789abcdef'
const SECRET = 'whsec_0123456789abcdefghij'
const ORGANIZATION = '0199a000-0000-7000-8000-0000000000aa'
const REFUND = '0199a000-0000-7000-8000-0000000000bb'
const CARD = { number: '4242424242424242', exp_month: '12', exp_year: '2030', cvc: '123' }
/** It sends few other webhooks than those of customers. */
const DELIVERIES_MIN = 8
const DELIVERED_MS_MAX = 60_000

type Delivery = { readonly raw: Buffer; readonly headers: IncomingMessage['headers'] }

/**
 * Judges our client by a fake of Stripe that others wrote: customers, refunds, and the signatures
 * of webhooks. Returns how many deliveries were checked, or `no` if it is not installed.
 *
 * It cannot judge the rest: it has no Checkout, portal, disputes, account and usable invoices, does
 * not know `types` and `created` of the lists that we read, and makes two objects for one
 * idempotency key.
 */
export async function askLocalstripe(run: ProofRun): Promise<number | 'no'> {
  await using server = await startLocalstripe()
  if (server === undefined) return 'no'
  await using receiver = await startReceiver()
  const post = createPost(server.url)
  await post('/_config/webhooks/here', { url: receiver.url, secret: SECRET })
  const stripe = connectStripe({ key: KEY, apiUrl: server.url, webhookSecrets: [SECRET] })
  const owner = { organizationId: ORGANIZATION, name: 'Acme', email: 'billing@example.com' }
  const customer = await stripe.createCustomer(owner)
  if (customer === (await stripe.createCustomer(owner)))
    run.fail('localstripe knows idempotency keys now: let it judge them')
  for (let other = 3; other <= DELIVERIES_MIN; other += 1)
    await stripe.createCustomer({ ...owner, name: `Acme ${other}` })
  const moneyRef = await pay(post, customer)
  const asked = { id: REFUND, attempt: 1, moneyRef, currency: 'USD', amount: 10_000_000 }
  const { ref } = await stripe.refund(asked)
  const read = await stripe.readRefund(ref)
  const { state, refundId, currency, amount } = read
  if (read.moneyRef !== moneyRef || refundId !== REFUND || state !== 'succeeded')
    run.fail(`localstripe has another refund: ${JSON.stringify(read)}`)
  if (currency !== 'USD' || amount !== asked.amount) run.fail(`it refunded ${amount} ${currency}`)
  const { deliveries } = receiver
  const listed = await listEvents(server.url)
  const areThere = () => deliveries.length >= Math.max(listed.length, DELIVERIES_MIN)
  if ((await timeUntil(areThere, DELIVERED_MS_MAX)) === null)
    run.fail(`${deliveries.length} of ${listed.length} webhooks came`)
  const ids = deliveries.map(({ raw, headers }) => stripe.readHint(raw, headers)?.id)
  for (const id of listed) if (!ids.includes(id)) run.fail(`the webhook of ${id} was not accepted`)
  for (const delivery of deliveries) judgeForgeries(run, stripe.readHint, delivery)
  return deliveries.length
}

/** A signature of other bytes, of another time, or with another secret is none. */
function judgeForgeries(
  run: ProofRun,
  readHint: ReturnType<typeof connectStripe>['readHint'],
  { raw, headers }: Delivery,
): void {
  const signature = String(headers['stripe-signature'])
  const forged = { key: KEY, apiUrl: 'http://127.0.0.1', webhookSecrets: [`${SECRET}k`] }
  const accepted = [
    readHint(Buffer.concat([raw, Buffer.from(' ')]), headers),
    readHint(raw, { 'stripe-signature': signature.replace(/^t=\d/, 't=2') }),
    connectStripe(forged).readHint(raw, headers),
  ]
  if (accepted.some((hint) => hint !== null))
    run.fail('a forged webhook of localstripe is accepted')
}

type Post = (path: string, form: Readonly<Record<string, string>>) => Promise<{ id: string }>

/** What customers and operators do there, not our client. */
function createPost(url: string): Post {
  return async (path, form) => {
    const headers = { authorization: `Bearer ${KEY}` }
    const body = new URLSearchParams(form)
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`)
    const text = await answer.text()
    return (text.startsWith('{') ? JSON.parse(text) : { id: '' }) as { id: string }
  }
}

/** Pays 25.00 by card; returns the id under which the money moved. */
async function pay(post: Post, customer: string): Promise<string> {
  const card = Object.entries(CARD).map(([name, value]) => [`card[${name}]`, value])
  const method = await post('/v1/payment_methods', { type: 'card', ...Object.fromEntries(card) })
  await post(`/v1/payment_methods/${method.id}/attach`, { customer })
  const facts = { amount: '2500', currency: 'usd', customer, payment_method: method.id }
  const { id } = await post('/v1/payment_intents', facts)
  await post(`/v1/payment_intents/${id}/confirm`, {})
  return id
}

async function listEvents(url: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${KEY}` }
  const answer = await fetch(`${url}/v1/events?limit=100`, { headers })
  const { data } = (await answer.json()) as { data: { id: string }[] }
  return data.map(({ id }) => id)
}

async function startReceiver() {
  const deliveries: Delivery[] = []
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    deliveries.push({ raw: await buffer(request), headers: request.headers })
    response.end()
  }
  const server = createServer((request, response) => void receive(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    deliveries,
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findCard } from '../../src/store/payments/provider-customers.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import {
  codeOf,
  startPayingConsole,
  type Payer,
  type PayingConsole,
} from '../harness/payments/paying-console.ts'
import { ask } from '../harness/processes/console.ts'

let console_: PayingConsole

before(async () => {
  console_ = await startPayingConsole()
})
after(async () => console_[Symbol.asyncDispose]())

async function payPage(payer: Payer, saving: object): Promise<void> {
  const { status, body } = await payer.post('/payments', { amount: { amount: '25.00' }, ...saving })
  assert.equal(status, 201, JSON.stringify(body))
  await console_.control.complete(String(body['url']).split('/pay/')[1]!)
  const isPaid = async () =>
    (await payer.post(`/payments/${body.id}/check`)).body['state'] === 'succeeded'
  await waitUntil('the payment', isPaid, 30_000)
}

const cardOf = async ({ organization }: Payer) =>
  findCard(console_.postgres.database, organization.id)

test('a card is kept only if whoever paid agreed to it', async () => {
  const payer = await console_.openPayer()
  await payPage(payer, {})
  assert.equal(await cardOf(payer), null)
  assert.equal((await payer.get('/payment-options')).body['card'], null)
  await payPage(payer, { save_card: true })
  const { ref, ...shown } = (await cardOf(payer)) ?? { ref: '' }
  assert.match(ref, /^pm_/)
  assert.deepEqual(shown, {
    brand: 'visa',
    lastFour: '4242',
    expiresMonth: 12,
    expiresYear: 2032,
  })
  assert.deepEqual((await payer.get('/payment-options')).body['card'], {
    brand: 'visa',
    last_four: '4242',
    expires_month: 12,
    expires_year: 2032,
  })
  await payPage(payer, { save_card: false })
  assert.equal((await cardOf(payer))?.ref, ref, 'a payment without it changes nothing')
})

test('the portal opens on a host of the settings, for people who may pay', async () => {
  const payer = await console_.openPayer()
  const { status, body } = await payer.post('/payment-portal')
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(new URL(String(body['url'])).hostname, '127.0.0.1')
  const member = await console_.openPayer('member')
  assert.deepEqual(codeOf(await member.post('/payment-portal')), [403, 'role_required'])
  const path = `/organizations/${payer.organization.id}/payment-portal`
  assert.equal((await ask(console_.root, 'POST', path, { as: member.as })).status, 404)
})

test('503: neither a portal nor a page on another host is given out', async () => {
  await using elsewhere = await startPayingConsole((config) => ({
    ...config,
    payments: { ...config.payments!, page_hosts: ['checkout.stripe.com'] },
  }))
  const payer = await elsewhere.openPayer()
  const unavailable = [503, 'service_unavailable']
  assert.deepEqual(codeOf(await payer.post('/payment-portal')), unavailable)
  const page = await payer.post('/payments', { amount: { amount: '25.00' } })
  assert.deepEqual(codeOf(page), unavailable)
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startClient } from '../../../test/harness/payments/start-client.ts'

const started = await startClient()
after(async () => started[Symbol.asyncDispose]())
const { stripe, control, pageOf } = started

const URLS = { success: 'https://console.example/paid', cancel: 'https://console.example/billing' }

test('the list of hints names every object that changed, newest first', async () => {
  const since = new Date()
  const { ref } = await stripe.openPage(pageOf(), URLS)
  await control.complete(ref)
  const { moneyRef } = await stripe.read(ref)
  const refund = await control.refund(moneyRef ?? '')
  const hints = await Array.fromAsync(stripe.listHints(since))
  const found = hints.filter(({ ref: each }) => each === ref || each === refund.id)
  assert.deepEqual(
    found.map(({ about, ref: each }) => [about, each]),
    [
      ['refund', refund.id],
      ['payment', ref],
    ],
  )
  const seconds = Math.floor(since.getTime() / 1000)
  assert.ok(hints.every(({ at }) => at.getTime() >= seconds * 1000))
})

test("the day's money adds up to what the provider holds for us, before its fees", async () => {
  const today = new Date().toISOString().slice(0, 10)
  const { ref } = await stripe.openPage(pageOf(), URLS)
  await control.complete(ref)
  const { moneyRef } = await stripe.read(ref)
  const { id } = await control.dispute(moneyRef ?? '')
  const lines = await Array.fromAsync(stripe.listMoney(today))
  const sum = lines.reduce((total, { amount }) => total + amount, 0)
  assert.equal(sum, (await control.sums()).held * 10_000)
  assert.equal(lines.find(({ kind }) => kind === 'dispute')?.source, id)
  const charge = lines.find(({ kind }) => kind === 'charge')
  assert.match(charge?.source ?? '', /^pi_/)
  assert.ok((charge?.fee ?? 0) > 0)
  const dispute = lines.find(({ kind }) => kind === 'dispute')
  assert.deepEqual([dispute?.moneyRef, dispute?.paymentId], [moneyRef, null])
  assert.equal(dispute?.fee, 15_000_000)
  assert.deepEqual(await Array.fromAsync(stripe.listMoney('2020-01-01')), [])
})

test('a charge tells the ids that it carries, and the amount that its customer paid', async () => {
  const today = new Date().toISOString().slice(0, 10)
  const page = pageOf({ amount: 31_000_000 })
  const { ref } = await stripe.openPage(page, URLS)
  await control.complete(ref)
  await control.settleIn('eur')
  const { moneyRef } = await stripe.read(ref)
  const lines = await Array.fromAsync(stripe.listMoney(today))
  const charge = lines.find(({ source }) => source === moneyRef)
  const { paymentId, organizationId, amount, currency, fee, feeCurrency } = charge!
  assert.deepEqual([paymentId, organizationId], [page.id, page.organizationId])
  assert.deepEqual([amount, currency], [31_000_000, 'USD'])
  assert.deepEqual([fee, feeCurrency], [1_040_000, 'EUR'])
})

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

test('money and declines of invoices carry our ids, as those of pages do', async () => {
  const charged = { ...pageOf(), card: 'pm_kept' }
  const lines = [{ description: 'Credit', amount: 25_000_000 }]
  const charge = await stripe.writeInvoice(charged, lines)
  await stripe.payInvoice(charged, charge)
  const asked = { ...pageOf(), email: null, description: 'Usage', daysUntilDue: 30 }
  const invoice = await stripe.draftInvoice(asked, lines)
  await stripe.finalizeInvoice(invoice)
  await control.complete(invoice, 'declined')
  const { moneyRef } = await stripe.read(invoice)
  assert.equal(await stripe.readDecline(moneyRef!), asked.id)
  await control.complete(invoice)
  const money = await Array.fromAsync(stripe.listMoney(new Date().toISOString().slice(0, 10)))
  const idsOf = async (ref: string) => {
    const facts = await stripe.read(ref)
    const line = money.find(({ source }) => source === facts.moneyRef)
    return [line?.paymentId, line?.organizationId]
  }
  assert.deepEqual(await idsOf(charge), [charged.id, charged.organizationId])
  assert.deepEqual(await idsOf(invoice), [asked.id, asked.organizationId])
})

test('an invoice that somebody else has finalized gets our ids all the same', async () => {
  const asked = { ...pageOf(), email: null, description: 'Usage', daysUntilDue: 30 }
  const invoice = await stripe.draftInvoice(asked, [{ description: 'Use', amount: 25_000_000 }])
  // It was finalized, and the process died.
  await control.script([{ at: 'POST /v1/payment_intents', when: 'before', status: 400 }])
  await stripe.finalizeInvoice(invoice)
  await stripe.finalizeInvoice(invoice)
  const { moneyRef } = await stripe.read(invoice)
  assert.equal(await stripe.readDecline(moneyRef!), asked.id)
})

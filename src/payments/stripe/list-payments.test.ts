import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startClient } from '../../../test/harness/payments/start-client.ts'

const started = await startClient()
after(async () => started[Symbol.asyncDispose]())
const { stripe, control, pageOf, customer } = started

const URLS = { success: 'https://console.example/paid', cancel: 'https://console.example/billing' }
const SINCE = new Date()

test('pages and charges are listed once each, with all that their rows were made of', async () => {
  const [paid, over, open] = [pageOf({ saveCard: true }), pageOf(), pageOf({ amount: 7_000_000 })]
  const refs = []
  for (const page of [paid, over, open]) refs.push((await stripe.openPage(page, URLS)).ref)
  await control.complete(refs[0]!)
  await stripe.cancel(refs[1]!)
  const charge = { ...pageOf(), card: 'pm_kept' }
  const lines = [
    { description: 'one', amount: 3_000_000 },
    { description: 'two', amount: 4_000_000 },
  ]
  const invoice = await stripe.writeInvoice(charge, lines)
  const listed = await Array.fromAsync(stripe.listPayments(SINCE))
  assert.deepEqual(
    listed.map(({ ref, kind, paymentId, net, state, saveCard, card }) => [
      [ref, kind, paymentId],
      [net, state, saveCard, card],
    ]),
    [
      [
        [refs[2], 'page', open.id],
        [7_000_000, 'open', false, null],
      ],
      [
        [refs[1], 'page', over.id],
        [25_000_000, 'over', false, null],
      ],
      [
        [refs[0], 'page', paid.id],
        [25_000_000, 'paid', true, null],
      ],
      [
        [invoice, 'card', charge.id],
        [7_000_000, 'open', false, 'pm_kept'],
      ],
    ],
  )
  assert.ok(listed.every((each) => each.customer === customer))
  assert.ok(listed.every(({ organizationId }) => organizationId === paid.organizationId))
  assert.deepEqual(listed[2]?.expiresAt, paid.expiresAt)
  const later = new Date(Date.now() + 3_600_000)
  assert.deepEqual(await Array.fromAsync(stripe.listPayments(later)), [])
})

test('refunds and disputes are listed with the money that they are about', async () => {
  const pages = []
  for (let each = 0; each < 2; each += 1) {
    const { ref } = await stripe.openPage(pageOf(), URLS)
    await control.complete(ref)
    pages.push(String((await stripe.read(ref)).moneyRef))
  }
  const [one, other] = pages as [string, string]
  const refund = await control.refund(one, 100)
  const dispute = await control.dispute(other)
  assert.deepEqual(await Array.fromAsync(stripe.listReturned(SINCE)), [
    { about: 'refund', ref: refund.id, moneyRef: one },
    { about: 'dispute', ref: dispute.id, moneyRef: other },
  ])
})

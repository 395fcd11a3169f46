import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startClient } from '../../../test/harness/payments/start-client.ts'
import { ProviderError } from '../provider-error.ts'
import type { CardPayment } from '../provider.ts'

const started = await startClient()
after(async () => started[Symbol.asyncDispose]())
const { stripe, control, owner, customer, pageOf } = started

const URLS = { success: 'https://console.example/paid', cancel: 'https://console.example/billing' }

async function failureOf(asked: Promise<unknown>): Promise<ProviderError> {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ProviderError, String(error))
  return error
}

test('a page is open, and paid once the customer paid, with all that must be equal', async () => {
  const payment = pageOf({ saveCard: true })
  const { ref, url, expiresAt } = await stripe.openPage(payment, URLS)
  assert.match(url ?? '', /\/pay\/cs_test_/)
  assert.equal(expiresAt.getTime(), payment.expiresAt.getTime())
  const open = await stripe.read(ref)
  assert.equal(open.state, 'open')
  assert.equal(open.moneyRef, null)
  await control.complete(ref, 'declined')
  const declined = await stripe.read(ref)
  assert.equal(declined.state, 'open', 'another card may be tried')
  assert.equal(declined.failure, 'generic_decline')
  assert.equal(declined.savedCard, null)
  await control.complete(ref)
  const facts = await stripe.read(ref)
  const { moneyRef, invoiceRef, documentUrl, savedCard, paidAt, ...paid } = facts
  assert.deepEqual(paid, {
    ref,
    state: 'paid',
    paymentId: payment.id,
    organizationId: owner.organizationId,
    customer,
    live: false,
    currency: 'USD',
    net: 25_000_000,
    tax: 0,
    total: 25_000_000,
    asked: 25_000_000,
    received: 25_000_000,
    url: null,
    outside: false,
    dueAt: null,
    failure: null,
  })
  assert.match(moneyRef ?? '', /^pi_/)
  assert.match(invoiceRef ?? '', /^in_/)
  assert.match(documentUrl ?? '', /^https:/)
  assert.ok(Math.abs(Date.now() - (paidAt?.getTime() ?? 0)) < 60_000, 'when it was paid')
  const { ref: card, ...shown } = savedCard ?? { ref: '' }
  assert.match(card, /^pm_/)
  assert.deepEqual(shown, {
    brand: 'visa',
    lastFour: '4242',
    expiresMonth: 12,
    expiresYear: 2032,
  })
})

test('tax comes on top of the net amount', async () => {
  const { ref } = await stripe.openPage(pageOf({ tax: true }), URLS)
  await control.complete(ref)
  const { net, tax, total, savedCard } = await stripe.read(ref)
  assert.deepEqual({ net, tax, total }, { net: 25_000_000, tax: 4_750_000, total: 29_750_000 })
  assert.equal(savedCard, null, 'nobody agreed to it')
})

test('a repeated attempt gives the same page, the next attempt another one', async () => {
  const payment = pageOf()
  const first = await stripe.openPage(payment, URLS)
  assert.deepEqual(await stripe.openPage(payment, URLS), first)
  const next = await stripe.openPage({ ...payment, attempt: 2 }, URLS)
  assert.notEqual(next.ref, first.ref)
})

test('a lost answer and passing errors are repeated with the same key: one page', async () => {
  const before = await control.sums()
  const at = 'POST /v1/checkout/sessions'
  await control.script([
    { at, when: 'before', status: 429 },
    { at, when: 'after' },
  ])
  const { ref } = await stripe.openPage(pageOf(), URLS)
  const { pages } = await control.sums()
  assert.equal(pages, before.pages + 1)
  assert.equal((await stripe.read(ref)).state, 'open')
})

test('a provider that fails for good is unavailable, after three attempts', async () => {
  const { requests } = await control.sums()
  const fault = { when: 'before' as const, status: 503 }
  await control.script([fault, fault, fault])
  const error = await failureOf(stripe.read('cs_1'))
  assert.deepEqual([error.failure, error.status], ['unavailable', 503])
  assert.equal((await control.sums()).requests, requests + 3)
})

test('a page can be cancelled, before it is paid and after', async () => {
  const { ref } = await stripe.openPage(pageOf(), URLS)
  await stripe.cancel(ref)
  await stripe.cancel(ref)
  assert.equal((await stripe.read(ref)).state, 'expired')
  const paid = await stripe.openPage(pageOf(), URLS)
  await control.complete(paid.ref)
  await stripe.cancel(paid.ref)
  assert.equal((await stripe.read(paid.ref)).state, 'paid')
})

test('a payment whose key is too old is found by its id, beyond a page of the list', async () => {
  const payment = pageOf()
  const { ref } = await stripe.openPage(payment, URLS)
  for (let others = 0; others < 101; others += 1) await stripe.openPage(pageOf(), URLS)
  const sought = { ...payment, kind: 'page' as const, createdAt: new Date() }
  assert.equal(await stripe.find(sought), ref)
  assert.equal(await stripe.find({ ...sought, id: 'another' }), null)
  assert.equal(await stripe.find({ ...sought, kind: 'card' }), null)
})

function cardPayment(): CardPayment {
  return { ...pageOf(), card: 'pm_saved' }
}
const LINES = [
  { description: 'Credit', amount: 20_000_000 },
  { description: 'More credit', amount: 5_000_000 },
]

async function charge(payment: CardPayment): Promise<string> {
  const ref = await stripe.writeInvoice(payment, LINES)
  await stripe.payInvoice(payment, ref)
  return ref
}

test('an invoice is not paid before somebody says so', async () => {
  const { charged } = await control.sums()
  const ref = await stripe.writeInvoice(cardPayment(), LINES)
  const { state, total } = await stripe.read(ref)
  assert.deepEqual([state, total], ['open', 25_000_000])
  assert.equal((await control.sums()).charged, charged)
})

test('a saved card is charged once, however often it is repeated', async () => {
  const payment = cardPayment()
  const ref = await charge(payment)
  const { charged } = await control.sums()
  assert.equal(await charge(payment), ref)
  assert.equal((await control.sums()).charged, charged)
  const facts = await stripe.read(ref)
  assert.deepEqual([facts.state, facts.net, facts.paymentId], ['paid', 25_000_000, payment.id])
  assert.equal(await stripe.find({ ...payment, kind: 'card', createdAt: new Date() }), ref)
})

test('a charge goes on where it stopped, at each of its steps', async () => {
  const { charged } = await control.sums()
  for (const when of ['before', 'after'] as const) {
    const payment = cardPayment()
    for (let step = 0; step < 5; step += 1) {
      const dropped = { when, status: 503 }
      await control.script([dropped, dropped, dropped])
      await charge(payment).catch(() => undefined)
    }
    await control.script()
    const ref = await charge(payment)
    assert.equal((await stripe.read(ref)).state, 'paid', when)
  }
  assert.equal((await control.sums()).charged, charged + 5_000)
})

test('a declined card and one that needs its owner are read, then made void', async () => {
  await control.script([], ['insufficient_funds', 'authentication_required'])
  const declined = await charge(cardPayment())
  const facts = await stripe.read(declined)
  assert.deepEqual([facts.state, facts.failure], ['declined', 'insufficient_funds'])
  await stripe.cancel(declined)
  assert.equal((await stripe.read(declined)).state, 'expired')
  const asking = await charge(cardPayment())
  const { state, url } = await stripe.read(asking)
  assert.equal(state, 'needs_customer')
  assert.match(url ?? '', /^https:/)
})

async function paidPage() {
  const payment = pageOf()
  const { ref } = await stripe.openPage(payment, URLS)
  await control.complete(ref)
  const { moneyRef, invoiceRef } = await stripe.read(ref)
  assert.ok(moneyRef !== null && invoiceRef !== null)
  return { payment, moneyRef, invoiceRef }
}

test('a refund carries our id, happens once, and never exceeds what was paid', async () => {
  const { moneyRef } = await paidPage()
  const asked = { attempt: 1, moneyRef, currency: 'USD', amount: 10_000_000 }
  const { ref } = await stripe.refund({ ...asked, id: 'refund-1' })
  assert.deepEqual(await stripe.refund({ ...asked, id: 'refund-1' }), { ref })
  assert.deepEqual(await stripe.readRefund(ref), {
    ref,
    state: 'succeeded',
    refundId: 'refund-1',
    moneyRef,
    currency: 'USD',
    amount: 10_000_000,
    failure: null,
  })
  const { refunded } = await control.sums()
  const error = await failureOf(stripe.refund({ ...asked, id: 'refund-2', amount: 15_010_000 }))
  assert.equal(error.failure, 'refused')
  assert.equal((await control.sums()).refunded, refunded)
  const outside = await control.refund(moneyRef, 500)
  assert.equal((await stripe.readRefund(outside.id)).refundId, null)
})

test('a credit note is written once for a refund, and found by it, whoever wrote it', async () => {
  const { moneyRef, invoiceRef } = await paidPage()
  const of = { attempt: 1, currency: 'USD', amount: 10_000_000 }
  const { ref: refundRef } = await stripe.refund({ ...of, id: 'refund-3', moneyRef })
  const sought = { refundId: 'refund-3', refundRef, invoiceRef }
  assert.equal(await stripe.findCreditNote(sought), null)
  const { ref } = await stripe.writeCreditNote({ ...of, ...sought })
  assert.deepEqual(await stripe.writeCreditNote({ ...of, ...sought }), { ref })
  assert.equal(await stripe.findCreditNote(sought), ref)
  assert.equal(await stripe.findCreditNote({ ...sought, refundId: 'in the dashboard' }), ref)
  const other = { ...sought, refundId: 'refund-4', refundRef: 're_other' }
  assert.equal(await stripe.findCreditNote(other), null)
})

test('a dispute says what was taken and given back; an inquiry takes nothing', async () => {
  const { moneyRef } = await paidPage()
  const { id } = await control.dispute(moneyRef)
  const moneyOf = async (ref: string) => {
    const { state, withdrawn, returned } = await stripe.readDispute(ref)
    return { state, withdrawn, returned }
  }
  assert.deepEqual(await moneyOf(id), { state: 'open', withdrawn: 25_000_000, returned: 0 })
  await control.closeDispute(id, 'won')
  const won = { state: 'won', withdrawn: 25_000_000, returned: 25_000_000 }
  assert.deepEqual(await moneyOf(id), won)
  const inquiry = await control.dispute((await paidPage()).moneyRef, { inquiry: true })
  assert.deepEqual(await moneyOf(inquiry.id), { state: 'inquiry', withdrawn: 0, returned: 0 })
  await control.closeDispute(inquiry.id, 'warning_closed')
  assert.deepEqual(await moneyOf(inquiry.id), { state: 'won', withdrawn: 0, returned: 0 })
})

test('a fraud warning leads to the money that it is about', async () => {
  const { moneyRef } = await paidPage()
  const { id } = await control.warn(moneyRef)
  assert.equal(await stripe.readWarning(id), moneyRef)
  assert.equal(await stripe.readWarning('issfr_unknown'), null)
})

test('the portal, the account and the clock', async () => {
  assert.match(await stripe.openPortal(customer, URLS.cancel), /^http/)
  const { clockAheadMs, ...account } = await stripe.readAccount()
  assert.deepEqual(account, {
    ref: 'acct_scripted',
    live: false,
    restricted: true,
    chargesEnabled: true,
    currency: 'USD',
  })
  assert.ok(Math.abs(clockAheadMs) < 5_000)
})

test('a failure that is saved under a key is an error of its own', async () => {
  const at = 'POST /v1/checkout/sessions'
  for (const when of ['before', 'after'] as const) {
    const payment = pageOf()
    await control.script([{ at, when, status: 500 }])
    const { requests } = await control.sums()
    const error = await failureOf(stripe.openPage(payment, URLS))
    assert.deepEqual([error.failure, error.status], ['key_spent', 500])
    assert.equal((await failureOf(stripe.openPage(payment, URLS))).failure, 'key_spent')
    assert.equal((await control.sums()).requests, requests + 3)
    await stripe.openPage({ ...payment, attempt: 2 }, URLS)
  }
})

test('a key that was used for another request is an error of its own', async () => {
  const payment = pageOf()
  await stripe.openPage(payment, URLS)
  const error = await failureOf(stripe.openPage({ ...payment, amount: 26_000_000 }, URLS))
  assert.equal(error.failure, 'key_changed')
})

test('what is no object is not found', async () => {
  assert.equal((await failureOf(stripe.read('cs_missing'))).failure, 'not_found')
  assert.equal((await failureOf(stripe.read('in_missing'))).failure, 'not_found')
})

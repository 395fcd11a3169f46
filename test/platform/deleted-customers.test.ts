import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  awaitInvoice,
  issueFor,
  openDebtor,
  openInvoiced,
  startInvoicingConsole,
} from '../harness/payments/invoices.ts'
import { start, type Payer, type PayingConsole } from '../harness/payments/paying-console.ts'
import {
  awaitState,
  openLowSaver,
  openSaver,
  startDue,
  startTopUpConsole,
} from '../harness/payments/top-ups.ts'

let prepaid: PayingConsole
let postpaid: PayingConsole

before(async () => {
  prepaid = await startTopUpConsole()
  postpaid = await startInvoicingConsole()
})
after(async () => {
  await prepaid[Symbol.asyncDispose]()
  await postpaid[Symbol.asyncDispose]()
})

async function customerOf(console_: PayingConsole, { organization }: Payer) {
  return console_.postgres.database
    .selectFrom('provider_customers')
    .select(['ref', 'card_ref'])
    .where('organization_id', '=', organization.id)
    .executeTakeFirst()
}

/** Somebody deletes it in the provider's dashboard, while it is a customer here. */
async function deleteCustomer(console_: PayingConsole, payer: Payer): Promise<string> {
  const { ref } = (await customerOf(console_, payer))!
  await console_.control.deleteCustomer(ref)
  return ref
}

test('an organization whose customer was deleted pays as another one, without a card', async () => {
  const saver = await openSaver(prepaid)
  const deleted = await deleteCustomer(prepaid, saver)
  const { id, page } = await start(saver)
  const customer = await customerOf(prepaid, saver)
  assert.ok(customer !== undefined && customer.ref !== deleted)
  assert.equal(customer.card_ref, null)
  await prepaid.control.complete(page)
  await saver.post(`/payments/${id}/check`)
  await awaitState(prepaid, id, 'succeeded')
})

test('the page for card and address opens for a new customer', async () => {
  const saver = await openSaver(prepaid)
  const deleted = await deleteCustomer(prepaid, saver)
  const { status } = await saver.post('/payment-portal')
  assert.equal(status, 200)
  assert.notEqual((await customerOf(prepaid, saver))?.ref, deleted)
})

test('a charge of a deleted customer ends, and its card is not kept', async () => {
  const saver = await openLowSaver(prepaid)
  await deleteCustomer(prepaid, saver)
  const [charge] = await startDue(prepaid, saver)
  await awaitState(prepaid, charge, 'failed')
  const { paused, has_card: hasCard } = (await saver.get('/automatic-top-up')).body
  assert.deepEqual([paused, hasCard], ['refused', false])
  await start(saver)
})

test('a charge that waits for a customer who was deleted and replaced is made void', async () => {
  const saver = await openLowSaver(prepaid)
  await prepaid.control.script([], ['authentication_required'])
  const [charge] = await startDue(prepaid, saver)
  const { ref } = await awaitState(prepaid, charge, 'needs_customer')
  await deleteCustomer(prepaid, saver)
  await start(saver)
  await saver.put({ enabled: false })
  await awaitState(prepaid, charge, 'expired')
  const invoice = (await prepaid.control.objects()).find(({ id }) => id === ref)
  assert.equal(invoice?.['status'], 'void')
})

test('an invoice for a deleted customer is written for another one', async () => {
  const payer = await openDebtor(postpaid, 80.12)
  await start(payer)
  const deleted = await deleteCustomer(postpaid, payer)
  await issueFor(postpaid, payer)
  const { ref } = await awaitInvoice(postpaid, payer.organization.id, 'open')
  const invoice = (await postpaid.control.objects()).find(({ id }) => id === ref)
  const customer = await customerOf(postpaid, payer)
  assert.equal(invoice?.['customer'], customer?.ref)
  assert.notEqual(customer?.ref, deleted)
})

test('an invoice whose customer was deleted and replaced waits for an operator', async () => {
  const payer = await openInvoiced(postpaid, 80.12)
  await deleteCustomer(postpaid, payer)
  await start(payer)
  await payer.post(`/payments/${payer.id}/check`)
  const { differences } = await awaitInvoice(postpaid, payer.organization.id, 'attention')
  assert.deepEqual(Object.keys(differences ?? {}), ['customer'])
})

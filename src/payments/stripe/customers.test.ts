import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startClient } from '../../../test/harness/payments/start-client.ts'
import { ProviderError } from '../provider-error.ts'

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

test('an organization gets one customer, however often it is asked for', async () => {
  assert.equal(await stripe.createCustomer(owner), customer)
  assert.notEqual(await stripe.createCustomer({ ...owner, name: 'Acme Inc.' }), customer)
})

test('an organization becomes a customer also when its key is spent', async () => {
  await control.script([{ at: 'POST /v1/customers', when: 'before', status: 500 }])
  assert.match(await stripe.createCustomer({ ...owner, name: 'Spent' }), /^cus_/)
})

test('a customer that was deleted is an error of its own, whatever is asked for it', async () => {
  const deleted = await stripe.createCustomer({ ...owner, name: 'Deleted' })
  await control.deleteCustomer(deleted)
  const page = pageOf({ customer: deleted })
  const invoice = { ...page, email: null, description: 'Usage', daysUntilDue: 30 }
  const lines = [{ description: 'Credit', amount: 25_000_000 }]
  for (const ask of [
    async () => stripe.openPage(page, URLS),
    async () => stripe.openPortal(deleted, URLS.cancel),
    async () => stripe.writeInvoice({ ...page, card: 'pm_gone' }, lines),
    async () => stripe.draftInvoice(invoice, lines),
    async () => stripe.find({ ...page, kind: 'page', createdAt: new Date() }),
  ])
    assert.equal((await failureOf(ask())).failure, 'customer_gone')
  const again = { ...owner, name: 'Deleted' }
  assert.equal(await stripe.createCustomer(again), deleted, 'the key is as old')
  assert.notEqual(await stripe.createCustomer({ ...again, replaces: deleted }), deleted)
})

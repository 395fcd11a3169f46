import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { balanceOf } from '../../src/store/ledger/double-entry.ts'
import {
  awaitInvoice,
  entriesOf,
  issueFor,
  openDebtor,
  startInvoicingConsole,
  tell,
} from '../harness/payments/invoices.ts'
import type { Payer, PayingConsole } from '../harness/payments/paying-console.ts'
import { ask } from '../harness/processes/console.ts'
import {
  awaitState,
  openLowSaver,
  startDue,
  startTopUpConsole,
  type Saver,
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

async function customerOf(console_: PayingConsole, { organization }: Payer): Promise<string> {
  const { ref } = await console_.postgres.database
    .selectFrom('provider_customers')
    .select('ref')
    .where('organization_id', '=', organization.id)
    .executeTakeFirstOrThrow()
  return ref
}

async function creditOf({ organization }: Saver): Promise<number> {
  return (await balanceOf(prepaid.postgres.database, organization.id)).balance / 1_000_000
}

async function statusOf(console_: PayingConsole, ref: string | null): Promise<unknown> {
  return (await console_.control.objects()).find(({ id }) => id === ref)?.['status']
}

for (const [what, balance] of [
  ['owes at the provider is not asked for more', 500],
  ['has at the provider is not asked for less', -500],
] as const)
  test(`a saved card of a customer who ${what}: nothing is charged`, async () => {
    const saver = await openLowSaver(prepaid)
    const customer = await customerOf(prepaid, saver)
    await prepaid.control.balance(customer, balance)
    const { charged } = await prepaid.control.sums()
    const [charge] = await startDue(prepaid, saver)
    const { ref, failure } = await awaitState(prepaid, charge, 'failed')
    assert.deepEqual([failure, await statusOf(prepaid, ref)], ['other_amount', 'void'])
    assert.equal((await prepaid.control.sums()).charged, charged)
    const { state, paused } = (await saver.get('/automatic-top-up')).body
    assert.deepEqual([state, paused, await creditOf(saver)], ['paused', 'provider_balance', 4])
    const objects = await prepaid.control.objects()
    assert.equal(objects.find(({ id }) => id === customer)?.['balance'], balance)
  })

test('a charge that a balance at the provider has paid adds nothing', async () => {
  const saver = await openLowSaver(prepaid)
  await prepaid.control.balance(await customerOf(prepaid, saver), -10_000)
  const [charge] = await startDue(prepaid, saver)
  const { differences } = await awaitState(prepaid, charge, 'attention')
  assert.deepEqual(differences, { received: ['25000000', '0'] })
  assert.equal(await creditOf(saver), 4)
})

test('a charge that was noted as paid elsewhere is no money of the provider', async () => {
  const saver = await openLowSaver(prepaid)
  await prepaid.control.script([], ['authentication_required'])
  const [charge] = await startDue(prepaid, saver)
  const { ref } = await awaitState(prepaid, charge, 'needs_customer')
  await prepaid.control.invoice(ref!, 'paid')
  await tell(prepaid, ref!)
  const { differences } = await awaitState(prepaid, charge, 'attention')
  assert.deepEqual(differences, { received: ['25000000', '0'] })
  assert.equal(await creditOf(saver), 4)
  const { as } = await prepaid.openPerson({ platformRole: 'operator' })
  const { status } = await resolve(prepaid, charge!, as)
  assert.equal(status, 409, 'nothing was received that could be added')
})

async function resolve({ root }: PayingConsole, id: string, as: Saver['as']) {
  const body = { how: 'credit', reason: 'as agreed' }
  return ask(root, 'POST', `/operator/payments/${id}/resolve`, { as, body })
}

for (const [what, balance, used, field] of [
  ['the customer owes more at the provider', 500, 80.12, 'asked'],
  ['a balance at the provider pays a part', -500, 80.12, 'asked'],
  ['a balance at the provider pays it', -10_000, 80.12, 'received'],
  // 0.60 less 0.20 is less than any card is charged: it is paid without a charge, and owed on.
  ['it is less than a card is charged', -20, 0.6, 'received'],
] as const)
  test(`an invoice is not taken for paid as asked when ${what}`, async () => {
    const payer = await openDebtor(postpaid, used)
    const { database } = postpaid.postgres
    const ref = await postpaid.environment.paymentProvider!.createCustomer({
      organizationId: payer.organization.id,
      name: 'Acme',
      email: 'owner@example.com',
    })
    await database
      .insertInto('provider_customers')
      .values({ organization_id: payer.organization.id, ref })
      .execute()
    await postpaid.control.balance(ref, balance)
    await issueFor(postpaid, payer)
    const row = await awaitInvoice(postpaid, payer.organization.id, 'attention')
    assert.deepEqual(Object.keys(row.differences ?? {}), [field])
    const entries = await entriesOf(postpaid, row.id)
    assert.deepEqual(
      entries.filter((entry) => entry.startsWith('bank') || entry.startsWith('provider')),
      [],
    )
  })

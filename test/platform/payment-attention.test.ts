import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { balanceOf } from '../../src/store/ledger/double-entry.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import {
  awaitInvoice,
  openInvoiced,
  startInvoicingConsole,
  tell,
} from '../harness/payments/invoices.ts'
import { codeOf, start, type PayingConsole } from '../harness/payments/paying-console.ts'
import { ask, type Headers } from '../harness/processes/console.ts'

let console_: PayingConsole
let operator: Headers

before(async () => {
  console_ = await startInvoicingConsole()
  operator = (await console_.openPerson({ platformRole: 'operator' })).as
})
after(async () => console_[Symbol.asyncDispose]())

/** A payment of 25.00 of which one fact was changed here before it was paid. */
async function openContradicting(column: 'amount' | 'currency', value: unknown) {
  const payer = await console_.openPayer()
  const { id, page } = await start(payer)
  await console_.postgres.database
    .updateTable('payments')
    .set({ [column]: value } as object)
    .where('id', '=', id)
    .execute()
  await console_.control.complete(page)
  const isWaiting = async () => (await rowOf(id)).state === 'attention'
  await waitUntil('attention', isWaiting, 30_000, { seen: () => rowOf(id) })
  return { ...payer, id, page }
}

async function rowOf(id: string) {
  const { database } = console_.postgres
  return database.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

const resolve = async (id: string, how: string) =>
  ask(console_.root, 'POST', `/operator/payments/${id}/resolve`, {
    as: operator,
    body: { how, reason: 'looked at it' },
  })

const balance = async (organizationId: string) =>
  (await balanceOf(console_.postgres.database, organizationId)).balance

test('an operator credits what was received of a contradicting payment, once', async () => {
  const { id, organization } = await openContradicting('amount', 30_000_000)
  const list = await ask(console_.root, 'GET', '/operator/payments?state=attention', {
    as: operator,
  })
  const listed = list.body.data.find((each) => each['id'] === id)
  assert.deepEqual(listed!['differences'], [
    { field: 'amount', ours: '30000000', theirs: '25000000' },
  ])
  const { status, body } = await resolve(id, 'credit')
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(await balance(organization.id), 25_000_000)
  assert.deepEqual(codeOf(await resolve(id, 'credit')), [409, 'conflict'])
  const audited = await console_.postgres.database
    .selectFrom('audit_events')
    .select(['actor_kind', 'changes'])
    .where('target_id', '=', id)
    .where('action', '=', 'payment.resolve')
    .execute()
  assert.equal(audited.length, 1)
  assert.deepEqual(audited[0]!.changes['reason'], [null, 'looked at it'])
})

test('an operator refunds a contradicting payment: balance and books are as before', async () => {
  const { id, organization } = await openContradicting('amount', 30_000_000)
  const { held } = await console_.control.sums()
  const { status, body } = await resolve(id, 'refund')
  assert.equal(status, 200, JSON.stringify(body))
  const [refund] = body['refunds'] as { state: string; amount: { amount: string } }[]
  assert.deepEqual([refund!.state, refund!.amount.amount], ['succeeded', '25.00'])
  assert.equal(await balance(organization.id), 0)
  assert.equal((await console_.control.sums()).held, held - 2_500)
})

test('what was settled outside adds nothing and is not asked about again', async () => {
  const { id, organization, page } = await openContradicting('currency', 'EUR')
  for (const how of ['credit', 'refund'])
    assert.deepEqual(codeOf(await resolve(id, how)), [409, 'conflict'], how)
  assert.equal((await resolve(id, 'outside')).status, 200)
  // A late event of the page leads to a reading, and the refund in the dashboard to another.
  const { money_ref: moneyRef } = await rowOf(id)
  await console_.control.refund(moneyRef!)
  const events = await console_.control.events()
  for (const event of events.filter(({ data }) => [page].includes(data.object.id)))
    assert.equal(await console_.send(console_.sign(event)), 200)
  const readAt = (await rowOf(id)).read_at
  const isRead = async () => (await rowOf(id)).read_at! > readAt!
  await sql`update payments set next_at = now() where id = ${id}`.execute(
    console_.postgres.database,
  )
  await waitUntil('a reading', isRead, 30_000)
  const { state, resolution } = await rowOf(id)
  assert.deepEqual([state, resolution], ['failed', 'outside'])
  assert.equal(await balance(organization.id), 0)
})

test('what the provider has not received is not held for a refund', async () => {
  const { id, ref, organization } = await openInvoiced(console_, 80)
  const { database } = console_.postgres
  await sql`update provider_customers set ref = 'cus_another'
    where organization_id = ${organization.id}`.execute(database)
  // Somebody notes in the dashboard that the money was in the bank.
  await console_.control.invoice(ref, 'paid')
  await tell(console_, ref)
  await awaitInvoice(console_, organization.id, 'attention')
  const refused = await resolve(id, 'refund')
  assert.deepEqual(codeOf(refused), [409, 'conflict'], JSON.stringify(refused.body))
  assert.match(refused.body.error.message, /not made through the payment provider/)
  assert.equal((await rowOf(id)).state, 'attention')
  assert.equal((await resolve(id, 'credit')).status, 200)
  const { rows } = await sql`select from refunds where payment_id = ${id}`.execute(database)
  assert.equal(rows.length, 0)
})

test('a payment that contradicts nothing needs no decision', async () => {
  const payer = await console_.openPayer()
  const { id } = await start(payer)
  assert.deepEqual(codeOf(await resolve(id, 'outside')), [409, 'conflict'])
})

test('support checks nothing, and an operator reads a payment at the provider now', async () => {
  const payer = await console_.openPayer()
  const { id, page } = await start(payer)
  await console_.control.complete(page)
  const support = (await console_.openPerson({ platformRole: 'support' })).as
  const path = `/operator/payments/${id}/check`
  assert.equal((await ask(console_.root, 'POST', path, { as: support })).status, 403)
  const { status, body } = await ask(console_.root, 'POST', path, { as: operator })
  const payment = body['payment'] as { state: string; url: null }
  assert.deepEqual([status, payment.state, payment.url], [200, 'succeeded', null])
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { pollEvents } from '../../src/platform/payments/run-jobs.ts'
import { balanceOf } from '../../src/store/ledger/double-entry.ts'
import { checkLedger } from '../harness/figures/check-ledger.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { FORGERIES } from '../harness/payments/deliver-webhooks.ts'
import { WEBHOOK_SECRET } from '../harness/payments/payment-settings.ts'
import {
  codeOf,
  start,
  startPayingConsole,
  type Payer,
  type PayingConsole,
} from '../harness/payments/paying-console.ts'
import { ask, PUBLIC_URL } from '../harness/processes/console.ts'

let console_: PayingConsole

before(async () => {
  console_ = await startPayingConsole()
})
after(async () => console_[Symbol.asyncDispose]())

const AMOUNT = { amount: { amount: '25.00' } }

async function rowOf(id: string) {
  const { database } = console_.postgres
  return database.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

async function transfersOf({ organization }: Payer) {
  return console_.postgres.database
    .selectFrom('transfers')
    .select(['reference', 'amount', 'debit_account', 'credit_account'])
    .where('credit_account', '=', `funds:${organization.id}`)
    .execute()
}

async function auditedOf(id: string): Promise<string[]> {
  const rows = await console_.postgres.database
    .selectFrom('audit_events')
    .select('action')
    .where('target_id', '=', id)
    .orderBy('id')
    .execute()
  return rows.map(({ action }) => action)
}

const stateIs = (id: string, state: string) =>
  waitUntil(`payment ${state}`, async () => (await rowOf(id)).state === state, 30_000, {
    seen: () => rowOf(id),
  })

test('what was paid on the page is added once, with its transfer and audit events', async () => {
  const payer = await console_.openPayer()
  const { id, page } = await start(payer)
  await console_.control.complete(page)
  const { status, body } = await payer.post(`/payments/${id}/check`)
  assert.deepEqual([status, body['state'], body['url']], [200, 'succeeded', null])
  await payer.post(`/payments/${id}/check`)
  assert.deepEqual(await transfersOf(payer), [
    {
      reference: `payment:${id}`,
      amount: 25_000_000,
      debit_account: 'provider:stripe',
      credit_account: `funds:${payer.organization.id}`,
    },
  ])
  const { database } = console_.postgres
  assert.equal((await balanceOf(database, payer.organization.id)).balance, 25_000_000)
  assert.deepEqual(await auditedOf(id), ['payment.start', 'payment.succeed'])
  const { sum, wrong } = await checkLedger(database)
  assert.deepEqual({ sum, wrong }, { sum: 0, wrong: [] })
  const [shown] = (await payer.get('/balance/transfers')).body.data
  assert.deepEqual([shown!['kind'], shown!['reference']], ['payment', `payment:${id}`])
})

test('the page leads back to the billing page of the organization, by its slug', async () => {
  const payer = await console_.openPayer()
  const { id, page } = await start(payer)
  const session = (await console_.control.objects()).find((each) => each.id === page)
  const { slug } = await console_.postgres.database
    .selectFrom('organizations')
    .select('slug')
    .where('id', '=', payer.organization.id)
    .executeTakeFirstOrThrow()
  const billing = `${PUBLIC_URL}/o/${slug}/billing`
  assert.equal(session?.['success_url'], `${billing}?payment=${id}`)
  assert.equal(session?.['cancel_url'], `${billing}?cancelled=${id}`)
})

test('a webhook leads to a reading, however often and in whatever order it comes', async () => {
  const payer = await console_.openPayer()
  const { id, page } = await start(payer)
  await console_.control.complete(page)
  const events = (await console_.control.events()).filter(({ data }) => data.object.id === page)
  const [paid] = events
  for (const event of [paid!, paid!, ...events.toReversed(), paid!])
    assert.equal(await console_.send(console_.sign(event)), 200)
  await stateIs(id, 'succeeded')
  assert.equal((await transfersOf(payer)).length, 1)
})

test('no forged webhook is accepted, and none makes anybody read', async () => {
  const payer = await console_.openPayer()
  const { id, page } = await start(payer)
  await console_.control.complete(page)
  const [paid] = (await console_.control.events()).filter(({ data }) => data.object.id === page)
  for (const [name, forge] of Object.entries(FORGERIES))
    assert.equal(await console_.send(forge(paid!, WEBHOOK_SECRET)), 400, name)
  const { hints } = await rowOf(id)
  assert.equal(hints, 0)
})

test('with all webhooks lost, the list of events leads to a payment that was expired', async () => {
  const payer = await console_.openPayer()
  const { id, page } = await start(payer)
  const { database } = console_.postgres
  // A bank was slow: it is over here, and nobody reads it any more.
  await database
    .updateTable('payments')
    .set({ state: 'expired', next_at: null })
    .where('id', '=', id)
    .execute()
  await console_.control.complete(page)
  await sql`update provider_cursors set polled_at = null`.execute(database)
  await pollEvents(console_.environment)
  await stateIs(id, 'succeeded')
  assert.equal((await transfersOf(payer)).length, 1)
})

test('a paid page is found without any hint', async () => {
  const payer = await console_.openPayer()
  const { id, page } = await start(payer)
  await console_.control.complete(page)
  await stateIs(id, 'succeeded')
})

test('a repeated request starts no second payment and names the first', async () => {
  const payer = await console_.openPayer()
  const headers = { 'idempotency-key': 'dialog-1' }
  const first = await payer.post('/payments', AMOUNT, headers)
  assert.equal(first.status, 201)
  const { pages } = await console_.control.sums()
  const second = await payer.post('/payments', AMOUNT, headers)
  assert.deepEqual(codeOf(second), [409, 'already_created'])
  assert.match(second.body.error.message, new RegExp(first.body.id))
  assert.equal((await console_.control.sums()).pages, pages)
})

test('neither a lost answer nor a check after a crash opens a second page', async () => {
  const payer = await console_.openPayer()
  const at = 'POST /v1/checkout/sessions'
  const lost = { at, when: 'after' } as const
  await console_.control.script([lost])
  const { pages } = await console_.control.sums()
  const { id, page } = await start(payer)
  assert.equal((await console_.control.sums()).pages, pages + 1)
  // As if the process had died before it stored the page.
  const later = new Date(Date.now() + 600_000)
  await console_.postgres.database
    .updateTable('payments')
    .set({ state: 'created', ref: null, url: null, next_at: later })
    .where('id', '=', id)
    .execute()
  const checked = await payer.post(`/payments/${id}/check`)
  assert.equal(String(checked.body['url']).split('/pay/')[1], page)
  assert.equal((await console_.control.sums()).pages, pages + 1)
})

test('a page whose address nobody has is found by the sweeper and closed', async () => {
  const payer = await console_.openPayer()
  const { id, page } = await start(payer)
  const { database } = console_.postgres
  await database
    .updateTable('payments')
    .set({ state: 'created', ref: null, url: null, next_at: new Date() })
    .where('id', '=', id)
    .execute()
  await stateIs(id, 'expired')
  const objects = await console_.control.objects()
  assert.equal(objects.find((object) => object.id === page)!['status'], 'expired')
})

test('a payment that the provider has never heard of expires', async () => {
  const payer = await console_.openPayer()
  const { id } = await start(payer)
  const { database } = console_.postgres
  const other = crypto.randomUUID()
  const { ref: _ref, url: _url, differences: _differences, ...row } = await rowOf(id)
  const lost = { ...row, id: other, state: 'created', next_at: new Date() } as const
  await database.insertInto('payments').values(lost).execute()
  await stateIs(other, 'expired')
})

test('a cancelled page cannot be paid, and one that was paid meanwhile succeeds', async () => {
  const payer = await console_.openPayer()
  const unpaid = await start(payer)
  const { body } = await payer.post(`/payments/${unpaid.id}/cancel`)
  assert.deepEqual([body['state'], body['url']], ['expired', null])
  assert.deepEqual(await auditedOf(unpaid.id), [
    'payment.start',
    'payment.cancel',
    'payment.expire',
  ])
  assert.deepEqual(codeOf(await payer.post(`/payments/${unpaid.id}/cancel`)).slice(0, 1), [200])
  const paid = await start(payer)
  await console_.control.complete(paid.page)
  await payer.post(`/payments/${paid.id}/cancel`)
  await stateIs(paid.id, 'succeeded')
  assert.equal((await transfersOf(payer)).length, 1)
})

test('a declined card leaves the page open for another one', async () => {
  const payer = await console_.openPayer()
  const { id, page } = await start(payer)
  await console_.control.complete(page, 'declined')
  const { body } = await payer.post(`/payments/${id}/check`)
  assert.deepEqual([body['state'], body['failure']], ['open', 'generic_decline'])
  await console_.control.complete(page)
  await stateIs(id, 'succeeded')
})

test('a payment in another currency is not credited and waits for an operator', async () => {
  const payer = await console_.openPayer()
  const { id, page } = await start(payer)
  // The page was made in another currency than the row has.
  await console_.postgres.database
    .updateTable('payments')
    .set({ currency: 'EUR' } as object)
    .where('id', '=', id)
    .execute()
  await console_.control.complete(page)
  await stateIs(id, 'attention')
  const { differences } = await rowOf(id)
  assert.deepEqual(differences, { currency: ['EUR', 'USD'] })
  assert.deepEqual(await transfersOf(payer), [])
})

test('the document is a redirect to the provider, for people only', async () => {
  const payer = await console_.openPayer()
  const { id, page } = await start(payer)
  assert.deepEqual(codeOf(await payer.get(`/payments/${id}/document`)), [404, 'not_found'])
  await console_.control.complete(page)
  await stateIs(id, 'succeeded')
  const { status, headers } = await payer.get(`/payments/${id}/document`)
  assert.equal(status, 303)
  assert.match(headers['location'] ?? '', /^https:/)
  const as = await console_.openManagementKey({
    createdBy: payer.accountId,
    organizationId: payer.organization.id,
    scopes: ['payments:read'],
  })
  const path = `/organizations/${payer.organization.id}/payments`
  assert.equal((await ask(console_.root, 'GET', `${path}/${id}`, { as })).status, 200)
  for (const [method, below] of [
    ['GET', `/${id}/document`],
    ['POST', `/${id}/check`],
    ['POST', ''],
  ] as const) {
    const body = below === '' ? { body: AMOUNT } : {}
    const refused = await ask(console_.root, method, `${path}${below}`, { as, ...body })
    assert.deepEqual(codeOf(refused), [403, 'scope_required'], below)
  }
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkLedger } from '../harness/figures/check-ledger.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { openPaid, pay } from '../harness/payments/paid.ts'
import {
  start,
  startPayingConsole,
  type Payer,
  type PayingConsole,
} from '../harness/payments/paying-console.ts'
import {
  centsOf,
  doneFor,
  payForeignPage,
  recoverOf,
  strayCents,
} from '../harness/payments/restores.ts'
import { takeSnapshot } from '../harness/servers/snapshot.ts'

const NOTHING = { payments: [], returned: [] }

let console_: PayingConsole

before(async () => {
  console_ = await startPayingConsole()
  // Or the console would find refunds and disputes by itself.
  await console_.postgres.pool.query(
    `update provider_cursors set polled_at = now() + interval '1 day'`,
  )
})
after(async () => console_[Symbol.asyncDispose]())

const snapshot = async () => takeSnapshot(console_.databaseUrl)
const cents = async (payer: Pick<Payer, 'organization'>) => centsOf(console_, payer)
const ledger = async () => checkLedger(console_.postgres.database)
const SOUND = { sum: 0, wrong: [] }

async function customerOf({ organization }: Payer): Promise<string> {
  const row = await console_.postgres.database
    .selectFrom('provider_customers')
    .select('ref')
    .where('organization_id', '=', organization.id)
    .executeTakeFirstOrThrow()
  return row.ref
}

const rowOf = async (id: string) =>
  console_.postgres.database
    .selectFrom('payments')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()

test('payments that a restore has lost are credited once, however often it runs', async () => {
  const [old, ...strangers] = [
    await openPaid(console_, '10.00'),
    await console_.openPayer(),
    await console_.openPayer(),
  ] as const
  const payers = [old, ...strangers]
  const before_ = await strayCents(console_)
  const { restore } = await snapshot()
  const again = await pay(console_, old, '20.00')
  for (const each of strangers) await pay(console_, each, '7.00')
  await pay(console_, strangers[0], '8.00')
  await restore()
  const balances = async () => Promise.all(payers.map(cents))
  assert.deepEqual(await balances(), [1000, 0, 0])
  const { payments } = await recoverOf(console_, payers)
  const found = payments.map(({ done, state, net }) => `${done} ${state} ${net / 10_000}`)
  const credited = [2000, 700, 700, 800].map((net) => `credited succeeded ${net}`)
  assert.deepEqual(found.toSorted(), credited.toSorted())
  assert.deepEqual(await balances(), [3000, 1500, 700])
  assert.deepEqual(await recoverOf(console_, payers), NOTHING)
  assert.deepEqual(await balances(), [3000, 1500, 700])
  assert.deepEqual([await strayCents(console_), await ledger()], [before_, SOUND])
  const row = (await rowOf(again.id))!
  assert.deepEqual([row.ref, row.money_ref, row.started_by], [again.page, again.moneyRef, null])
})

test('two that run at once credit a payment once', async () => {
  const payer = await console_.openPayer()
  const { restore } = await snapshot()
  await pay(console_, payer, '11.00')
  await restore()
  await Promise.all([recoverOf(console_, [payer]), recoverOf(console_, [payer])])
  assert.deepEqual([await cents(payer), await ledger()], [1100, SOUND])
})

test('money that went back meanwhile is taken from the balance, once', async () => {
  const { control } = console_
  const [known, payer] = [await openPaid(console_, '40.00'), await console_.openPayer()]
  const before_ = await strayCents(console_)
  const { restore } = await snapshot()
  const lost = await pay(console_, payer, '30.00')
  const disputed = await pay(console_, payer, '5.00')
  await restore()
  const [one, other] = [
    await control.refund(known.moneyRef, 1000),
    await control.refund(lost.moneyRef, 1200),
  ]
  const dispute = await control.dispute(disputed.moneyRef)
  const { returned } = await recoverOf(console_, [known, payer])
  assert.deepEqual(
    returned.map(({ ref, done, state }) => `${ref} ${done} ${state}`).toSorted(),
    [
      `${dispute.id} applied open`,
      `${one.id} applied succeeded`,
      `${other.id} applied succeeded`,
    ].toSorted(),
  )
  assert.deepEqual([await cents(known), await cents(payer)], [3000, 1800])
  assert.deepEqual(await recoverOf(console_, [known, payer]), NOTHING)
  assert.deepEqual([await strayCents(console_), await ledger()], [before_, SOUND])
})

test('what belongs to another product of the account is left alone', async () => {
  const payer = await openPaid(console_, '10.00')
  const customer = await customerOf(payer)
  const ours = { organization_id: payer.organization.id, kind: 'page', net_micro: '5000000' }
  for (const metadata of [{ order: '7' }, ours, { ...ours, payment_id: 'order-7' }])
    await payForeignPage(console_, customer, { cents: 500, metadata })
  assert.deepEqual(await recoverOf(console_, [payer]), NOTHING)
  assert.equal(await cents(payer), 1000)
})

test('a payment whose amount is another one than asked for waits for an operator', async () => {
  const payer = await openPaid(console_, '10.00')
  const id = crypto.randomUUID()
  const owners = { payment_id: id, organization_id: payer.organization.id }
  const metadata = { ...owners, kind: 'page', net_micro: '900000000' }
  await payForeignPage(console_, await customerOf(payer), { cents: 500, metadata })
  assert.deepEqual(await doneFor(console_, payer), ['attention attention'])
  assert.deepEqual(await doneFor(console_, payer), ['attention attention'], 'until it is decided')
  const { differences } = (await rowOf(id))!
  assert.deepEqual([await cents(payer), Object.keys(differences ?? {})], [1000, ['amount']])
})

test('a page that is still open is known again, and credited when it is paid', async () => {
  const payer = await console_.openPayer()
  const { restore } = await snapshot()
  const { id, page } = await start(payer, '14.00')
  await restore()
  assert.deepEqual(await doneFor(console_, payer), ['open open'])
  await console_.control.complete(page)
  const isCredited = async () =>
    (await payer.post(`/payments/${id}/check`)).body['state'] === 'succeeded'
  await waitUntil('the credit', isCredited, 30_000)
  assert.equal(await cents(payer), 1400)
})

test('a page that nobody paid is not missed', async () => {
  const payer = await console_.openPayer()
  const { restore } = await snapshot()
  const { id } = await start(payer, '14.00')
  const isOver = async () =>
    (await payer.post(`/payments/${id}/cancel`)).body['state'] === 'expired'
  await waitUntil('the end of the page', isOver, 30_000)
  await restore()
  assert.deepEqual(await recoverOf(console_, [payer]), NOTHING)
})

test('one that cannot be read holds up no other, and is credited by the next run', async () => {
  const [first, second] = [await console_.openPayer(), await console_.openPayer()]
  const { restore } = await snapshot()
  const { page } = await pay(console_, first, '15.00')
  await pay(console_, second, '16.00')
  await restore()
  const at = `GET /v1/checkout/sessions/${page}`
  await console_.control.script([{ at, when: 'before', status: 400 }])
  assert.deepEqual(await doneFor(console_, first), ['not_read open'])
  assert.equal(await cents(second), 1600)
  // Or the console would read it again in half a minute.
  await console_.postgres.pool.query('update payments set next_at = null where ref = $1', [page])
  assert.deepEqual(await doneFor(console_, first), ['credited succeeded'])
  assert.deepEqual([await cents(first), await cents(second)], [1500, 1600])
})

test('a card that was kept is known again', async () => {
  const payer = await console_.openPayer()
  const { restore } = await snapshot()
  await pay(console_, payer, '17.00', { saveCard: true })
  await restore()
  const cardOf = async () => (await payer.get('/payment-options')).body['card']
  assert.equal(await cardOf(), null)
  assert.deepEqual(await doneFor(console_, payer), ['credited succeeded'])
  assert.equal(((await cardOf()) as { last_four: string } | null)?.last_four, '4242')
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { pollEvents } from '../../src/platform/payments/run-jobs.ts'
import { balanceOf } from '../../src/store/ledger/double-entry.ts'
import { checkLedger } from '../harness/figures/check-ledger.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { openPaid, type Paid } from '../harness/payments/paid.ts'
import { startPayingConsole, type PayingConsole } from '../harness/payments/paying-console.ts'
import { ask, type Headers } from '../harness/processes/console.ts'

let console_: PayingConsole
let operator: Headers

before(async () => {
  console_ = await startPayingConsole((config) => ({
    ...config,
    payments: { ...config.payments!, tax: 'provider' },
  }))
  operator = (await console_.openPerson({ platformRole: 'operator' })).as
})
after(async () => console_[Symbol.asyncDispose]())

async function cents({ organization }: Paid): Promise<number> {
  return (await balanceOf(console_.postgres.database, organization.id)).balance / 10_000
}

async function ledger(): Promise<number[]> {
  const { rows } = await sql<{ cents: number }>`
    select ((credits - debits) / 10000)::int as cents from ledger_accounts
    where id in ('provider:stripe', 'tax') order by id`.execute(console_.postgres.database)
  return rows.map((row) => row.cents)
}

async function disputesOf({ id }: Paid) {
  return console_.postgres.database
    .selectFrom('disputes')
    .selectAll()
    .where('payment_id', '=', id)
    .execute()
}

const stateIs = async (paid: Paid, state: string) =>
  waitUntil(`dispute ${state}`, async () => (await disputesOf(paid))[0]?.state === state, 30_000, {
    seen: () => disputesOf(paid),
  })

/** With all webhooks lost: the list of events is read now. */
async function poll(): Promise<void> {
  await sql`update provider_cursors set polled_at = null, leased_until = null`.execute(
    console_.postgres.database,
  )
  await pollEvents(console_.environment)
}

async function auditedOf(paid: Paid): Promise<string[]> {
  const rows = await console_.postgres.database
    .selectFrom('audit_events')
    .select('action')
    .where('target_id', '=', (await disputesOf(paid))[0]!.id)
    .orderBy('id')
    .execute()
  return rows.map(({ action }) => action)
}

test('a dispute takes the money at once; one that is won is as if it had never been', async () => {
  const paid = await openPaid(console_, '25.00')
  const begin = await ledger()
  const { id } = await console_.control.dispute(paid.moneyRef)
  await poll()
  await stateIs(paid, 'open')
  assert.equal(await cents(paid), 0)
  const [provider, tax] = await ledger()
  assert.deepEqual([provider! - begin[0]!, tax! - begin[1]!], [2_975, -475])
  await console_.control.closeDispute(id, 'won')
  await poll()
  await stateIs(paid, 'won')
  assert.equal(await cents(paid), 2_500)
  assert.deepEqual(await ledger(), begin)
  assert.deepEqual(await auditedOf(paid), ['dispute.open', 'dispute.close'])
  const { sum, wrong } = await checkLedger(console_.postgres.database)
  assert.deepEqual({ sum, wrong }, { sum: 0, wrong: [] })
})

test('a lost dispute moves nothing more, and one that was an inquiry nothing at all', async () => {
  const [lost, asked] = [await openPaid(console_, '25.00'), await openPaid(console_, '25.00')]
  const { id } = await console_.control.dispute(lost.moneyRef)
  const inquiry = await console_.control.dispute(asked.moneyRef, { inquiry: true })
  await poll()
  await stateIs(lost, 'open')
  await stateIs(asked, 'inquiry')
  assert.deepEqual([await cents(lost), await cents(asked)], [0, 2_500])
  await console_.control.closeDispute(id, 'lost')
  await console_.control.closeDispute(inquiry.id, 'warning_closed')
  await poll()
  await stateIs(lost, 'lost')
  await stateIs(asked, 'won')
  assert.deepEqual([await cents(lost), await cents(asked)], [0, 2_500])
})

test('webhooks of a dispute in any order, each three times, move its money once', async () => {
  const paid = await openPaid(console_, '25.00')
  const { id } = await console_.control.dispute(paid.moneyRef)
  await console_.control.closeDispute(id, 'won')
  const events = (await console_.control.events()).filter(({ data }) => data.object.id === id)
  for (const event of [...events.toReversed(), ...events, ...events])
    assert.equal(await console_.send(console_.sign(event)), 200)
  await stateIs(paid, 'won')
  assert.equal(await cents(paid), 2_500)
})

test('a dispute is read until it is over, without any hint', async () => {
  const paid = await openPaid(console_, '25.00')
  const { id } = await console_.control.dispute(paid.moneyRef)
  await poll()
  await stateIs(paid, 'open')
  const { database } = console_.postgres
  // Nobody polls any more.
  await sql`update provider_cursors set polled_at = now() + interval '1 hour'`.execute(database)
  await console_.control.closeDispute(id, 'lost')
  await stateIs(paid, 'lost')
})

test('a dispute after a partial refund takes no more tax than was left', async () => {
  const paid = await openPaid(console_, '25.00')
  const path = `/operator/payments/${paid.id}`
  const body = { amount: { amount: '10.00' }, reason: 'half of it' }
  const { status } = await ask(console_.root, 'POST', `${path}/refunds`, { as: operator, body })
  assert.equal(status, 201)
  await console_.control.dispute(paid.moneyRef)
  await poll()
  await stateIs(paid, 'open')
  const [dispute] = await disputesOf(paid)
  assert.equal(dispute!.tax, 3_150_000)
  // The bank took all of it again: 8.40 and 26.60 of 25.00 net.
  assert.equal(await cents(paid), 2_500 - 840 - 2_660)
  const refused = await ask(console_.root, 'POST', `${path}/refunds`, { as: operator, body })
  assert.equal(refused.status, 400)
})

test('support sees disputes and the timeline of their payment, and changes nothing', async () => {
  const paid = await openPaid(console_, '25.00')
  await console_.control.dispute(paid.moneyRef)
  await poll()
  await stateIs(paid, 'open')
  const { as } = await console_.openPerson({ platformRole: 'support' })
  const listed = await ask(console_.root, 'GET', '/operator/disputes?state=open', { as })
  assert.ok(listed.body.data.some((each) => each['payment_id'] === paid.id))
  const { body } = await ask(console_.root, 'GET', `/operator/payments/${paid.id}`, { as })
  const timeline = body['timeline'] as { kind: string; name: string; way: string | null }[]
  const [dispute] = await disputesOf(paid)
  for (const wanted of [
    'audit payment.start',
    'audit payment.succeed',
    'audit dispute.open',
    'hint charge.dispute.funds_withdrawn',
    'read read',
    `transfer payment:${paid.id}`,
    `transfer dispute:${dispute!.id}:1`,
    `transfer dispute:${dispute!.id}:1:tax`,
  ])
    assert.ok(
      timeline.some(({ kind, name }) => `${kind} ${name}` === wanted),
      wanted,
    )
  for (const below of ['check', 'resolve', 'refunds'])
    assert.equal(
      (
        await ask(console_.root, 'POST', `/operator/payments/${paid.id}/${below}`, {
          as,
          body: below === 'check' ? {} : { how: 'outside', amount: { amount: '1' }, reason: 'x' },
        })
      ).status >= 400,
      true,
      below,
    )
})

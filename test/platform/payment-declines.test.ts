import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { waitUntil } from '../harness/figures/measure.ts'
import {
  codeOf,
  start,
  startPayingConsole,
  type Payer,
  type PayingConsole,
} from '../harness/payments/paying-console.ts'

let console_: PayingConsole

before(async () => {
  console_ = await startPayingConsole()
})
after(async () => console_[Symbol.asyncDispose]())

const AMOUNT = { amount: { amount: '5.00' } }

async function countOf({ organization }: Payer): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count
    from provider_events where organization_id = ${organization.id}`.execute(
    console_.postgres.database,
  )
  return rows[0]!.count
}

/** Declines a card on the page so often, and tells it by webhooks. */
async function decline(payer: Payer, page: string, times: number): Promise<void> {
  const before_ = await countOf(payer)
  const from = (await console_.control.events()).length
  for (let count = 0; count < times; count += 1) await console_.control.complete(page, 'declined')
  for (const event of await console_.control.events(from))
    assert.equal(await console_.send(console_.sign(event)), 200)
  const isCounted = async () => (await countOf(payer)) === before_ + times
  await waitUntil('declines to be counted', isCounted, 30_000)
}

test('429: ten declined cards in a day stop the payments of one organization', async () => {
  const [payer, other] = [await console_.openPayer(), await console_.openPayer()]
  const { page } = await start(payer, '5.00')
  await decline(payer, page, 9)
  const second = await start(payer, '5.00')
  await decline(payer, second.page, 1)
  const refused = await payer.post('/payments', AMOUNT)
  assert.deepEqual(codeOf(refused), [429, 'too_many_declines'])
  assert.match(refused.body.error.message, /until .*Ask your bank/)
  const wait = Number(refused.headers['retry-after'])
  assert.ok(wait > 86_000 && wait <= 86_400, `${wait}`)
  await start(other, '5.00')
  const { rows } = await sql<{ key: string }>`select key from queued_emails
    where key like 'alert:declines%'`.execute(console_.postgres.database)
  assert.equal(rows.length, 1)
  assert.ok(rows[0]!.key.includes(payer.organization.id))
})

test('the stop ends a day after the last of them, not when the first is a day old', async () => {
  const payer = await console_.openPayer()
  const { page } = await start(payer, '5.00')
  await decline(payer, page, 10)
  const { database } = console_.postgres
  const move = (text: string) =>
    sql`update provider_events set made_at = made_at - ${text}::interval
      where organization_id = ${payer.organization.id}`.execute(database)
  await move('23 hours')
  assert.deepEqual(codeOf(await payer.post('/payments', AMOUNT)), [429, 'too_many_declines'])
  await move('61 minutes')
  assert.equal((await payer.post('/payments', AMOUNT)).status, 201)
})

test('ten declines in more than a day stop nothing, and neither do those of others', async () => {
  const payer = await console_.openPayer()
  const { page } = await start(payer, '5.00')
  await decline(payer, page, 5)
  await sql`update provider_events set made_at = made_at - interval '25 hours'
    where organization_id = ${payer.organization.id}`.execute(console_.postgres.database)
  await decline(payer, page, 5)
  assert.equal((await payer.post('/payments', AMOUNT)).status, 201)
})

test('a decline of another product of the account is read once and belongs to nobody', async () => {
  const { database } = console_.postgres
  await sql`insert into provider_events (id, type, about, ref, source)
    values ('evt_foreign', 'payment_intent.payment_failed', 'decline', 'pi_foreign',
      'webhook')`.execute(database)
  const isDone = async () =>
    (
      await sql`select from provider_events where id = 'evt_foreign' and done_at is not null
      and organization_id is null`.execute(database)
    ).rows.length === 1
  await waitUntil('the decline to be read', isDone, 30_000)
})

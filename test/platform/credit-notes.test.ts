import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { pollEvents } from '../../src/platform/payments/run-jobs.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { startPayingConsole, type PayingConsole } from '../harness/payments/paying-console.ts'
import { openPaid, type Paid } from '../harness/payments/paid.ts'
import { ask, type Headers } from '../harness/processes/console.ts'

let console_: PayingConsole
let operator: Headers

before(async () => {
  console_ = await startPayingConsole()
  operator = (await console_.openPerson({ platformRole: 'operator' })).as
})
after(async () => console_[Symbol.asyncDispose]())

type Shown = { state: string; credit_note: { state: string; ref: string | null } | null }

const post = async (path: string, body: object = {}) =>
  ask(console_.root, 'POST', `/operator/payments/${path}`, { as: operator, body })

const refund = async ({ id }: Paid, amount: string) =>
  (await post(`${id}/refunds`, { amount: { amount }, reason: 'asked by mail' }))
    .body as unknown as Shown

async function shown({ id }: Paid): Promise<Shown> {
  const path = `/operator/payments/${id}`
  const { body } = await ask(console_.root, 'GET', path, { as: operator })
  return (body as unknown as { refunds: [Shown] }).refunds[0]
}

const noteIs = async (paid: Paid, state: string) =>
  waitUntil(
    `a credit note ${state}`,
    async () => (await shown(paid))?.credit_note?.state === state,
    30_000,
    { seen: () => shown(paid) },
  )

/** The amounts of the credit notes that the provider has of a payment, in cents. */
async function notesOf({ id }: Paid): Promise<unknown[]> {
  const { invoice_ref: invoice } = await console_.postgres.database
    .selectFrom('payments')
    .select('invoice_ref')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const objects = await console_.control.objects()
  return objects
    .filter((each) => each.object === 'credit_note' && each['invoice'] === invoice)
    .map((each) => each['amount'])
}

const NOTES = 'POST /v1/credit_notes'
const once = (when: 'before' | 'after', status?: number) => ({
  at: NOTES,
  when,
  ...(status !== undefined && { status }),
})

test('each refund of an invoice gets one credit note of its amount', async () => {
  const paid = await openPaid(console_, '25.00')
  const { state, credit_note: note } = await refund(paid, '5.00')
  assert.deepEqual([state, note?.state], ['succeeded', 'made'])
  assert.match(note?.ref ?? '', /^cn_/)
  await refund(paid, '1.00')
  assert.deepEqual(await notesOf(paid), [500, 100])
})

test('a credit note that was not written is written later, and once', async () => {
  const paid = await openPaid(console_, '25.00')
  // All attempts of two calls: first nothing was done, then the answer is lost.
  await console_.control.script([
    ...Array.from({ length: 3 }, () => once('before', 503)),
    once('before', 503),
    once('before', 503),
    once('after'),
  ])
  const { state, credit_note: note } = await refund(paid, '5.00')
  assert.deepEqual([state, note?.state], ['succeeded', 'owed'])
  await noteIs(paid, 'made')
  assert.deepEqual(await notesOf(paid), [500])
})

test('operators see a credit note that was refused, and let it be tried again', async () => {
  const paid = await openPaid(console_, '25.00')
  await console_.control.script([once('before', 400)])
  const { state, credit_note: note } = await refund(paid, '5.00')
  assert.deepEqual([state, note?.state], ['succeeded', 'refused'])
  assert.deepEqual(await notesOf(paid), [])
  assert.equal((await post(`${paid.id}/check`)).status, 200)
  assert.equal((await shown(paid)).credit_note?.state, 'made')
  assert.deepEqual(await notesOf(paid), [500])
})

test('a refund that was made in the dashboard gets no credit note from here', async () => {
  const paid = await openPaid(console_, '25.00')
  await console_.control.refund(paid.moneyRef, 1_000)
  const { database } = console_.postgres
  await sql`update provider_cursors set polled_at = null, leased_until = null`.execute(database)
  await pollEvents(console_.environment)
  const isRead = async () => (await shown(paid))?.state === 'succeeded'
  await waitUntil('the refund', isRead, 30_000)
  assert.equal((await shown(paid)).credit_note, null)
  assert.deepEqual(await notesOf(paid), [])
})

test('a refund whose row a restore has lost gets the credit note that it lacks', async () => {
  const paid = await openPaid(console_, '25.00')
  await console_.control.script(Array.from({ length: 3 }, () => once('before', 503)))
  await refund(paid, '5.00')
  const { database } = console_.postgres
  await sql`delete from provider_readings`.execute(database)
  await sql`delete from refunds where payment_id = ${paid.id}`.execute(database)
  const [event] = (await console_.control.events()).toReversed()
  assert.equal(await console_.send(console_.sign({ ...event, id: `${event!.id}-again` })), 200)
  await noteIs(paid, 'made')
  assert.deepEqual(await notesOf(paid), [500])
})

for (const when of ['before', 'after'] as const)
  test(`a failure that the provider saved ${when} its effect is passed: one refund`, async () => {
    const paid = await openPaid(console_, '25.00')
    const spent = (at: string) => ({ at, when, status: 500 })
    await console_.control.script([spent('POST /v1/refunds'), spent(NOTES)])
    const { state, credit_note: note } = await refund(paid, '5.00')
    assert.deepEqual([state, note?.state], ['succeeded', 'made'])
    const made = (await console_.control.objects()).filter(
      (each) => each.object === 'refund' && each['payment_intent'] === paid.moneyRef,
    )
    assert.equal(made.length, 1)
    assert.deepEqual(await notesOf(paid), [500])
  })

test('a refund and its note outlast a provider that fails under many keys', async () => {
  const paid = await openPaid(console_, '25.00')
  const spent = (at: string) =>
    Array.from({ length: 4 }, () => ({ at, when: 'before' as const, status: 500 }))
  await console_.control.script([...spent('POST /v1/refunds'), ...spent(NOTES)])
  assert.equal((await refund(paid, '5.00')).state, 'requested')
  await noteIs(paid, 'made')
  assert.deepEqual(await notesOf(paid), [500])
})

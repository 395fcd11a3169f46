import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { observeDispute } from '../../src/platform/payments/returned-money/observe-dispute.ts'
import { readWarnings } from '../../src/platform/payments/watch/read-warnings.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import type { Outcome } from '../harness/payments/provider-books.ts'
import type { PayingConsole } from '../harness/payments/paying-console.ts'
import {
  awaitState,
  openLowSaver,
  startDue,
  startTopUpConsole,
  type Saver,
} from '../harness/payments/top-ups.ts'

let console_: PayingConsole

before(async () => {
  console_ = await startTopUpConsole()
})
after(async () => console_[Symbol.asyncDispose]())

const show = async (saver: Saver) => (await saver.get('/automatic-top-up')).body

async function chargeWith(saver: Saver, outcome: Outcome, state: string) {
  await console_.control.script([], [outcome])
  const charges = await startDue(console_, saver)
  return awaitState(console_, charges.at(-1), state)
}

/** An hour or two pass for an organization. */
async function wait({ organization }: Saver, hours: number): Promise<void> {
  await console_.postgres.pool.query(
    `update automatic_top_ups set not_before = not_before - $2 * interval '1 hour'
     where organization_id = $1`,
    [organization.id, hours],
  )
}

async function invoiceOf(ref: string | null): Promise<unknown> {
  const objects = await console_.control.objects()
  return objects.find(({ id }) => id === ref)?.['status']
}

async function emailsOf({ organization }: Saver): Promise<string[]> {
  const { rows } = await console_.postgres.pool.query<{ text: string }>(
    `select substr(kind, 8) || ' '
       || coalesce(facts ->> 'reason', facts ->> 'failure', facts ->> 'bound', '') as text
     from queued_emails where organization_id = $1 and kind like 'top_up_%' order by made_at`,
    [organization.id],
  )
  return rows.map(({ text }) => text)
}

/** Why it was paused, as the audit log says, oldest first. */
async function pausesOf({ organization }: Saver): Promise<unknown[]> {
  const events = await console_.postgres.database
    .selectFrom('audit_events')
    .select('changes')
    .where('organization_id', '=', organization.id)
    .where('action', '=', 'top_up.pause')
    .orderBy('id')
    .execute()
  return events.map(({ changes }) => changes?.['paused']?.[1])
}

test('a hard decline is tried once: it is void, and pauses until an owner resumes', async () => {
  const saver = await openLowSaver(console_)
  const failed = await chargeWith(saver, 'declined', 'failed')
  assert.deepEqual([failed.failure, await invoiceOf(failed.ref)], ['generic_decline', 'void'])
  const paused = await show(saver)
  assert.deepEqual([paused['state'], paused['paused']], ['paused', 'declined'])
  assert.equal((await startDue(console_, saver)).length, 1)
  assert.deepEqual(await emailsOf(saver), ['paused declined'])
  const { status, body } = await saver.post('/automatic-top-up/resume')
  assert.deepEqual([status, body['state']], [200, 'on'])
  const [, second] = await startDue(console_, saver)
  await awaitState(console_, second, 'succeeded')
})

test('soft declines wait an hour, then two, and the third in a row pauses', async () => {
  const saver = await openLowSaver(console_)
  await chargeWith(saver, 'insufficient_funds', 'failed')
  assert.equal((await startDue(console_, saver)).length, 1)
  await wait(saver, 0.9)
  assert.equal((await startDue(console_, saver)).length, 1)
  await wait(saver, 0.2)
  await chargeWith(saver, 'insufficient_funds', 'failed')
  await wait(saver, 1.9)
  assert.equal((await startDue(console_, saver)).length, 2)
  await wait(saver, 0.2)
  await chargeWith(saver, 'insufficient_funds', 'failed')
  await wait(saver, 100)
  assert.equal((await startDue(console_, saver)).length, 3)
  assert.deepEqual((await show(saver))['paused'], 'declined_often')
  const failed = 'failed insufficient_funds'
  assert.deepEqual(await emailsOf(saver), [failed, failed, 'paused declined_often'])
})

test('a success forgets the declines before it', async () => {
  const saver = await openLowSaver(console_)
  for (const outcome of ['insufficient_funds', 'insufficient_funds', 'ok'] as const) {
    await chargeWith(saver, outcome, outcome === 'ok' ? 'succeeded' : 'failed')
    await wait(saver, 100)
    if (outcome === 'ok') await saver.spendTo(4)
  }
  await chargeWith(saver, 'insufficient_funds', 'failed')
  assert.equal((await show(saver))['state'], 'on')
})

test('a charge to be confirmed has a link, pauses, and is added once confirmed', async () => {
  const saver = await openLowSaver(console_)
  const { id, ref } = await chargeWith(saver, 'authentication_required', 'needs_customer')
  const { body } = await saver.get(`/payments/${id}`)
  assert.match(String(body['url']), /^https:\/\/pay\.stripe\.example\/invoices\//)
  assert.equal((await show(saver))['paused'], 'confirmation')
  assert.deepEqual(await emailsOf(saver), ['confirm '])
  await console_.control.confirm(ref!)
  await saver.post(`/payments/${id}/check`)
  await awaitState(console_, id, 'succeeded')
  assert.equal((await show(saver))['state'], 'paused', 'only an owner resumes')
})

test('resuming cancels the charge that waits for a confirmation, and goes on', async () => {
  const saver = await openLowSaver(console_)
  const asked = await chargeWith(saver, 'authentication_required', 'needs_customer')
  assert.equal((await startDue(console_, saver)).length, 1)
  await saver.post('/automatic-top-up/resume')
  await awaitState(console_, asked.id, 'expired')
  assert.equal((await show(saver))['state'], 'on')
  const [, second] = await startDue(console_, saver)
  await awaitState(console_, second, 'succeeded')
})

test('a charge that the provider refuses ends, with its invoice, and pauses', async () => {
  for (const at of ['POST /v1/invoices', 'POST /v1/invoiceitems', 'POST /v1/invoices/']) {
    const saver = await openLowSaver(console_)
    await console_.control.script([{ at, when: 'before', status: 400 }])
    const [charge] = await startDue(console_, saver)
    const { id } = await awaitState(console_, charge, 'failed')
    assert.equal((await show(saver))['paused'], 'refused', at)
    const invoices = await console_.control.objects()
    const left = invoices.filter(
      ({ object, metadata, status }) =>
        object === 'invoice' &&
        (metadata as { payment_id?: string }).payment_id === id &&
        status !== 'void',
    )
    assert.deepEqual(left, [], at)
  }
})

test('a charge that tax lifts above the month is not paid, and waits for the next', async () => {
  const saver = await openLowSaver(console_)
  await console_.control.script([{ at: 'POST /v1/invoices', when: 'before', status: 503 }])
  const [charge] = await startDue(console_, saver)
  // As if tax came on top, of which the row knew nothing.
  await console_.postgres.pool.query('update payments set total_max = 24000000 where id = $1', [
    charge,
  ])
  const { ref, failure } = await awaitState(console_, charge, 'failed')
  assert.deepEqual([failure, await invoiceOf(ref)], ['above_bound', 'void'])
  const shown = await show(saver)
  assert.deepEqual([shown['state'], shown['bound']], ['on', 'month'])
  assert.equal((await startDue(console_, saver)).length, 1)
  assert.deepEqual(await emailsOf(saver), ['bound month'])
})

test('whoever cancels a charge, here or at the provider, pauses it', async () => {
  const saver = await openLowSaver(console_)
  const { id } = await chargeWith(saver, 'authentication_required', 'needs_customer')
  await console_.postgres.pool.query(
    `update automatic_top_ups set paused = null, paused_at = null where organization_id = $1`,
    [saver.organization.id],
  )
  await saver.post(`/payments/${id}/cancel`)
  await awaitState(console_, id, 'expired')
  assert.equal((await show(saver))['paused'], 'cancelled')
  assert.deepEqual(await pausesOf(saver), ['confirmation', 'cancelled'])
})

test('a dispute pauses it, with one event in the audit log', async () => {
  const saver = await openLowSaver(console_)
  const [charge] = await startDue(console_, saver)
  const { money_ref: moneyRef } = await awaitState(console_, charge, 'succeeded')
  const { id } = await console_.control.dispute(moneyRef!)
  await observeDispute(console_.environment, id)
  await observeDispute(console_.environment, id)
  assert.equal((await show(saver))['paused'], 'dispute')
  assert.deepEqual(await pausesOf(saver), ['dispute'])
})

test('a bank that suspects fraud pauses it, and each warning does so once', async () => {
  const saver = await openLowSaver(console_)
  const [charge] = await startDue(console_, saver)
  const { money_ref: moneyRef } = await awaitState(console_, charge, 'succeeded')
  const from = (await console_.control.events()).length
  await console_.control.warn(moneyRef!)
  const [event] = await console_.control.events(from)
  assert.equal(await console_.send(console_.sign(event!)), 200)
  await waitUntil('the pause', async () => (await show(saver))['paused'] === 'warning', 30_000)
  await saver.spendTo(1)
  assert.equal((await startDue(console_, saver)).length, 1)
  assert.deepEqual(await emailsOf(saver), ['paused warning'])
  assert.equal((await saver.post('/automatic-top-up/resume')).body['state'], 'on')
  await readWarnings(console_.environment)
  assert.equal((await show(saver))['state'], 'on')
})

test('a warning that is unknown, or about nobody here, holds up no other', async () => {
  const saver = await openLowSaver(console_)
  const [charge] = await startDue(console_, saver)
  const { money_ref: moneyRef } = await awaitState(console_, charge, 'succeeded')
  const from = (await console_.control.events()).length
  await console_.control.warn(moneyRef!)
  const [event] = await console_.control.events(from)
  const object = { ...event!.data.object, id: 'issfr_gone' }
  const gone = { ...event, id: 'evt_gone', data: { object } }
  assert.equal(await console_.send(console_.sign(gone)), 200)
  assert.equal(await console_.send(console_.sign(event!)), 200)
  await readWarnings(console_.environment)
  assert.equal((await show(saver))['paused'], 'warning')
})

test('a dispute of any payment pauses automatic top-up until an owner resumes it', async () => {
  const saver = await openLowSaver(console_)
  const [charge] = await startDue(console_, saver)
  const { money_ref: moneyRef } = await awaitState(console_, charge, 'succeeded')
  const from = (await console_.control.events()).length
  await console_.control.dispute(moneyRef!)
  for (const event of await console_.control.events(from))
    assert.equal(await console_.send(console_.sign(event)), 200)
  await waitUntil('the pause', async () => (await show(saver))['paused'] === 'dispute', 30_000)
  await saver.spendTo(1)
  assert.equal((await startDue(console_, saver)).length, 1)
  assert.deepEqual(await emailsOf(saver), ['paused dispute'])
})

test('a bank that takes the money pauses it again after an owner has resumed it', async () => {
  const saver = await openLowSaver(console_)
  const [charge] = await startDue(console_, saver)
  const { money_ref: moneyRef } = await awaitState(console_, charge, 'succeeded')
  const { id } = await console_.control.dispute(moneyRef!, { inquiry: true })
  const seen = async () => {
    await observeDispute(console_.environment, id)
    const { paused } = await show(saver)
    await saver.post('/automatic-top-up/resume')
    return paused
  }
  assert.equal(await seen(), 'dispute')
  assert.equal(await seen(), null, 'nothing has changed')
  await console_.control.escalate(id)
  assert.equal(await seen(), 'dispute')
  await console_.control.closeDispute(id, 'lost')
  assert.equal(await seen(), 'dispute')
  assert.deepEqual(await emailsOf(saver), ['paused dispute', 'paused dispute', 'paused dispute'])
})

test('a dispute first heard of as lost pauses it, one that is won does not', async () => {
  for (const [end, paused] of [
    ['lost', 'dispute'],
    ['won', null],
  ] as const) {
    const saver = await openLowSaver(console_)
    const [charge] = await startDue(console_, saver)
    const { money_ref: moneyRef } = await awaitState(console_, charge, 'succeeded')
    const { id } = await console_.control.dispute(moneyRef!)
    await console_.control.closeDispute(id, end)
    await observeDispute(console_.environment, id)
    assert.equal((await show(saver))['paused'], paused, end)
  }
})

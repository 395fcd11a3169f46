import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { observeRefund } from '../../src/platform/payments/returned-money/observe-refund.ts'
import type { PayingConsole } from '../harness/payments/paying-console.ts'
import {
  openSaver,
  SETTINGS,
  startDue,
  startTopUpConsole,
  type Saver,
} from '../harness/payments/top-ups.ts'
import { ask, type Headers } from '../harness/processes/console.ts'

let console_: PayingConsole
let operator: Headers

before(async () => {
  console_ = await startTopUpConsole()
  operator = (await console_.openPerson({ platformRole: 'operator' })).as
})
after(async () => console_[Symbol.asyncDispose]())

const show = async (saver: Saver) => (await saver.get('/automatic-top-up')).body

/** Who has paid 25.00, and is charged when the balance is below 10.00. */
async function openAgreed(): Promise<Saver> {
  const saver = await openSaver(console_)
  assert.equal((await saver.put(SETTINGS)).status, 200)
  return saver
}

async function paidOf({ organization }: Saver) {
  return console_.postgres.database
    .selectFrom('payments')
    .selectAll()
    .where('organization_id', '=', organization.id)
    .executeTakeFirstOrThrow()
}

async function refund(saver: Saver, amount: string): Promise<void> {
  const { id } = await paidOf(saver)
  const body = { amount: { amount }, reason: 'asked by mail' }
  const path = `/operator/payments/${id}/refunds`
  const answer = await ask(console_.root, 'POST', path, { as: operator, body })
  assert.equal(answer.status, 201)
}

test('a refund does not make automatic top-up charge the card again', async () => {
  const saver = await openAgreed()
  await refund(saver, '20.00')
  assert.equal((await show(saver))['paused'], 'refunded')
  assert.deepEqual(await startDue(console_, saver), [])
})

test('a refund that leaves enough pauses nothing', async () => {
  const saver = await openAgreed()
  await refund(saver, '15.00')
  assert.equal((await show(saver))['state'], 'on')
})

test('a refund that was made in the dashboard pauses automatic top-up, too', async () => {
  const saver = await openAgreed()
  const { money_ref: moneyRef } = await paidOf(saver)
  const { id } = await console_.control.refund(moneyRef!, 2_000)
  await observeRefund(console_.environment, id)
  assert.equal((await show(saver))['paused'], 'refunded')
  assert.deepEqual(await startDue(console_, saver), [])
  const events = await console_.postgres.database
    .selectFrom('audit_events')
    .select('changes')
    .where('organization_id', '=', saver.organization.id)
    .where('action', '=', 'top_up.pause')
    .execute()
  assert.deepEqual(events, [{ changes: { paused: [null, 'refunded'] } }])
})

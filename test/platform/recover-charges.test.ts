import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { PayingConsole } from '../harness/payments/paying-console.ts'
import { centsOf, doneFor } from '../harness/payments/restores.ts'
import {
  awaitState,
  openLowSaver,
  startDue,
  startTopUpConsole,
  type Saver,
} from '../harness/payments/top-ups.ts'
import { takeSnapshot } from '../harness/servers/snapshot.ts'

let console_: PayingConsole

before(async () => {
  console_ = await startTopUpConsole()
})
after(async () => console_[Symbol.asyncDispose]())

const snapshot = async () => takeSnapshot(console_.databaseUrl)

async function monthUsed(saver: Saver): Promise<string> {
  const { month_used: used } = (await saver.get('/automatic-top-up')).body
  return (used as { amount: string }).amount
}

test('a charge that was lost is credited beside another one in flight, and counted', async () => {
  const saver = await openLowSaver(console_)
  const { restore } = await snapshot()
  const [paid] = await startDue(console_, saver)
  await awaitState(console_, paid, 'succeeded')
  await restore()
  assert.equal(await centsOf(console_, saver), 400)
  await console_.control.script([], ['authentication_required'])
  const [waiting] = await startDue(console_, saver)
  await awaitState(console_, waiting, 'needs_customer')
  assert.deepEqual(await doneFor(console_, saver), ['credited succeeded'])
  assert.equal(await centsOf(console_, saver), 2900)
  await awaitState(console_, waiting, 'needs_customer')
  // What waits counts with all that is left of the month.
  assert.equal(await monthUsed(saver), '225.00')
  assert.deepEqual(await doneFor(console_, saver), [])
})

test('a charge that was lost before it was paid is ended, and the card is left alone', async () => {
  const saver = await openLowSaver(console_)
  const { restore } = await snapshot()
  await console_.control.script([], ['authentication_required'])
  const [charge] = await startDue(console_, saver)
  const { ref } = await awaitState(console_, charge, 'needs_customer')
  await restore()
  const { charged } = await console_.control.sums()
  assert.deepEqual(await doneFor(console_, saver), ['ended expired'])
  assert.equal(await console_.control.confirm(ref!), null, 'nobody can confirm it any more')
  assert.equal((await console_.control.sums()).charged, charged)
  assert.deepEqual(
    [await centsOf(console_, saver), await monthUsed(saver), await doneFor(console_, saver)],
    [400, '0.00', []],
  )
})

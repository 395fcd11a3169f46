import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Transaction } from 'kysely'
import { cancelUnpaid, turnOff } from '../../src/store/payments/top-ups.ts'
import type { Tables } from '../../src/store/postgres/tables.ts'
import { lockOrganization } from '../../src/store/tenants/organizations.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import type { PayingConsole } from '../harness/payments/paying-console.ts'
import {
  awaitState,
  openLowSaver,
  startDue,
  startTopUpConsole,
} from '../harness/payments/top-ups.ts'
import { untilSomeoneWaits } from '../harness/servers/lock-wait.ts'

let console_: PayingConsole

before(async () => {
  console_ = await startTopUpConsole()
})
after(async () => console_[Symbol.asyncDispose]())

const AT = 'POST /v1/invoices/'
const UNPAID = { at: AT, when: 'before', status: 503 } as const

/** One whose charge has an invoice, and whose card was not charged, because nobody answered. */
async function openUnpaid() {
  const saver = await openLowSaver(console_)
  await console_.control.script([{ at: AT, when: 'after' }, UNPAID, UNPAID, UNPAID])
  const [charge] = await startDue(console_, saver)
  const { database, pool } = console_.postgres
  const isLeft = async () => {
    const row = database.selectFrom('payments').selectAll().where('id', '=', charge!)
    const { state, leased_until: lease } = await row.executeTakeFirstOrThrow()
    return state === 'open' && lease === null && (await console_.control.sums()).faultsLeft === 0
  }
  await waitUntil('the charge to be left', isLeft, 30_000)
  await pool.query('update payments set read_at = null where id = $1', [charge])
  return { ...saver, charge: charge! }
}

for (const [what, stop] of [
  [
    'automatic top-up was turned off',
    async (transaction: Transaction<Tables>, id: string) => {
      await turnOff(transaction, id)
      await cancelUnpaid(transaction, id)
    },
  ],
  [
    'the organization was suspended',
    async (transaction: Transaction<Tables>, id: string) => {
      const suspended = { suspended_at: new Date(), suspended_reason: 'Fraud.' }
      const change = transaction.updateTable('organizations').set(suspended).where('id', '=', id)
      await change.execute()
    },
  ],
] as const)
  test(`no card is charged after ${what}, although somebody was about to`, async () => {
    const saver = await openUnpaid()
    const { charged } = await console_.control.sums()
    const { id } = saver.organization
    const [check] = await console_.postgres.database.transaction().execute(async (transaction) => {
      await lockOrganization(transaction, id)
      const asked = saver.post(`/payments/${saver.charge}/check`)
      await untilSomeoneWaits(console_.postgres)
      await stop(transaction, id)
      return [asked]
    })
    assert.equal((await check).body['state'], 'expired')
    await awaitState(console_, saver.charge, 'expired')
    assert.equal((await console_.control.sums()).charged, charged)
  })

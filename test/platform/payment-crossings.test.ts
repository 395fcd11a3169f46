import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { creditPayment } from '../../src/platform/payments/observe.ts'
import { openPage } from '../../src/platform/payments/open-page.ts'
import { balanceOf } from '../../src/store/ledger/double-entry.ts'
import {
  claimPayment,
  hintAtPayment,
  releasePayment,
} from '../../src/store/payments/payment-queue.ts'
import { findOrganization } from '../../src/store/tenants/organizations.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { openPaid } from '../harness/payments/paid.ts'
import {
  codeOf,
  start,
  startPayingConsole,
  type PayingConsole,
} from '../harness/payments/paying-console.ts'
import { ask } from '../harness/processes/console.ts'
import { untilSomeoneWaits } from '../harness/servers/lock-wait.ts'

let console_: PayingConsole

before(async () => {
  console_ = await startPayingConsole()
})
after(async () => console_[Symbol.asyncDispose]())

async function rowOf(id: string) {
  const { database } = console_.postgres
  return database.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

test('a hint that comes while a payment is read makes it due at once', async () => {
  const payer = await console_.openPayer()
  const { id } = await start(payer)
  const { database } = console_.postgres
  // Nobody else takes it: it is due only when it was released.
  await sql`update payments set next_at = null where id = ${id}`.execute(database)
  const claimed = await claimPayment(database, id, { leaseSeconds: 60, pauseSeconds: 0 })
  await hintAtPayment(database, claimed!.ref!)
  await releasePayment(database, claimed!, 3_600)
  const { next_at: next } = await rowOf(id)
  assert.ok(next!.getTime() < Date.now() + 600_000, `${next?.toISOString()} is not at once`)
})

test('a process that opens a page after all was over neither stores it nor leaves it', async () => {
  const payer = await console_.openPayer()
  const { id, page } = await start(payer)
  const created = await rowOf(id)
  const { database } = console_.postgres
  const unknown = { ref: null, url: null, next_at: null }
  await database
    .updateTable('payments')
    .set({ ...unknown, state: 'expired' })
    .where('id', '=', id)
    .execute()
  const organization = await findOrganization(database, payer.organization.id)
  const late = { ...created, ...unknown, state: 'created' } as const
  await openPage(console_.environment, organization, late)
  const { state, url, ref } = await rowOf(id)
  assert.deepEqual({ state, url, ref }, { state: 'expired', url: null, ref: null })
  const objects = await console_.control.objects()
  assert.equal(objects.find((object) => object.id === page)?.['status'], 'expired')
})

test('a payment that is credited again, by whatever mistake, adds nothing', async () => {
  const paid = await openPaid(console_, '25.00')
  const { database } = console_.postgres
  const row = await rowOf(paid.id)
  await database.transaction().execute(async (transaction) => creditPayment(transaction, row))
  assert.equal((await balanceOf(database, paid.organization.id)).balance, 25_000_000)
})

test('two refunds at once are together no more than what was paid', async () => {
  const paid = await openPaid(console_, '25.00')
  const { as } = await console_.openPerson({ platformRole: 'operator' })
  const path = `/operator/payments/${paid.id}/refunds`
  const body = { amount: { amount: '20.00' }, reason: 'asked twice' }
  const refunds = await console_.postgres.database.transaction().execute(async (transaction) => {
    await sql`select from organizations where id = ${paid.organization.id} for update`.execute(
      transaction,
    )
    const asked = [1, 2].map(() => ask(console_.root, 'POST', path, { as, body }))
    await untilSomeoneWaits(console_.postgres, 2)
    return asked
  })
  const answers = (await Promise.all(refunds)).map(codeOf)
  assert.deepEqual(new Set(answers.map(String)), new Set(['201,', '400,invalid_value']))
})

test('money goes back only after it was credited', async () => {
  const paid = await openPaid(console_, '25.00', { read: false })
  const { database } = console_.postgres
  // A card that was declined before has told under which id the money moves.
  await sql`update payments set money_ref = ${paid.moneyRef} where id = ${paid.id}`.execute(
    database,
  )
  const from = (await console_.control.events()).length
  await console_.control.refund(paid.moneyRef, 1_000)
  const [event] = await console_.control.events(from)
  assert.equal(await console_.send(console_.sign(event!)), 200)
  const moved = async () => {
    const { rows } = await sql<{ kind: string }>`select kind from transfers
      where ${`funds:${paid.organization.id}`} in (credit_account, debit_account)
      order by id`.execute(database)
    return rows.map(({ kind }) => kind)
  }
  await waitUntil('the refund', async () => (await moved()).includes('refund'), 30_000)
  assert.deepEqual(await moved(), ['payment', 'refund'])
})

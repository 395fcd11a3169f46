import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { consentVersion } from '../../src/contract/payments/automatic-top-up.ts'
import { balanceOf } from '../../src/store/ledger/double-entry.ts'
import { pauseTopUp } from '../../src/store/payments/top-ups.ts'
import { lockOrganization } from '../../src/store/tenants/organizations.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { codeOf, type PayingConsole } from '../harness/payments/paying-console.ts'
import {
  awaitState,
  chargesOf,
  openLowSaver,
  openSaver,
  SETTINGS,
  startDue,
  startTopUpConsole,
  type Saver,
} from '../harness/payments/top-ups.ts'
import { ask, openSession } from '../harness/processes/console.ts'
import { untilSomeoneWaits } from '../harness/servers/lock-wait.ts'

let console_: PayingConsole

before(async () => {
  console_ = await startTopUpConsole()
})
after(async () => console_[Symbol.asyncDispose]())

async function auditedOf({ organization }: Saver): Promise<string[]> {
  const rows = await console_.postgres.database
    .selectFrom('audit_events')
    .select('action')
    .where('organization_id', '=', organization.id)
    .where('action', 'like', 'top_up.%')
    .orderBy('id')
    .execute()
  return rows.map(({ action }) => action)
}

async function balance({ organization }: Saver): Promise<number> {
  return (await balanceOf(console_.postgres.database, organization.id)).balance / 1_000_000
}

const show = async (saver: Saver) => (await saver.get('/automatic-top-up')).body

test('one charge closes the gap, and is added once', async () => {
  const saver = await openLowSaver(console_, -20)
  const [charge] = await startDue(console_, saver)
  const { amount } = await awaitState(console_, charge, 'succeeded')
  assert.deepEqual([amount, await balance(saver)], [50_000_000, 30])
  assert.deepEqual(await startDue(console_, saver), [charge], 'the balance is above it')
  const { month_used: used } = await show(saver)
  assert.equal((used as { amount: string }).amount, '50.00')
  assert.deepEqual(await auditedOf(saver), ['top_up.change', 'top_up.start'])
})

test('an owner who confirms their identity turns it on, with card and three amounts', async () => {
  const without = await console_.openPayer()
  const path = `/organizations/${without.organization.id}/automatic-top-up`
  const put = async (as: typeof without.as, body: object) =>
    codeOf(await ask(console_.root, 'PUT', path, { as, body }))
  assert.deepEqual(await put(without.as, SETTINGS), [409, 'conflict'], 'no card')
  const admin = await console_.openPerson({
    organizationId: without.organization.id,
    role: 'admin',
  })
  assert.deepEqual(await put(admin.as, SETTINGS), [403, 'role_required'])
  const { database } = console_.postgres
  const old = await openSession({ database }, without.accountId, { confirmed: false })
  assert.deepEqual(await put(old, SETTINGS), [403, 'confirmation_required'])
  const saver = await openSaver(console_)
  for (const wrong of [
    { consent: 'another' },
    { threshold: undefined },
    { threshold: { amount: '0' } },
    { threshold: { amount: '200.01' } },
    { amount: { amount: '4.99' } },
    { amount: { amount: '25.001' } },
    { amount: { amount: '1000.01' }, month_max: { amount: '5000.00' } },
    { month_max: { amount: '24.99' } },
  ])
    assert.deepEqual(
      codeOf(await saver.put({ ...SETTINGS, ...wrong })),
      [400, 'invalid_value'],
      JSON.stringify(wrong),
    )
  assert.deepEqual([(await show(saver))['state'], await auditedOf(saver)], ['off', []])
})

test('at most one is in flight, whoever starts them', async () => {
  const saver = await openLowSaver(console_)
  await console_.control.script([{ at: 'POST /v1/invoices', when: 'before', status: 503 }])
  const [all] = await Promise.all([startDue(console_, saver), startDue(console_, saver)])
  assert.equal(all.length, 1)
  const { database } = console_.postgres
  const {
    id: _id,
    ref: _ref,
    differences: _differences,
    ...row
  } = await database
    .selectFrom('payments')
    .selectAll()
    .where('id', '=', all[0]!)
    .executeTakeFirstOrThrow()
  const second = { ...row, id: crypto.randomUUID(), state: 'attention', next_at: null } as const
  const inserted = database.insertInto('payments').values(second).execute()
  await assert.rejects(inserted, /payments_automatic_key/)
  await awaitState(console_, all[0], 'succeeded')
})

test('whoever pauses it and whoever starts a charge wait for each other', async () => {
  const saver = await openLowSaver(console_)
  const { id } = saver.organization
  const [charges] = await console_.postgres.database.transaction().execute(async (transaction) => {
    await lockOrganization(transaction, id)
    const about = { id: crypto.randomUUID(), organization_id: id, amount: 0 }
    const payment = { ...about, failure: null, state: 'succeeded' } as const
    await pauseTopUp(transaction, payment, 'dispute')
    const starting = startDue(console_, saver)
    await untilSomeoneWaits(console_.postgres)
    return [starting]
  })
  assert.deepEqual(await charges, [])
})

test('a charge goes on after lost answers and errors, and is one charge', async () => {
  const { charged } = await console_.control.sums()
  for (const [at, when] of [
    ['POST /v1/invoices', 'after'],
    ['POST /v1/invoiceitems', 'after'],
    ['POST /v1/invoices/', 'after'],
  ] as const) {
    const saver = await openLowSaver(console_)
    await console_.control.script([{ at, when }])
    const [charge] = await startDue(console_, saver)
    await awaitState(console_, charge, 'succeeded')
    assert.equal(await balance(saver), 29)
  }
  // Each has paid 25.00 on the page and 25.00 by the saved card.
  assert.equal((await console_.control.sums()).charged - charged, 6 * 2_500)
})

test('an invoice that nobody here knows of is gone on with, not written again', async () => {
  for (const at of ['POST /v1/invoices', 'POST /v1/invoiceitems']) {
    const saver = await openLowSaver(console_)
    // All three attempts are used up when it was done and nobody here knows.
    await console_.control.script([
      { at, when: 'before', status: 503 },
      { at, when: 'before', status: 503 },
      { at, when: 'after' },
    ])
    const [charge] = await startDue(console_, saver)
    const isPaid = async () => {
      const { body } = await saver.post(`/payments/${charge}/check`)
      return body['state'] === 'succeeded'
    }
    await waitUntil('the charge', isPaid, 30_000)
    const invoices = (await console_.control.objects()).filter(
      ({ object, metadata }) =>
        object === 'invoice' && (metadata as { payment_id?: string }).payment_id === charge,
    )
    assert.deepEqual(
      invoices.map(({ amount_paid: paid }) => paid),
      [2_500],
      at,
    )
  }
})

test('a check goes on with a charge that was begun, and opens no page for it', async () => {
  const saver = await openLowSaver(console_)
  const { pages } = await console_.control.sums()
  // Nobody takes it by itself.
  const { rows } = await console_.postgres.pool.query<{ id: string }>(
    `insert into payments (id, organization_id, kind, amount, currency, started_by, card_ref,
       total_max, expires_at)
     select uuidv7(), organization_id, 'automatic', amount, 'USD', consented_by, card_ref,
       month_max, now() + interval '1 hour'
     from automatic_top_ups join provider_customers using (organization_id)
     where organization_id = $1 returning id`,
    [saver.organization.id],
  )
  const { body } = await saver.post(`/payments/${rows[0]?.id}/check`)
  assert.deepEqual([body['state'], body['url']], ['succeeded', null])
  assert.equal((await console_.control.sums()).pages, pages)
})

test('minutes between two, a number a day and a sum a month are never exceeded', async () => {
  const saver = await openLowSaver(console_)
  await saver.put({ ...SETTINGS, month_max: { amount: '60.00' } })
  const [first] = await startDue(console_, saver)
  await awaitState(console_, first, 'succeeded')
  await saver.spendTo(4)
  assert.equal((await startDue(console_, saver, { pauseMinutes: 10 })).length, 1, 'too soon')
  assert.equal((await startDue(console_, saver, { perDay: 1 })).length, 1, 'too often')
  assert.equal((await show(saver))['bound'], 'day')
  const [, second] = await startDue(console_, saver)
  await awaitState(console_, second, 'succeeded')
  assert.equal((await show(saver))['bound'], null)
  await saver.spendTo(-100)
  assert.equal((await startDue(console_, saver)).length, 2, 'too much')
  assert.equal((await show(saver))['bound'], 'month')
  await saver.put({ ...SETTINGS, month_max: { amount: '120.00' } })
  const [, , third] = await startDue(console_, saver)
  assert.equal((await awaitState(console_, third, 'succeeded')).amount, 50_000_000)
})

test('a day has as many charges as were agreed to, whatever the setting becomes', async () => {
  const saver = await openLowSaver(console_)
  const { pool } = console_.postgres
  const agreed = await pool.query<{ consent: string; day_max: number }>(
    'select consent, day_max from automatic_top_ups where organization_id = $1',
    [saver.organization.id],
  )
  assert.deepEqual(agreed.rows, [{ consent: consentVersion(5), day_max: 5 }])
  // As if it had been agreed to when the setting was 1.
  await pool.query('update automatic_top_ups set day_max = 1 where organization_id = $1', [
    saver.organization.id,
  ])
  const [first] = await startDue(console_, saver)
  await awaitState(console_, first, 'succeeded')
  await saver.spendTo(4)
  assert.deepEqual(await startDue(console_, saver), [first], 'five were not agreed to')
  const { bound, day_max: most, consent_day_max: offered } = await show(saver)
  assert.deepEqual([bound, most, offered], ['day', 1, 5])
  const stale = await saver.put({ ...SETTINGS, consent: consentVersion(1) })
  assert.equal(stale.status, 400, 'another text is shown by now')
  assert.equal((await saver.put(SETTINGS)).body['day_max'], 5)
  assert.equal((await startDue(console_, saver)).length, 2)
})

test('it never charges for one that is stopped, suspended, deleted or not prepaid', async () => {
  const saver = await openLowSaver(console_)
  const { pool } = console_.postgres
  const { id } = saver.organization
  for (const [set, unset] of [
    [`billing_state = 'exhausted'`, `billing_state = 'ok'`],
    ['deleted_at = now()', 'deleted_at = null'],
    [
      `suspended_at = now(), suspended_reason = 'abuse'`,
      'suspended_at = null, suspended_reason = null',
    ],
    [`plan = 'default'`, `plan = 'ample'`],
  ]) {
    await pool.query(`update organizations set ${set} where id = $1`, [id])
    assert.deepEqual(await startDue(console_, saver), [], set)
    await pool.query(`update organizations set ${unset} where id = $1`, [id])
  }
  const [charge] = await startDue(console_, saver)
  await awaitState(console_, charge, 'succeeded')
})

test('turning it off ends what was begun and not paid', async () => {
  const saver = await openLowSaver(console_)
  await console_.control.script([], ['authentication_required'])
  const [charge] = await startDue(console_, saver)
  const { ref } = await awaitState(console_, charge, 'needs_customer')
  assert.equal((await saver.put({ enabled: false })).body['state'], 'off')
  await awaitState(console_, charge, 'expired')
  assert.equal(await console_.control.confirm(ref!), null, 'nobody can pay it any more')
  assert.deepEqual(await chargesOf(console_, saver.organization.id), [charge])
  assert.deepEqual(await startDue(console_, saver), [charge])
})

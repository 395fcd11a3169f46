import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Ledger } from '../../src/contract/management/operator-ledger.ts'
import type { ProviderDay } from '../../src/contract/payments/provider-day.ts'
import { uuidV7 } from '../../src/lib/uuid.ts'
import { compareBooks } from '../../src/platform/payments/books/compare-books.ts'
import { pollEvents } from '../../src/platform/payments/run-jobs.ts'
import { watchPayments } from '../../src/platform/payments/watch/watch-payments.ts'
import { findPayment } from '../../src/store/payments/payments.ts'
import { postTransfers } from '../../src/store/ledger/post-transfers.ts'
import { checkLedger } from '../harness/figures/check-ledger.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import {
  compareAll,
  daysOf,
  DUE_DAYS,
  inDays,
  postedFees,
  stopPolling,
} from '../harness/payments/book-days.ts'
import { openPaid, pay } from '../harness/payments/paid.ts'
import { startPayingConsole, type PayingConsole } from '../harness/payments/paying-console.ts'
import { payForeignPage, recoverOf } from '../harness/payments/restores.ts'
import { ask, type Answer } from '../harness/processes/console.ts'
import { forgetPoll } from '../harness/seed/poll-state.ts'
import { takeSnapshot } from '../harness/servers/snapshot.ts'

const SOUND = { sum: 0, wrong: [] }

/** With all webhooks lost: the list of events is read now. */
async function poll(console_: PayingConsole): Promise<void> {
  await forgetPoll(console_.postgres.database)
  await pollEvents(console_.environment)
}

async function alerts({ environment, postgres }: PayingConsole): Promise<number> {
  await watchPayments(environment, environment.paymentMetrics!)
  const { rows } = await postgres.pool.query<{ count: number }>(
    `select count(*)::int from queued_emails where facts ->> 'alert' = 'difference'`,
  )
  return rows[0]!.count
}

const stateOf = async ({ postgres }: PayingConsole, id: string) =>
  (await findPayment(postgres.database, id))?.state

const countsOf = (day: Awaited<ReturnType<typeof daysOf>>[number] | undefined) => [
  day?.without_entry,
  day?.without_line,
  day?.awaited,
]

test('books that agree: no difference, and each fee is posted once', async () => {
  await using console_ = await startPayingConsole((config) => ({
    ...config,
    payments: { ...config.payments!, tax: 'provider' },
  }))
  const [one, two, three, four] = [
    await openPaid(console_, '25.00'),
    await openPaid(console_, '10.00'),
    await openPaid(console_, '20.00'),
    await openPaid(console_, '30.00'),
  ]
  const { as } = await console_.openPerson({ platformRole: 'operator' })
  const body = { amount: { amount: '5.00' }, reason: 'asked' }
  const path = `/operator/payments/${one.id}/refunds`
  const headers = { 'idempotency-key': crypto.randomUUID() }
  assert.equal((await ask(console_.root, 'POST', path, { as, body, headers })).status, 201)
  await console_.control.refund(two.moneyRef, 300)
  const won = await console_.control.dispute(three.moneyRef)
  await console_.control.dispute(four.moneyRef)
  await poll(console_)
  await console_.control.closeDispute(won.id, 'won')
  await poll(console_)
  const sums = await console_.control.sums()
  await waitUntil(
    'all to be read',
    async () => (await postedFees(console_)).held === sums.held,
    30_000,
  )
  assert.equal(await compareAll(console_, inDays(2)), 0, 'two days have not passed')
  assert.equal(await compareAll(console_), 2)
  const days = await daysOf(console_)
  const today = days.at(-1)!
  assert.deepEqual(days.map(countsOf), [
    [0, 0, 0],
    [0, 0, 0],
  ])
  assert.deepEqual(
    [today.their_charges, today.their_refunds, today.their_disputes],
    [today.our_charges, today.our_refunds, today.our_disputes],
  )
  assert.equal(today.their_charges, sums.charged * 10_000)
  assert.deepEqual([today.their_fees, today.our_fees], [sums.fees * 10_000, sums.fees * 10_000])
  const posted = await postedFees(console_)
  assert.deepEqual(posted, { cents: sums.fees, held: sums.held - sums.fees, transfers: 7 })
  // As if the row had been lost.
  await console_.postgres.pool.query('delete from provider_days')
  assert.equal(await compareAll(console_), 2)
  assert.deepEqual(await postedFees(console_), posted)
  assert.deepEqual(await checkLedger(console_.postgres.database), SOUND)
  assert.equal(await alerts(console_), 0)
})

test('what nothing told is read as soon as it has no entry, and the difference ends', async () => {
  await using console_ = await startPayingConsole()
  await stopPolling(console_)
  const payer = await console_.openPayer()
  const paid = await pay(console_, payer, '10.00')
  await console_.control.refund(paid.moneyRef, 400)
  const { id } = await pay(console_, payer, '20.00', { read: false })
  await compareBooks(console_.environment, inDays(DUE_DAYS))
  const [day] = await daysOf(console_)
  assert.deepEqual([...countsOf(day), day?.difference], [2, 0, 0, 24_000_000])
  assert.deepEqual(day?.items.map(({ about, missing }) => `${about} ${missing}`).toSorted(), [
    'payment entry',
    'refund entry',
  ])
  assert.equal(await alerts(console_), 0, 'a hint may help')
  const held = (await console_.control.sums()).held
  const isRead = async () => {
    const { cents, held: ours } = await postedFees(console_)
    return (await stateOf(console_, id)) === 'succeeded' && ours + cents === held
  }
  await waitUntil('both to be read', isRead, 30_000)
  assert.deepEqual(countsOf((await daysOf(console_)).at(-1)), [2, 0, 0])
  await compareAll(console_, inDays(DUE_DAYS + 1))
  const after = (await daysOf(console_)).at(-1)!
  assert.deepEqual([...countsOf(after), after.difference], [0, 0, 0, 0])
  assert.deepEqual([after.our_charges, after.our_refunds], [30_000_000, -4_000_000])
  assert.equal(await alerts(console_), 0)
})

test('what hints do not help is an alert, and is compared for thirty days', async () => {
  await using console_ = await startPayingConsole()
  const paid = await openPaid(console_, '10.00')
  // It cannot be read again: nobody knows its page.
  await console_.postgres.pool.query(`delete from transfers where reference = $1`, [
    `payment:${paid.id}`,
  ])
  await compareAll(console_)
  assert.equal(await alerts(console_), 0)
  await compareAll(console_, inDays(DUE_DAYS + 1))
  assert.equal(await alerts(console_), 1)
  const metrics = await (await fetch(`${console_.healthAddress}/metrics`)).text()
  assert.match(metrics, /headrace_payments_provider_difference(\{[^}]*\})? 10\n/)
  assert.equal(await alerts(console_), 1, 'once a day')
  const first = (await daysOf(console_)).at(-1)!
  await compareAll(console_, inDays(DUE_DAYS + 29))
  const last = (await daysOf(console_)).at(-1)!
  assert.ok(last.compared_at > first.compared_at)
  await compareAll(console_, inDays(DUE_DAYS + 31))
  assert.deepEqual((await daysOf(console_)).at(-1)?.compared_at, last.compared_at)
  assert.deepEqual(countsOf(last), [1, 0, 0])
})

test('an entry without a movement is awaited for three days, then it is an alert', async () => {
  await using console_ = await startPayingConsole()
  const { organization } = await openPaid(console_, '10.00')
  const [debit, credit] = ['provider:stripe', `funds:${organization.id}`]
  const reference = `payment:${uuidV7()}`
  const made = { debit, credit, amount: 7_000_000, kind: 'payment', reference } as const
  await console_.postgres.database.transaction().execute(async (transaction) => {
    await postTransfers(transaction, [{ ...made, madeBy: 'test', reason: 'test' }])
  })
  const begin = new Date()
  begin.setUTCHours(0, 0, 0, 0)
  // The day is due, and the entry is a moment younger than three days.
  const midnight = new Date(begin.getTime() + 3 * 86_400_000)
  await compareBooks(console_.environment, midnight)
  assert.deepEqual(countsOf((await daysOf(console_)).at(-1)), [0, 0, 1])
  assert.equal(await alerts(console_), 0)
  await compareAll(console_)
  const day = (await daysOf(console_)).at(-1)!
  assert.deepEqual([...countsOf(day), day.difference], [0, 1, 0, 7_000_000])
  assert.deepEqual([day.their_charges, day.our_charges], [10_000_000, 17_000_000])
  assert.equal(await alerts(console_), 1)
})

test('movements of other products are counted and not compared', async () => {
  await using console_ = await startPayingConsole()
  await openPaid(console_, '10.00')
  const stranger = { name: 'Shop', email: null, organizationId: uuidV7() }
  const customer = await console_.environment.paymentProvider!.createCustomer(stranger)
  const metadata = { payment_id: uuidV7(), organization_id: uuidV7(), kind: 'page' }
  await payForeignPage(console_, customer, { cents: 4_000, metadata })
  await payForeignPage(console_, customer, { cents: 5_000, metadata: { payment_id: 'ours?' } })
  await compareAll(console_)
  const day = (await daysOf(console_)).at(-1)!
  assert.deepEqual([...countsOf(day), day.ignored], [0, 0, 0, 2])
  assert.equal((await postedFees(console_)).transfers, 1)
})

test('fees in another currency are shown, and not posted; amounts agree nevertheless', async () => {
  await using console_ = await startPayingConsole()
  await openPaid(console_, '10.00')
  await console_.control.settleIn('eur')
  await compareAll(console_)
  const day = (await daysOf(console_)).at(-1)!
  assert.deepEqual(countsOf(day), [0, 0, 0])
  assert.deepEqual([day.their_fees, day.our_fees], [0, 0])
  assert.deepEqual(day.other_fees, { EUR: 510_000 })
  assert.equal((await postedFees(console_)).transfers, 0)
})

test('what an operator settled outside is no difference', async () => {
  await using console_ = await startPayingConsole()
  const paid = await openPaid(console_, '10.00')
  const outside = await pay(console_, paid, '20.00', { read: false })
  await console_.postgres.database
    .updateTable('payments')
    .set({ state: 'failed', resolution: 'outside', money_ref: outside.moneyRef })
    .where('id', '=', outside.id)
    .execute()
  await compareAll(console_)
  assert.deepEqual(countsOf((await daysOf(console_)).at(-1)), [0, 0, 0])
  assert.equal((await postedFees(console_)).transfers, 1)
})

test('two processes that compare the same day at once write it once', async () => {
  await using console_ = await startPayingConsole()
  await stopPolling(console_)
  const payer = await console_.openPayer()
  await pay(console_, payer, '10.00')
  await pay(console_, payer, '20.00', { read: false })
  const { pool } = console_.postgres
  const holder = await pool.connect()
  await holder.query(`begin; select from ledger_accounts where id = 'fees' for update`)
  const waiting = async (count: number) => {
    const isWaiting = async () =>
      (
        await pool.query(
          `select from pg_stat_activity where datname = current_database()
           and wait_event_type = 'Lock' and query like '%ledger_accounts%'`,
        )
      ).rowCount === count
    await waitUntil(`${count} to wait`, isWaiting, 30_000)
  }
  const now = inDays(3)
  const one = compareBooks(console_.environment, now)
  await waiting(1)
  // As if the first had lost its lease.
  await pool.query(`update provider_cursors set leased_until = null where name = 'money'`)
  const two = compareBooks(console_.environment, now)
  await waiting(2)
  await holder.query('rollback')
  holder.release()
  await Promise.all([one, two])
  const day = (await daysOf(console_)).at(-1)!
  assert.equal(day.without_entry, 1)
  assert.equal((await postedFees(console_)).transfers, 2)
  assert.equal(await alerts(console_), 0, 'the second was no second comparison')
  assert.deepEqual(await checkLedger(console_.postgres.database), SOUND)
})

test('after a restore payments are recovered, and fees are posted again, once', async () => {
  await using console_ = await startPayingConsole()
  await stopPolling(console_)
  const paid = await openPaid(console_, '10.00')
  const { restore } = await takeSnapshot(console_.databaseUrl)
  await pay(console_, paid, '20.00')
  await compareAll(console_)
  const before = await postedFees(console_)
  await restore()
  await compareAll(console_)
  const lost = (await daysOf(console_)).at(-1)!
  assert.deepEqual([lost.without_entry, lost.items[0]?.about], [1, 'payment'])
  await recoverOf(console_, [paid])
  await compareAll(console_, inDays(DUE_DAYS + 1))
  assert.deepEqual(countsOf((await daysOf(console_)).at(-1)), [0, 0, 0])
  assert.deepEqual(await postedFees(console_), before)
  assert.deepEqual(await checkLedger(console_.postgres.database), SOUND)
})

test('operators list the days, a page at a time, and see what was not compared yet', async () => {
  await using console_ = await startPayingConsole()
  await openPaid(console_, '10.00')
  await compareAll(console_)
  await openPaid(console_, '5.00')
  const { as } = await console_.openPerson({ platformRole: 'operator' })
  const read = async (path: string) => ask(console_.root, 'GET', path, { as })
  const [first, all] = [
    await read('/operator/provider-days?limit=1'),
    await read('/operator/provider-days'),
  ]
  const second = await read(`/operator/provider-days?after=${first.body['next']}`)
  const listed = ({ body }: Answer) => body['data'] as unknown as readonly ProviderDay[]
  assert.deepEqual([...listed(first), ...listed(second)], listed(all))
  assert.deepEqual(
    listed(all).map(({ fees }) => fees.theirs.amount),
    ['0.00', '0.59'],
  )
  for (const after of ['2026-02-31', 'x', '2026-13-01'])
    assert.equal((await read(`/operator/provider-days?after=${after}`)).status, 400)
  const { body } = await read('/operator/ledger')
  const { theirs, ours, not_compared: rest } = body['provider'] as NonNullable<Ledger['provider']>
  assert.deepEqual([theirs.amount, ours.amount, rest.amount], ['9.41', '9.41', '5.00'])
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { pollEvents } from '../../src/platform/payments/run-jobs.ts'
import { balanceOf } from '../../src/store/ledger/double-entry.ts'
import { checkLedger } from '../harness/figures/check-ledger.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import {
  codeOf,
  startPayingConsole,
  type PayingConsole,
} from '../harness/payments/paying-console.ts'
import { openPaid, type Paid } from '../harness/payments/paid.ts'
import { ask, type Headers } from '../harness/processes/console.ts'

let console_: PayingConsole
let operator: Headers

before(async () => {
  // With tax of 19 % on top, as the scripted provider calculates it.
  console_ = await startPayingConsole((config) => ({
    ...config,
    payments: { ...config.payments!, tax: 'provider' },
  }))
  operator = (await console_.openPerson({ platformRole: 'operator' })).as
})
after(async () => console_[Symbol.asyncDispose]())

const refund = async (id: string, amount: string, as = operator, headers = {}) =>
  ask(console_.root, 'POST', `/operator/payments/${id}/refunds`, {
    as,
    headers,
    body: { amount: { amount }, reason: 'asked by mail' },
  })

const show = async (id: string) =>
  (await ask(console_.root, 'GET', `/operator/payments/${id}`, { as: operator }))
    .body as unknown as {
    refunds: { requested_by: string | null }[]
  }

/** Of the organization's balance, in cents, and of the accounts of the platform since the start. */
async function cents({ organization }: Paid): Promise<number> {
  const { balance } = await balanceOf(console_.postgres.database, organization.id)
  return balance / 10_000
}

async function accounts(): Promise<Record<string, number>> {
  const { rows } = await sql<{ id: string; cents: number }>`
    select id, ((credits - debits) / 10000)::int as cents from ledger_accounts
    where id in ('provider:stripe', 'tax', 'refunds_pending')`.execute(console_.postgres.database)
  return Object.fromEntries(rows.map(({ id, cents: sum }) => [id, sum]))
}

/** What changed in the accounts while something was done. */
async function changeOf(act: () => Promise<unknown>): Promise<number[]> {
  const first = await accounts()
  await act()
  const then = await accounts()
  return ['provider:stripe', 'tax', 'refunds_pending'].map((id) => then[id]! - first[id]!)
}

async function refundsOf(id: string) {
  return console_.postgres.database
    .selectFrom('refunds')
    .selectAll()
    .where('payment_id', '=', id)
    .orderBy('id')
    .execute()
}

const statesAre = async (id: string, ...states: string[]) =>
  waitUntil(
    `refunds ${states.join()}`,
    async () => (await refundsOf(id)).map(({ state }) => state).join() === states.join(),
    30_000,
    { seen: () => refundsOf(id) },
  )

/** All three attempts are used up when it was done and nobody here knows. */
const lostAt = (at: string) => [
  { at, when: 'before' as const, status: 503 },
  { at, when: 'before' as const, status: 503 },
  { at, when: 'after' as const },
]

const madeOf = async ({ moneyRef }: Paid) =>
  (await console_.control.objects()).filter(
    (each) => each['payment_intent'] === moneyRef && each.object === 'refund',
  )

const auditedOf = async (targetId: string) => {
  const rows = await console_.postgres.database
    .selectFrom('audit_events')
    .select(['actor_kind', 'action'])
    .where('target_id', '=', targetId)
    .orderBy('id')
    .execute()
  return rows.map(({ actor_kind: kind, action }) => `${kind} ${action}`)
}

test('a refund takes its net part from the balance and its tax part from the tax', async () => {
  const paid = await openPaid(console_, '25.00')
  const moved = await changeOf(async () => {
    const { status, body } = await refund(paid.id, '10.00')
    assert.deepEqual([status, body['state']], [201, 'succeeded'], JSON.stringify(body))
  })
  // 10.00 of 29.75 with 4.75 of tax: 1.60 of tax, 8.40 net.
  assert.deepEqual(moved, [1_000, -160, 0])
  assert.equal(await cents(paid), 2_500 - 840)
  const { sum, wrong } = await checkLedger(console_.postgres.database)
  assert.deepEqual({ sum, wrong }, { sum: 0, wrong: [] })
  const [row] = await refundsOf(paid.id)
  assert.deepEqual(await auditedOf(row!.id), ['person refund.request', 'system refund.settle'])
})

test('in parts all of a payment goes back and no cent more, with all of its tax', async () => {
  const paid = await openPaid(console_, '25.00')
  const moved = await changeOf(async () => {
    for (const amount of ['0.01', '9.99', '0.03', '10.01'])
      assert.equal((await refund(paid.id, amount)).status, 201)
    for (const amount of ['9.72', '0', '-1', '0.001'])
      assert.deepEqual(codeOf(await refund(paid.id, amount)), [400, 'invalid_value'], amount)
    assert.equal((await refund(paid.id, '9.71')).status, 201)
  })
  assert.deepEqual(moved, [2_975, -475, 0])
  assert.equal(await cents(paid), 0)
})

test('an operator refunds more than the balance: it becomes negative', async () => {
  const paid = await openPaid(console_, '25.00')
  await ask(console_.root, 'POST', `/operator/organizations/${paid.organization.id}/transfers`, {
    as: operator,
    body: {
      kind: 'adjustment',
      amount: { amount: '-20' },
      reason: 'used elsewhere',
      reference: `used-${paid.id}`,
    },
  })
  assert.equal((await refund(paid.id, '29.75')).status, 201)
  assert.equal(await cents(paid), -2_000)
})

test('neither a repeated request nor a lost answer or dead provider refunds twice', async () => {
  const paid = await openPaid(console_, '25.00')
  const headers = { 'idempotency-key': 'dialog-refund' }
  await console_.control.script(lostAt('POST /v1/refunds'))
  const first = await refund(paid.id, '5.00', operator, headers)
  // Held, and asked for again until there is an answer.
  assert.deepEqual([first.status, first.body['state']], [201, 'requested'])
  assert.ok((await cents(paid)) < 2_500)
  const second = await refund(paid.id, '5.00', operator, headers)
  assert.equal(second.body.id, first.body.id)
  await statesAre(paid.id, 'succeeded')
  assert.equal((await madeOf(paid)).length, 1)
})

test('a console whose clock is behind that of PostgreSQL refunds once', async () => {
  const paid = await openPaid(console_, '25.00')
  const dated = async (seconds: number) =>
    sql`alter table refunds alter created_at
      set default now() + ${sql.lit(seconds)} * interval '1 second'`.execute(
      console_.postgres.database,
    )
  // The answer is lost before this process gets to the time of the row. Then it asks again.
  await dated(3)
  await console_.control.script(lostAt('POST /v1/refunds'))
  const { body } = await refund(paid.id, '5.00')
  await dated(0)
  assert.equal(body['state'], 'requested')
  await statesAre(paid.id, 'succeeded')
  assert.equal((await madeOf(paid)).length, 1)
})

test('a refund that the provider refuses returns what was held, tax as well', async () => {
  const paid = await openPaid(console_, '25.00')
  // The dashboard was faster, and nobody has told us yet.
  const { database } = console_.postgres
  await sql`update provider_cursors set polled_at = now() + interval '1 hour'`.execute(database)
  const outside = await console_.control.refund(paid.moneyRef, 2_000)
  const moved = await changeOf(async () => {
    const { body } = await refund(paid.id, '10.00')
    assert.deepEqual([body['state'], body['failure']], ['failed', 'charge_already_refunded'])
  })
  assert.deepEqual(moved, [0, 0, 0])
  assert.equal(await cents(paid), 2_500)
  await sql`update provider_cursors set polled_at = null, leased_until = null`.execute(database)
  await pollEvents(console_.environment)
  await statesAre(paid.id, 'failed', 'succeeded')
  const [, found] = await refundsOf(paid.id)
  assert.deepEqual([found!.ref, found!.requested_by], [outside.id, null])
})

test('a refund that the provider works on stays held until it says more', async () => {
  const paid = await openPaid(console_, '25.00')
  for (const [settled, moved] of [
    ['succeeded', [1_000, -160, 0]],
    ['failed', [0, 0, 0]],
  ] as const) {
    await console_.control.pendRefunds(true)
    const first = await accounts()
    const { body } = await refund(paid.id, '10.00')
    await console_.control.pendRefunds(false)
    assert.equal(body['state'], 'pending')
    assert.equal((await accounts())['refunds_pending']! - first['refunds_pending']!, 1_000)
    // Without a hint: whatever is not final is read again.
    const rest = await changeOf(async () => {
      await console_.control.settleRefund(String(body['ref']), settled)
      await waitUntil(
        `a refund ${settled}`,
        async () => (await refundsOf(paid.id)).at(-1)!.state === settled,
        30_000,
      )
    })
    const all = await accounts()
    assert.equal(rest[2], -1_000)
    assert.deepEqual(
      ['provider:stripe', 'tax', 'refunds_pending'].map((id) => all[id]! - first[id]!),
      moved,
    )
  }
})

test('a bank that sends back a refund returns the money, whenever it does', async () => {
  const paid = await openPaid(console_, '25.00')
  const { body } = await refund(paid.id, '10.00')
  await console_.control.settleRefund(String(body['ref']), 'failed')
  const [event] = (await console_.control.events()).toReversed()
  assert.equal(await console_.send(console_.sign(event!)), 200)
  await statesAre(paid.id, 'failed')
  assert.equal(await cents(paid), 2_500)
  assert.equal((await refund(paid.id, '29.75')).body['state'], 'succeeded')
})

test('a refund made in the dashboard is found by its webhook, once, whatever comes', async () => {
  const paid = await openPaid(console_, '25.00')
  const made = await console_.control.refund(paid.moneyRef, 1_000)
  const [event] = (await console_.control.events()).filter(({ data }) => data.object.id === made.id)
  for (let copy = 0; copy < 3; copy += 1)
    assert.equal(await console_.send(console_.sign({ ...event, id: `${event!.id}-${copy}` })), 200)
  await statesAre(paid.id, 'succeeded')
  assert.equal(await cents(paid), 2_500 - 840)
  const { refunds } = await show(paid.id)
  assert.deepEqual([refunds.length, refunds[0]!.requested_by], [1, null])
  const [row] = await refundsOf(paid.id)
  assert.deepEqual(await auditedOf(row!.id), ['system refund.request', 'system refund.settle'])
})

test('a refund of a payment that nobody has read yet waits for the payment', async () => {
  const paid = await openPaid(console_, '25.00', { read: false })
  await console_.control.refund(paid.moneyRef, 1_000)
  const { database } = console_.postgres
  await sql`update payments set next_at = null, state = 'expired' where id = ${paid.id}`.execute(
    database,
  )
  await sql`update provider_cursors set polled_at = null, leased_until = null`.execute(database)
  await pollEvents(console_.environment)
  await statesAre(paid.id, 'succeeded')
  assert.equal(await cents(paid), 2_500 - 840)
})

test('refunds need an operator who has confirmed their identity', async () => {
  const paid = await openPaid(console_, '25.00')
  const support = (await console_.openPerson({ platformRole: 'support' })).as
  assert.equal((await refund(paid.id, '1.00', support)).status, 403)
  assert.equal((await refund(paid.id, '1.00', paid.as)).status, 403)
  const { database } = console_.postgres
  const other = await console_.openPerson({ platformRole: 'operator' })
  await sql`update sessions set confirmed_at = now() - interval '11 minutes'
    where account_id = ${other.accountId}`.execute(database)
  assert.deepEqual(codeOf(await refund(paid.id, '1.00', other.as)), [403, 'confirmation_required'])
  assert.equal((await refund(crypto.randomUUID(), '1.00')).status, 404)
  assert.equal((await refundsOf(paid.id)).length, 0)
})

test('an organization with a refund on its way cannot be deleted', async () => {
  const paid = await openPaid(console_, '25.00')
  await console_.control.pendRefunds(true)
  await refund(paid.id, '29.75')
  await console_.control.pendRefunds(false)
  const gone = await ask(
    console_.root,
    'DELETE',
    `/operator/organizations/${paid.organization.id}`,
    {
      as: operator,
    },
  )
  assert.deepEqual(codeOf(gone), [409, 'conflict'])
})

test('no operator can type the reference of a refund or a dispute', async () => {
  const paid = await openPaid(console_, '25.00')
  for (const prefix of ['refund:', 'dispute:', 'payment:', 'tax:']) {
    const path = `/operator/organizations/${paid.organization.id}/transfers`
    const body = { kind: 'grant', amount: { amount: '1' }, reason: 'x', reference: `${prefix}1` }
    assert.equal((await ask(console_.root, 'POST', path, { as: operator, body })).status, 409)
  }
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { pollEvents } from '../../src/platform/payments/run-jobs.ts'
import { watchPayments } from '../../src/platform/payments/watch/watch-payments.ts'
import { readMetrics, risesOf } from '../harness/figures/metrics-page.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { FORGERIES } from '../harness/payments/deliver-webhooks.ts'
import { WEBHOOK_SECRET } from '../harness/payments/payment-settings.ts'
import {
  start,
  startPayingConsole,
  type PayingConsole,
} from '../harness/payments/paying-console.ts'
import { startConsole } from '../harness/processes/console.ts'
import { DAY_QUERY } from '../harness/seed/provider-day.ts'

let console_: PayingConsole

before(async () => {
  console_ = await startPayingConsole()
})
after(async () => console_[Symbol.asyncDispose]())

const OURS = /^headrace_(payment|provider)/

async function read(address = console_.healthAddress) {
  return new Map([...(await readMetrics(address))].filter(([name]) => OURS.test(name)))
}

async function risesFrom(run: () => Promise<void>): Promise<Record<string, number>> {
  const earlier = await read()
  await run()
  return risesOf(earlier, await read())
}

async function hour(id: string, column: 'created_at' | 'next_at') {
  await sql`update payments set ${sql.ref(column)} = now() + interval '1 hour'
    where id = ${id}`.execute(console_.postgres.database)
}

test('every series exists before the first payment, and each event raises its own', async () => {
  const payer = await console_.openPayer()
  const paid = 'headrace_payments_total{kind="page",state="succeeded"}'
  const rises = await risesFrom(async () => {
    const { id, page } = await start(payer)
    // Nobody but the customer's return reads it.
    await hour(id, 'next_at')
    await console_.control.complete(page)
    await payer.post(`/payments/${id}/check`)
    await payer.post(`/payments/${id}/check`)
  })
  for (const state of ['created', 'open', 'succeeded'])
    assert.equal(rises[`headrace_payments_total{kind="page",state="${state}"}`], 1, state)
  assert.equal(rises[paid], 1)
  assert.equal(rises['headrace_payment_hints_total{source="return",result="new"}'], 1)
  assert.equal(rises['headrace_payment_hints_total{source="return",result="repeated"}'], 1)
  assert.equal(rises['headrace_payment_credit_seconds_count'], 1)
  const asked = 'headrace_provider_requests_total{operation="POST checkout/sessions",status="2xx"}'
  assert.equal((await read()).get(asked), 1)
})

test('hints are counted by source, and whether they are new, repeated or forged', async () => {
  const payer = await console_.openPayer()
  const { page } = await start(payer)
  await console_.control.complete(page, 'declined')
  await console_.control.complete(page)
  const events = await console_.control.events()
  const declined = events.find(({ type }) => type === 'payment_intent.payment_failed')!
  const rises = await risesFrom(async () => {
    await console_.send(console_.sign(declined))
    await console_.send(console_.sign(declined))
    await console_.send(FORGERIES['no signature']!(declined, WEBHOOK_SECRET))
    const { database } = console_.postgres
    await sql`update provider_cursors set polled_at = null, leased_until = null`.execute(database)
    await pollEvents(console_.environment)
  })
  const heard = (source: string, result: string) =>
    rises[`headrace_payment_hints_total{source="${source}",result="${result}"}`]
  assert.equal(heard('webhook', 'new'), 1)
  assert.equal(heard('webhook', 'repeated'), 1)
  assert.equal(heard('webhook', 'forged'), 1)
  assert.ok((heard('poll', 'new') ?? 0) >= 2, 'paid page and invoice were heard of in the list')
  assert.ok((heard('poll', 'repeated') ?? 0) >= 1)
  assert.equal(rises['headrace_payment_declines_total'], 1)
})

test('the gauges tell what waits, what needs an operator and what was not credited', async () => {
  const { database } = console_.postgres
  await sql`update payments set state = 'expired', next_at = null
    where state in ('created', 'open')`.execute(database)
  const payer = await console_.openPayer()
  const [waiting, strange] = [await start(payer), await start(payer)]
  await sql`update payments set state = 'attention', next_at = null
    where id = ${strange.id}`.execute(database)
  await hour(waiting.id, 'next_at')
  await sql`update payments set created_at = now() - interval '20 minutes'
    where id = ${waiting.id}`.execute(database)
  await sql`insert into provider_events (id, type, ref, source, made_at)
    values ('evt_paid', 'checkout.session.completed', ${waiting.page}, 'webhook',
      now() - interval '11 minutes')`.execute(database)
  await sql`update provider_cursors set polled_at = now() - interval '2 hours',
    leased_until = now() + interval '1 hour'`.execute(database)
  await console_.postgres.pool.query(DAY_QUERY, [3, 12_500_000])
  for (const [state, changed] of [
    ['open', '1 hour'],
    ['inquiry', '25 hours'],
    ['lost', '1 hour'],
  ])
    await sql`insert into disputes (id, payment_id, organization_id, state, amount, reason, ref,
        changed_at)
      values (gen_random_uuid(), ${strange.id}, ${payer.organization.id}, ${state}, 1, 'unknown',
        ${`dp_${state}`}, now() - ${changed}::interval)`.execute(database)
  for (const paused of [true, false])
    await sql`insert into automatic_top_ups (organization_id, threshold, amount, month_max,
        day_max, consent, consented_by, paused, paused_at)
      values (${(await console_.openOrganization()).id}, 1, 1, 1, 1, '1', ${payer.accountId},
        ${paused ? 'declined' : null}, ${paused ? new Date() : null})`.execute(database)
  await watchPayments(console_.environment, console_.environment.paymentMetrics!)
  const metrics = await read()
  assert.equal(metrics.get('headrace_payment_disputes_new'), 1)
  assert.equal(metrics.get('headrace_payments_provider_difference'), 12.5)
  assert.equal(metrics.get('headrace_payments_pending'), 1)
  assert.equal(metrics.get('headrace_payments_attention'), 1)
  assert.equal(metrics.get('headrace_payments_top_ups_paused'), 1)
  assert.equal(metrics.get('headrace_payments_uncredited'), 1)
  assert.ok(metrics.get('headrace_payment_oldest_seconds')! >= 1_200)
  assert.ok(metrics.get('headrace_provider_poll_age_seconds')! >= 7_200)
})

test('a request that got no answer is counted as one', async () => {
  const asked = 'headrace_provider_requests_total{operation="POST checkout/sessions",status="none"}'
  await console_.control.script([{ at: 'POST /v1/checkout/sessions', when: 'before' }])
  await start(await console_.openPayer())
  await waitUntil('the attempt', async () => (await read()).get(asked) === 1, 10_000)
})

test('without payments no series of them is on the page', async () => {
  await using without = await startConsole()
  assert.deepEqual([...(await read(without.healthAddress)).keys()], [])
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { observeDispute } from '../../src/platform/payments/returned-money/observe-dispute.ts'
import { pollEvents } from '../../src/platform/payments/run-jobs.ts'
import { readWarnings } from '../../src/platform/payments/watch/read-warnings.ts'
import { sendEmails } from '../../src/platform/payments/watch/send-emails.ts'
import { watchPayments } from '../../src/platform/payments/watch/watch-payments.ts'
import { queueEmail } from '../../src/store/payments/queued-emails.ts'
import { findOrganization } from '../../src/store/tenants/organizations.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { openPaid } from '../harness/payments/paid.ts'
import {
  start,
  startPayingConsole,
  type PayingConsole,
} from '../harness/payments/paying-console.ts'
import { startMailServer } from '../harness/servers/smtp.ts'

const FROM = 'Headrace <no-reply@example.com>'

let mail: Awaited<ReturnType<typeof startMailServer>>
let console_: PayingConsole

before(async () => {
  mail = await startMailServer()
  console_ = await startPayingConsole((config) => ({
    ...config,
    smtp_url: mail.url,
    console: { ...config.console, email_from: FROM },
  }))
})
after(async () => {
  await console_[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})

const stopping = new AbortController().signal

async function emailsOf(key: string, from = console_) {
  const { rows } = await sql<{
    key: string
    delivered: string[]
    sent: boolean
    givenUp: boolean
  }>`select key, delivered, sent_at is not null as sent, given_up_at is not null as "givenUp"
    from queued_emails where key like ${`${key}%`} order by key`.execute(from.postgres.database)
  return rows
}

const received = (address: string) => mail.emails.filter(({ to }) => to.includes(address))

test('whoever owns the organization is told once of what was paid, with the balance', async () => {
  const payer = await console_.openPayer()
  const { id, page } = await start(payer)
  await console_.control.complete(page)
  await payer.post(`/payments/${id}/check`)
  await payer.post(`/payments/${id}/check`)
  const isSent = async () => (await emailsOf(`paid:${id}`))[0]?.sent === true
  await waitUntil('the email to be sent', isSent, 30_000)
  await sendEmails(console_.environment, stopping)
  const [message, ...more] = received(payer.email)
  assert.deepEqual(more, [])
  assert.match(message!.text, /25\.00 USD was added/)
  assert.match(message!.text, /balance is now 25\.00 USD/)
  assert.match(message!.text, /\/o\/[^/]+\/billing/)
  assert.deepEqual((await emailsOf(`paid:${id}`))[0]?.delivered, [], 'no address is kept')
})

test('a payment that is rolled back leaves no email', async () => {
  const { database } = console_.postgres
  const failed = database.transaction().execute(async (transaction) => {
    const facts = { amount: 1 }
    const kind = 'payment_paid'
    await queueEmail(transaction, { key: 'paid:lost', kind, organizationId: null, facts })
    throw new Error('rolled back')
  })
  await assert.rejects(failed, /rolled back/)
  assert.deepEqual(await emailsOf('paid:lost'), [])
})

test('operators are told once a day of payments that need a decision', async () => {
  const operator = await console_.openPerson({ platformRole: 'operator' })
  const payer = await console_.openPayer()
  const { id } = await start(payer)
  const { database } = console_.postgres
  await sql`update payments set state = 'attention', next_at = null
    where id = ${id}`.execute(database)
  for (let run = 0; run < 3; run += 1)
    await watchPayments(console_.environment, console_.environment.paymentMetrics!)
  const isSent = async () => (await emailsOf('alert:attention'))[0]?.sent === true
  await waitUntil('the alert to be sent', isSent, 30_000)
  assert.equal(received(operator.email).length, 1)
  assert.match(received(operator.email)[0]!.text, /payment\.attention/)
  assert.ok(received(operator.email)[0]!.text.includes(`/operator/payments/${id}`))
  assert.ok(!/^\d+$/m.test(received(operator.email)[0]!.text), 'a number alone says nothing')
  assert.deepEqual(received(payer.email), [], 'owners are not told')
})

test('a payment to decide is told although another was decided on the same day', async () => {
  const { database } = console_.postgres
  const payer = await console_.openPayer()
  const turn = async (id: string, state: string) => {
    await sql`update payments set state = ${state}, next_at = null, changed_at = now()
      where id = ${id}`.execute(database)
    await watchPayments(console_.environment, console_.environment.paymentMetrics!)
    return (await emailsOf('alert:attention')).length
  }
  const [older, newer] = [await start(payer), await start(payer)]
  const told = await turn(newer.id, 'attention')
  assert.equal(await turn(newer.id, 'failed'), told)
  assert.equal(await turn(older.id, 'attention'), told + 1, 'whichever was begun first')
  await turn(older.id, 'failed')
})

test('operators are told of a list of events that was never read', async () => {
  await using fresh = await startPayingConsole()
  const { database } = fresh.postgres
  const watch = async () => {
    await watchPayments(fresh.environment, fresh.environment.paymentMetrics!)
    return (await emailsOf('alert:poll', fresh)).length
  }
  const polled = sql`select from provider_cursors where name = 'events' and polled_at is not null`
  const isPolled = async () => (await polled.execute(database)).rows.length > 0
  await waitUntil('the first poll of the process', isPolled, 30_000)
  await sql`update provider_cursors set at = now() - interval '1 year', polled_at = null,
    leased_until = null, begun_at = null where name = 'events'`.execute(database)
  assert.equal(await watch(), 0, 'nobody has begun')
  // The key of the process lacks the right to read it.
  await fresh.control.script(
    Array.from({ length: 9 }, () => ({ at: 'GET /v1/events', when: 'before', status: 403 })),
  )
  await assert.rejects(pollEvents(fresh.environment), /403/)
  assert.equal(await watch(), 0, 'it has just begun')
  await sql`update provider_cursors set begun_at = begun_at - interval '61 minutes'`.execute(
    database,
  )
  assert.equal(await watch(), 1)
})

test('each thing that is wrong has its own alert, and what is right has none', async () => {
  const { database } = console_.postgres
  await sql`update provider_cursors set polled_at = now() - interval '2 hours',
    leased_until = now() + interval '1 hour'`.execute(database)
  for (let count = 0; count < 6; count += 1)
    await sql`insert into provider_events (id, type, about, ref, source)
      values (${`evt_poll_${count}`}, 'invoice.paid', 'payment', 'in_none', 'poll')`.execute(
      database,
    )
  const metrics = console_.environment.paymentMetrics!
  for (let count = 0; count < 10; count += 1) metrics.heard('webhook', 'forged')
  await watchPayments(console_.environment, metrics)
  const names = async () =>
    (await emailsOf('alert:')).map(({ key }) => key.split(':')[1]).filter((n) => n !== 'attention')
  assert.deepEqual(await names(), ['poll', 'webhook'])
  metrics.heard('webhook', 'forged')
  await watchPayments(console_.environment, metrics)
  assert.deepEqual(await names(), ['forged', 'poll', 'webhook'])
})

test('operators are told once of each payment that a bank suspects, owners are not', async () => {
  const operator = await console_.openPerson({ platformRole: 'operator' })
  const { id, moneyRef, organization, email } = await openPaid(console_, '25.00')
  for (let warnings = 0; warnings < 2; warnings += 1) {
    const from = (await console_.control.events()).length
    await console_.control.warn(moneyRef)
    const [event] = await console_.control.events(from)
    assert.equal(await console_.send(console_.sign(event!)), 200)
    await readWarnings(console_.environment)
  }
  const isSent = async () => (await emailsOf('alert:warning'))[0]?.sent === true
  await waitUntil('the alert to be sent', isSent, 30_000)
  await sendEmails(console_.environment, stopping)
  const isWarning = ({ subject }: { readonly subject: string }) => subject.includes('fraud')
  const [message, ...more] = received(operator.email).filter(isWarning)
  assert.deepEqual(more, [])
  const { name } = await findOrganization(console_.postgres.database, organization.id)
  assert.ok(message!.text.includes(`"${name}"`), message!.text)
  assert.ok(message!.text.includes(`/operator/payments/${id}`), message!.text)
  assert.deepEqual(received(email).filter(isWarning), [])
})

test('operators are told when a bank asks about a payment, and takes the money', async () => {
  const operator = await console_.openPerson({ platformRole: 'operator' })
  const { id, moneyRef, organization, email } = await openPaid(console_, '25.00')
  const { id: dispute } = await console_.control.dispute(moneyRef, { inquiry: true })
  const isDispute = ({ subject }: { readonly subject: string }) => subject.includes('disputed')
  const told = () => received(operator.email).filter(isDispute)
  const seen = async (count: number) => {
    await observeDispute(console_.environment, dispute)
    await observeDispute(console_.environment, dispute)
    await waitUntil('the alert to be sent', () => told().length === count, 30_000)
    await sendEmails(console_.environment, stopping)
    assert.equal(told().length, count)
  }
  await seen(1)
  await console_.control.escalate(dispute)
  await seen(2)
  await console_.control.closeDispute(dispute, 'lost')
  await seen(2)
  const { name } = await findOrganization(console_.postgres.database, organization.id)
  for (const { text } of told())
    for (const part of [`"${name}"`, '25.00 USD', `/operator/payments/${id}`])
      assert.ok(text.includes(part), text)
  assert.deepEqual(received(email).filter(isDispute), [])
})

test('a mail server that refuses gets the email again, and others do not', async () => {
  const { database } = console_.postgres
  const payer = await console_.openPayer()
  mail.refuseWith = 451
  await queueEmail(database, {
    key: 'paid:again',
    kind: 'payment_paid',
    organizationId: payer.organization.id,
    facts: { amount: 5_000_000 },
  })
  const tries = async () =>
    (
      await sql`select from queued_emails where key = 'paid:again' and attempts > 0
      and next_at > now()`.execute(database)
    ).rows.length > 0
  await waitUntil('a first try', tries, 30_000)
  assert.deepEqual(received(payer.email), [])
  mail.refuseWith = null
  await waitUntil(
    'the email to be sent',
    async () => {
      await sql`update queued_emails set next_at = now() where key = 'paid:again'
        and next_at < now() + interval '60 seconds'`.execute(database)
      return (await emailsOf('paid:again'))[0]?.sent === true
    },
    30_000,
  )
  assert.equal(received(payer.email).length, 1)
})

test('without a mail server nothing waits for one', async () => {
  await using without = await startPayingConsole()
  const { database } = without.postgres
  const facts = { alert: 'poll', about: '' }
  await queueEmail(database, { key: 'a', kind: 'payment_alert', organizationId: null, facts })
  await sql`insert into queued_emails (key, kind, made_at)
    values ('old', 'payment_alert', now() - interval '91 days')`.execute(database)
  await sendEmails(without.environment, stopping)
  assert.deepEqual(
    (await emailsOf('', without)).map(({ key, givenUp }) => [key, givenUp]),
    [['a', true]],
  )
})

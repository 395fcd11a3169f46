import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import type { PayingConsole } from '../harness/payments/paying-console.ts'
import { ask } from '../harness/processes/console.ts'
import {
  awaitState,
  openLowSaver,
  startDue,
  SETTINGS,
  startTopUpConsole,
  type Saver,
} from '../harness/payments/top-ups.ts'
import { urlForProcess } from '../harness/servers/database.ts'
import { startMailServer, type MailServer } from '../harness/servers/smtp.ts'

const TIMEOUT_MS = 60_000

let mail: MailServer
let console_: PayingConsole

before(async () => {
  mail = await startMailServer()
  console_ = await startTopUpConsole((config) => ({
    ...config,
    smtp_url: mail.url,
    console: { ...config.console, email_from: 'Headrace <no-reply@example.com>' },
  }))
})
after(async () => {
  await console_[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})

/** All emails about it that were queued are sent, and not queued any more. */
async function awaitSent({ organization }: Saver, count: number): Promise<void> {
  const isSent = async () => {
    const { rows } = await console_.postgres.pool.query(
      `select from queued_emails where organization_id = $1 and kind like 'top_up_%'
         and sent_at is not null`,
      [organization.id],
    )
    return rows.length === count
  }
  await waitUntil(`${count} emails`, isSent, TIMEOUT_MS)
}

/** But for those about payments that were received. */
const emailsTo = ({ email }: Saver) =>
  mail.emails.filter(({ to, text }) => to.includes(email) && !/added to|gutgeschrieben/.test(text))

test('owners get the link to confirm a charge, once, in their language', async () => {
  const saver = await openLowSaver(console_)
  await console_.postgres.pool.query(`update accounts set language = 'de' where id = $1`, [
    saver.accountId,
  ])
  await console_.control.script([], ['authentication_required'])
  const [charge] = await startDue(console_, saver)
  await awaitState(console_, charge, 'needs_customer')
  await saver.post(`/payments/${charge}/check`)
  await awaitSent(saver, 1)
  const [message, ...others] = emailsTo(saver)
  assert.match(message?.text ?? '', /^Die Bank bittet Sie, die automatische .+ 25\.00 USD/m)
  assert.match(message?.text ?? '', /^https:\/\/pay\.stripe\.example\/invoices\/\S+$/m)
  assert.deepEqual(others, [])
})

test('billing contacts are told of a charge to confirm, and only owners get its link', async () => {
  const saver = await openLowSaver(console_)
  const contact = `${crypto.randomUUID()}@example.com`
  const path = `/organizations/${saver.organization.id}/billing-contacts`
  const emails = [contact, saver.email.toUpperCase()]
  const set = await ask(console_.root, 'PUT', path, { as: saver.as, body: { emails } })
  assert.equal(set.status, 200, set.text)
  await console_.control.script([], ['authentication_required'])
  const [charge] = await startDue(console_, saver)
  await awaitState(console_, charge, 'needs_customer')
  await awaitSent(saver, 1)
  const [message, ...others] = emailsTo(saver)
  assert.match(message?.text ?? '', /^https:\/\/pay\.stripe\.example\/invoices\/\S+$/m)
  assert.deepEqual(others, [])
  const notice = await mail.take(contact, 'A payment of 25.00 USD waits')
  assert.ok(!notice.source.includes('pay.stripe.example'))
  assert.match(notice.text, /^http:\/\/localhost:8081\/o\/\S+\/billing$/m)
})

test('owners are told of each decline, and once by the worker of a bound', async () => {
  const url = urlForProcess(console_.databaseUrl, 'worker')
  await using worker = openPostgres(url, { queryTimeoutMs: TIMEOUT_MS })
  const saver = await openLowSaver(console_)
  await console_.control.script([], ['insufficient_funds'])
  const [charge] = await startDue(console_, saver)
  await awaitState(console_, charge, 'failed')
  await console_.postgres.pool.query(
    'update automatic_top_ups set not_before = null where organization_id = $1',
    [saver.organization.id],
  )
  const asWorker = { ...console_, postgres: worker }
  for (let turn = 0; turn < 3; turn += 1) await startDue(asWorker, saver, { perDay: 1 })
  await awaitSent(saver, 2)
  // Nothing of it meets the next test.
  await saver.put({ enabled: false })
  const subjects = emailsTo(saver).map(({ subject }) => subject.replace(/ \(.*/, ''))
  assert.deepEqual(subjects.toSorted(), [
    'An automatic top-up failed',
    'Automatic top-up has reached its limit',
  ])
})

test('an email that is sent late says what was true, and leads where it still helps', async () => {
  const { pool } = console_.postgres
  const saver = await openLowSaver(console_)
  mail.refuseWith = 451
  await console_.control.script([], ['authentication_required'])
  const [charge] = await startDue(console_, saver)
  const { ref } = await awaitState(console_, charge, 'needs_customer')
  await console_.control.confirm(ref!)
  await saver.post(`/payments/${charge}/check`)
  await awaitState(console_, charge, 'succeeded')
  await saver.post('/automatic-top-up/resume')
  await saver.put({ ...SETTINGS, month_max: { amount: '30.00' } })
  await saver.spendTo(1)
  assert.equal((await startDue(console_, saver)).length, 1)
  await saver.put({ ...SETTINGS, month_max: { amount: '999.00' } })
  mail.refuseWith = null
  await pool.query(`update queued_emails set next_at = now() where organization_id = $1`, [
    saver.organization.id,
  ])
  await awaitSent(saver, 2)
  const texts = emailsTo(saver).map(({ text }) => text)
  const bound = texts.find((text) => text.includes('30.00 USD'))
  const confirm = texts.find((text) => text.includes('The bank asks you'))
  assert.match(bound ?? '', /the maximum you set per month/)
  assert.match(confirm ?? '', /^http:\/\/localhost:8081\/o\/\S+\/billing$/m)
  assert.ok(!texts.join('').includes('pay.stripe.example'))
  await saver.put({ enabled: false })
})

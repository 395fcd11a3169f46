import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { waitUntil } from '../harness/figures/measure.ts'
import type { PayingConsole } from '../harness/payments/paying-console.ts'
import {
  awaitState,
  openLowSaver,
  startDue,
  startTopUpConsole,
  type Saver,
} from '../harness/payments/top-ups.ts'
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

/** All letters about it that were queued are sent, and not queued any more. */
async function awaitSent({ organization }: Saver, count: number): Promise<void> {
  const isSent = async () => {
    const { rows } = await console_.postgres.pool.query(
      'select from top_up_letters where organization_id = $1 and next_at is null',
      [organization.id],
    )
    return rows.length === count
  }
  await waitUntil(`${count} letters`, isSent, TIMEOUT_MS)
}

/** But for those about payments that were received. */
const lettersTo = ({ email }: Saver) =>
  mail.letters.filter(({ to, text }) => to.includes(email) && !/added to|gutgeschrieben/.test(text))

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
  const [letter, ...others] = lettersTo(saver)
  assert.match(letter?.text ?? '', /^Die Bank bittet Sie, die automatische .+ 25\.00 USD/m)
  assert.match(letter?.text ?? '', /^https:\/\/pay\.stripe\.example\/invoices\/\S+$/m)
  assert.deepEqual(others, [])
})

test('owners are told of each decline, and of a bound once in its day or month', async () => {
  const saver = await openLowSaver(console_)
  await console_.control.script([], ['insufficient_funds'])
  const [charge] = await startDue(console_, saver)
  await awaitState(console_, charge, 'failed')
  await console_.postgres.pool.query(
    'update automatic_top_ups set not_before = null where organization_id = $1',
    [saver.organization.id],
  )
  for (let turn = 0; turn < 3; turn += 1) await startDue(console_, saver, { perDay: 1 })
  await awaitSent(saver, 2)
  // Nothing of it meets the next test.
  await saver.put({ enabled: false })
  const subjects = lettersTo(saver).map(({ subject }) => subject.replace(/ \(.*/, ''))
  assert.deepEqual(subjects.toSorted(), [
    'An automatic top-up failed',
    'Automatic top-up has reached its limit',
  ])
})

test('a letter that the mail server refuses is sent again, to those who lack it', async () => {
  const saver = await openLowSaver(console_)
  mail.refuseWith = 451
  await console_.control.script([], ['declined'])
  const [charge] = await startDue(console_, saver)
  await awaitState(console_, charge, 'failed')
  const pool = console_.postgres.pool
  const isTried = async () => {
    const { rows } = await pool.query(
      `select from top_up_letters where organization_id = $1 and attempts = 1
         and next_at < now() + interval '1 minute'`,
      [saver.organization.id],
    )
    return rows.length === 1
  }
  await waitUntil('the first attempt', isTried, TIMEOUT_MS)
  assert.deepEqual(lettersTo(saver), [])
  mail.refuseWith = null
  await pool.query('update top_up_letters set next_at = now() where organization_id = $1', [
    saver.organization.id,
  ])
  await awaitSent(saver, 1)
  assert.match(lettersTo(saver)[0]?.subject ?? '', /^Automatic top-up is paused/)
})

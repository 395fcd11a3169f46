import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { observeRefund } from '../../src/platform/payments/returned-money/observe-refund.ts'
import { noteExpiringCards } from '../../src/platform/payments/watch/note-expiring-cards.ts'
import { sendEmails } from '../../src/platform/payments/watch/send-emails.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import type { PayingConsole } from '../harness/payments/paying-console.ts'
import { openPaid } from '../harness/payments/paid.ts'
import { openSaver, SETTINGS, startTopUpConsole, type Saver } from '../harness/payments/top-ups.ts'
import { ask } from '../harness/processes/console.ts'
import { startMailServer, type MailServer } from '../harness/servers/smtp.ts'

const stopping = new AbortController().signal

let mail: MailServer
let console_: PayingConsole

before(async () => {
  mail = await startMailServer()
  console_ = await startTopUpConsole((config) => ({
    ...config,
    smtp_url: mail.url,
    console: { ...config.console, email_from: 'Headrace <no-reply@example.com>' },
    payments: { ...config.payments!, tax: 'provider' },
  }))
})
after(async () => {
  await console_[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})

/** The emails of an address about something, when so many have come and no more are queued. */
async function emailsTo(email: string, about: RegExp, count: number): Promise<string[]> {
  const found = () => mail.emails.filter(({ to, text }) => to.includes(email) && about.test(text))
  await sendEmails(console_.environment, stopping)
  await waitUntil(`${count} emails`, () => found().length >= count, 30_000)
  await sendEmails(console_.environment, stopping)
  assert.equal(found().length, count)
  return found().map(({ text }) => text)
}

async function speak(accountId: string, language: string): Promise<void> {
  await sql`update accounts set language = ${language} where id = ${accountId}`.execute(
    console_.postgres.database,
  )
}

const REFUND = /was refunded|wurden erstattet|已退还/
const IN = {
  en: /11\.90 USD .* was refunded[^]*lower by 10\.00 USD and is now 15\.00 USD/,
  de: /11\.90 USD .* wurden erstattet[^]*um 10\.00 USD niedriger und beträgt jetzt 15\.00 USD/,
  'zh-CN': /退还 11\.90 USD[^]*减少 10\.00 USD，现为 15\.00 USD/,
}

for (const language of ['en', 'de', 'zh-CN'] as const)
  test(`owners are told once of a refund in their language: ${language}`, async () => {
    const { id, moneyRef, email, accountId } = await openPaid(console_, '25.00')
    await speak(accountId, language)
    const { as } = await console_.openPerson({ platformRole: 'operator' })
    await console_.control.pendRefunds(true)
    const { body } = await ask(console_.root, 'POST', `/operator/payments/${id}/refunds`, {
      as,
      body: { amount: { amount: '11.90' }, reason: 'asked by mail' },
    })
    await console_.control.pendRefunds(false)
    assert.equal(body['state'], 'pending', JSON.stringify(body))
    await emailsTo(email, REFUND, 0)
    const ref = String(body['ref'])
    await console_.control.settleRefund(ref, 'succeeded')
    for (let reading = 0; reading < 2; reading += 1) await observeRefund(console_.environment, ref)
    const [text] = await emailsTo(email, REFUND, 1)
    assert.match(text!, IN[language])
    assert.match(text!, /\/o\/[^/]+\/billing/)
    // What is made in the dashboard is told in the same way.
    const { id: outside } = await console_.control.refund(moneyRef, 100)
    await observeRefund(console_.environment, outside)
    await emailsTo(email, REFUND, 2)
  })

/** The kept card of a saver expires so many months after this one. */
async function expireIn({ organization }: Saver, months: number, ref = 'pm_1'): Promise<void> {
  await sql`update provider_customers set card_ref = ${ref},
      card_expires_month = extract(month from day), card_expires_year = extract(year from day)
    from (select (now() at time zone 'utc') + ${months} * interval '1 month' as day) as given
    where organization_id = ${organization.id}`.execute(console_.postgres.database)
}

const CARD = /\) (expires at the end|läuft Ende)|月底到期/

for (const language of ['en', 'de', 'zh-CN'] as const)
  test(`owners are told once that the card of automatic top-up expires: ${language}`, async () => {
    const saver = await openSaver(console_)
    await speak(saver.accountId, language)
    const look = async () => noteExpiringCards(console_.environment)
    await expireIn(saver, 0)
    await look()
    await emailsTo(saver.email, CARD, 0)
    assert.equal((await saver.put(SETTINGS)).status, 200)
    await expireIn(saver, 1)
    await look()
    await emailsTo(saver.email, CARD, 0)
    await expireIn(saver, 0)
    await look()
    await look()
    const [text] = await emailsTo(saver.email, CARD, 1)
    assert.match(text!, /visa .*4242/i)
    assert.match(text!, /\/o\/[^/]+\/billing/)
    await expireIn(saver, 0, 'pm_2')
    await look()
    await emailsTo(saver.email, CARD, 2)
  })

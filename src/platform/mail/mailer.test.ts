import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { keepLines } from '../../../test/harness/lines.ts'
import { waitUntil } from '../../../test/harness/figures/measure.ts'
import { startMailServer } from '../../../test/harness/servers/smtp.ts'
import { isAddress } from './address.ts'
import type { Email } from './emails.ts'
import { openMailer } from './mailer.ts'

const PUBLIC_URL = 'https://console.example.com/'
const LINK = 'https://console.example.com/verify#token=abc'
const VERIFY: Email = { kind: 'sign_up', link: LINK }
const languageOf = () => Promise.resolve(null)
const FROM = 'Headrace <no-reply@example.com>'

async function startMail(t: TestContext) {
  const server = await startMailServer()
  const lines = keepLines()
  const mailer = openMailer(
    { smtpUrl: server.url, from: FROM, publicUrl: PUBLIC_URL, languageOf },
    lines.log,
  )
  t.after(async () => {
    await mailer[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })
  return { server, mailer, lines }
}

/** Spellings that a mail library could take for further recipients or headers. */
const INJECTIONS = [
  'a@example.com\r\nBcc: evil@example.com',
  'a@example.com\nBcc: evil@example.com',
  'a@example.com\rBcc: evil@example.com',
  'a@example.com\u2028Bcc: evil@example.com',
  'a@example.com\u0085Bcc:evil@example.com',
  'a@example.com, evil@example.com',
  'a@example.com;evil@example.com',
  'A <evil@example.com>',
  '"a@example.com" <evil@example.com>',
  'a@example.com\u0000',
  'group:evil@example.com;',
  'evil@example.com(a@example.com)',
  ' a@example.com',
  'a@b@example.com',
  'example.com',
  `${'a'.repeat(250)}@example.com`,
]

test('an email arrives as text and HTML, at its recipient only', async (t) => {
  const { server, mailer } = await startMail(t)
  mailer.send('jane+test@example.com', VERIFY)
  const message = await server.take('jane+test@example.com')
  assert.deepEqual([message.from, message.to], ['no-reply@example.com', ['jane+test@example.com']])
  assert.equal(message.subject, 'Confirm your email address (console.example.com)')
  assert.match(message.text, /^Headrace at console\.example\.com\r\n/)
  assert.ok(message.text.includes(LINK))
  assert.match(message.text, /because somebody entered this address to sign up\.\s*$/)
  assert.match(message.source, /^Auto-Submitted: auto-generated\r$/im)
  assert.match(message.source, /text\/html/)
})

test('whatever is not one address is refused, and nobody is sent anything', async (t) => {
  const { server, mailer } = await startMail(t)
  for (const address of INJECTIONS) {
    assert.equal(isAddress(address), false, JSON.stringify(address))
    assert.throws(() => mailer.send(address, VERIFY), TypeError)
  }
  mailer.send('last@example.com', VERIFY)
  await server.take('last@example.com')
  assert.deepEqual(server.emails, [])
})

test('names in an email start no header, no line and no element', async (t) => {
  const { server, mailer } = await startMail(t)
  const name = 'Acme\r\nBcc: evil@example.com\r\n\r\n<script>alert(1)</script>'
  const fields = { link: LINK, organization: name, role: 'member', inviter: name }
  mailer.send('jane@example.com', { kind: 'invitation', ...fields })
  const message = await server.take('jane@example.com')
  assert.deepEqual(message.to, ['jane@example.com'])
  const [head = ''] = message.source.split('\r\n\r\n')
  assert.doesNotMatch(head, /^bcc:/im)
  assert.match(message.text.split('\r\n')[2] ?? '', /invites you/)
  assert.match(message.text, /You join as a member\./)
  const html = message.source.slice(message.source.indexOf('text/html')).replaceAll('=\r\n', '')
  assert.doesNotMatch(html, /<script/)
  assert.match(html, /&lt;script&gt;/)
  assert.equal(html.match(/<a /g)?.length, 1)
})

test('an email that is refused for now is sent again, and does not hold up others', async (t) => {
  const { server, mailer, lines } = await startMail(t)
  server.refuseWith = 451
  mailer.send('jane@example.com', VERIFY)
  await waitUntil('a line in the log', () => lines.lines.length > 0, 20_000)
  server.refuseWith = null
  mailer.send('joe@example.com', VERIFY)
  await server.take('joe@example.com')
  await server.take('jane@example.com')
  assert.ok(!JSON.stringify(lines.lines).includes('jane'))
})

test('an email that is refused for good is given up', async (t) => {
  const { server, mailer, lines } = await startMail(t)
  server.refuseWith = 550
  mailer.send('jane@example.com', VERIFY)
  await waitUntil('a line in the log', () => lines.lines.length > 0, 20_000)
  assert.match(JSON.stringify(lines.lines), /email could not be sent/)
  assert.ok(!JSON.stringify(lines.lines).includes('jane'))
})

test('at most 1,000 emails wait; further ones are dropped and logged', async () => {
  const lines = keepLines()
  await using mailer = openMailer(
    { smtpUrl: 'smtp://127.0.0.1:1', from: FROM, publicUrl: PUBLIC_URL, languageOf },
    lines.log,
  )
  for (let sent = 0; sent < 1_003; sent += 1) mailer.send('jane@example.com', VERIFY)
  const dropped = lines.lines.filter((line) => JSON.stringify(line).includes('dropped'))
  assert.equal(dropped.length, 3)
})

test('without settings nothing is sent', () => {
  assert.equal(
    openMailer(
      { smtpUrl: undefined, from: FROM, publicUrl: PUBLIC_URL, languageOf },
      keepLines().log,
    ).configured,
    false,
  )
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { appCode } from '../../harness/clients/authenticator-app.ts'
import { ask } from '../../harness/processes/console.ts'
import {
  browserOf,
  deviceOf,
  openPersonWithPassword,
  PASSWORD,
  signIn,
  startMailingConsole,
} from '../../harness/clients/sign-in.ts'

const SUBJECT = 'A new device signed in to your account (localhost:8081)'
const EMAILS_PER_DAY = 10

const service = await startMailingConsole()
after(() => service[Symbol.asyncDispose]())

/** Emails that the console has handed to its mailer, sent or not. */
function watchEmails() {
  const { mailer } = service.server.environment
  const kinds: string[] = []
  const send = mailer.send.bind(mailer)
  mailer.send = (address, message) => {
    kinds.push(message.kind)
    send(address, message)
  }
  return { kinds, [Symbol.dispose]: () => void (mailer.send = send) }
}

test('a device that was not used before is told by email, the very first is not', async () => {
  using watched = watchEmails()
  const { server, mail } = service
  const { email } = await openPersonWithPassword(server)
  const first = deviceOf(await signIn(server, email))
  const again = deviceOf(await signIn(server, email, PASSWORD, first))
  assert.notDeepEqual(again, first)
  assert.deepEqual(watched.kinds, [])
  await signIn(server, email)
  const { text, subject } = await mail.take(email)
  assert.equal(subject, SUBJECT)
  assert.match(text, /http:\/\/localhost:8081\/account\/security/)
  assert.deepEqual(watched.kinds, ['new_device'])
})

test('a device is known when its sign-in is complete, not after the password alone', async () => {
  const { server } = service
  const { email } = await openPersonWithPassword(server)
  const as = browserOf(await signIn(server, email))
  const begun = await ask(server.root, 'POST', '/me/totp', { as, body: {} })
  const secret = String(begun.body['secret'])
  const confirm = { as, body: { code: appCode(secret, 0) } }
  await ask(server.root, 'POST', '/me/totp/confirm', confirm)
  using watched = watchEmails()
  const half = await signIn(server, email)
  assert.equal(half.body['second_factor'], 'required')
  assert.equal(half.cookies.length, 1)
  assert.deepEqual(watched.kinds, [])
  const whole = await ask(server.root, 'POST', '/sessions/second-factor', {
    as: browserOf(half),
    body: { code: appCode(secret, 1) },
  })
  assert.deepEqual([whole.status, whole.cookies.length], [200, 2])
  assert.deepEqual(watched.kinds, ['new_device'])
})

test('ten emails about new devices are sent to one address a day', async () => {
  const { server } = service
  const { email } = await openPersonWithPassword(server)
  using watched = watchEmails()
  for (let count = 0; count < EMAILS_PER_DAY + 3; count += 1)
    assert.equal((await signIn(server, email)).status, 201)
  assert.equal(watched.kinds.length, EMAILS_PER_DAY)
})

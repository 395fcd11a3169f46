import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, startConsole } from '../../harness/console.ts'
import { openConsoleOrganization } from '../../harness/console-members.ts'
import { waitUntil } from '../../harness/measure.ts'
import {
  browserOf,
  openPersonWithPassword,
  PASSWORD,
  signIn,
  startMailingConsole,
  STRANGER,
  tokenIn,
} from '../../harness/sign-in.ts'

const EMAIL = 'jane@example.com'
const BODY = { email: EMAIL, password: PASSWORD }

test('closed: the answer is the same, and nothing is stored or sent', async () => {
  await using service = await startMailingConsole()
  const { server, mail } = service
  const answer = await ask(server.root, 'POST', '/sign-ups', { as: STRANGER, body: BODY })
  assert.deepEqual([answer.status, answer.text], [202, ''])
  const { email } = await openPersonWithPassword(server)
  const body = { email }
  // Work after answers is done in order.
  await ask(server.root, 'POST', '/password-resets', { as: STRANGER, body })
  await mail.take(email)
  assert.deepEqual(mail.letters, [])
  const rows = await server.postgres.database.selectFrom('sign_ups').selectAll().execute()
  assert.deepEqual(rows, [])
})

test('closed: who is invited may sign up, and waits for nobody', async () => {
  await using service = await startMailingConsole()
  const { server, mail } = service
  const organization = await openConsoleOrganization(server)
  const invited = await organization.owner.ask('POST', '/invitations', { body: { email: EMAIL } })
  assert.equal(invited.status, 201)
  const invitation = tokenIn((await mail.take(EMAIL)).text)
  const body = { ...BODY, email: EMAIL.toUpperCase() }
  await ask(server.root, 'POST', '/sign-ups', { as: STRANGER, body })
  const token = tokenIn((await mail.take(EMAIL)).text)
  const verified = await ask(server.root, 'POST', '/email-verifications', {
    as: STRANGER,
    body: { token },
  })
  assert.equal(verified.status, 204)
  const as = browserOf(await signIn(server, EMAIL))
  assert.equal((await ask(server.root, 'GET', '/me', { as })).body['state'], 'active')
  const accepted = await ask(server.root, 'POST', '/invitations/accept', {
    as,
    body: { token: invitation },
  })
  assert.equal(accepted.status, 200)
})

test('open without e-mail: the account works at once, its address unconfirmed', async () => {
  await using server = await startConsole((config) => ({
    ...config,
    console: { ...config.console, sign_up: 'open' },
  }))
  const answer = await ask(server.root, 'POST', '/sign-ups', { as: STRANGER, body: BODY })
  assert.deepEqual([answer.status, answer.text], [202, ''])
  let browser
  await waitUntil(async () => {
    const signedIn = await signIn(server, EMAIL)
    if (signedIn.status === 201) browser = browserOf(signedIn)
    return signedIn.status === 201
  }, 20_000)
  const me = await ask(server.root, 'GET', '/me', { as: browser ?? STRANGER })
  assert.deepEqual([me.body['state'], me.body['email_verified']], ['active', false])
  const other = { ...BODY, password: 'another-password-here' }
  await ask(server.root, 'POST', '/sign-ups', { as: STRANGER, body: other })
  assert.equal((await signIn(server, EMAIL)).status, 201)
})

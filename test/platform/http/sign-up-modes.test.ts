import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../../harness/processes/console.ts'
import { openConsoleOrganization } from '../../harness/clients/console-members.ts'
import {
  browserOf,
  openPersonWithPassword,
  PASSWORD,
  startMailingConsole,
  STRANGER,
  tokenIn,
} from '../../harness/clients/sign-in.ts'

const EMAIL = `${crypto.randomUUID()}@example.com`

test('closed: the answer is the same, and nothing is stored or sent', async () => {
  await using service = await startMailingConsole()
  const { server, mail } = service
  const asked = { email: EMAIL }
  const answer = await ask(server.root, 'POST', '/sign-ups', { as: STRANGER, body: asked })
  assert.deepEqual([answer.status, answer.text], [202, ''])
  const { email } = await openPersonWithPassword(server)
  const body = { email }
  // Work after answers is done in order.
  await ask(server.root, 'POST', '/password-resets', { as: STRANGER, body })
  await mail.take(email)
  assert.deepEqual(mail.emails, [])
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
  const body = { email: EMAIL.toUpperCase() }
  await ask(server.root, 'POST', '/sign-ups', { as: STRANGER, body })
  const token = tokenIn((await mail.take(EMAIL)).text)
  const verified = await ask(server.root, 'POST', '/sign-ups/complete', {
    as: STRANGER,
    body: { token, password: PASSWORD },
  })
  assert.equal(verified.status, 201)
  const as = browserOf(verified)
  assert.equal((await ask(server.root, 'GET', '/me', { as })).body['state'], 'active')
  const accepted = await ask(server.root, 'POST', '/invitations/accept', {
    as,
    body: { token: invitation },
  })
  assert.equal(accepted.status, 200)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../../src/config/load.ts'
import { createAccount } from '../../../src/platform/sign-in/accounts/create-account.ts'
import { addMember } from '../../../src/platform/members/add-member.ts'
import { ask, startConsole, type TestConsole } from '../../harness/processes/console.ts'
import { openConsoleOrganization } from '../../harness/clients/console-members.ts'
import {
  browserOf,
  PASSWORD,
  signIn,
  STRANGER,
  tokenIn,
  untilWorkIsDone,
} from '../../harness/clients/sign-in.ts'

const EMAIL = 'ceo@corp.example'
const SHELL = { kind: 'operator_shell', name: 'root', request: null } as const

/** Without email, as the service is shipped. */
function startWithoutMail(settings: Partial<Config['console']> = {}) {
  return startConsole((config) => ({ ...config, console: { ...config.console, ...settings } }))
}

async function signUp(server: TestConsole, more: object = {}) {
  const body = { email: EMAIL, password: PASSWORD, ...more }
  const answer = await ask(server.root, 'POST', '/sign-ups', { as: STRANGER, body })
  assert.deepEqual([answer.status, answer.text], [202, ''])
  await untilWorkIsDone(server)
}

async function readMe(server: TestConsole) {
  const signedIn = await signIn(server, EMAIL)
  assert.equal(signedIn.status, 201, signedIn.text)
  const as = browserOf(signedIn)
  return { as, me: (await ask(server.root, 'GET', '/me', { as })).body }
}

/** The link is shown to whoever invites. */
async function inviteByLink(server: TestConsole, email = EMAIL) {
  const { owner } = await openConsoleOrganization(server)
  const invited = await owner.ask('POST', '/invitations', { body: { email, role: 'admin' } })
  assert.equal(invited.status, 201, invited.text)
  return tokenIn(String(invited.body['link']))
}

test('shipped settings: an invited address is of no use without the link', async () => {
  await using server = await startWithoutMail()
  assert.equal(server.config.console.sign_up, 'closed')
  assert.equal(server.config.smtp_url, undefined)
  const token = await inviteByLink(server)
  const foreign = await inviteByLink(server, 'somebody-else@corp.example')
  await signUp(server)
  await signUp(server, { invitation: 'A'.repeat(43) })
  await signUp(server, { invitation: foreign })
  assert.equal((await signIn(server, EMAIL)).status, 401)
  await signUp(server, { invitation: token })
  const { as, me } = await readMe(server)
  assert.deepEqual([me['state'], me['email_verified']], ['active', false])
  const body = { token }
  const accepted = await ask(server.root, 'POST', '/invitations/accept', { as, body })
  assert.equal(accepted.status, 200, accepted.text)
})

test('shipped settings: without an invitation there is no account', async () => {
  await using server = await startWithoutMail()
  await signUp(server)
  assert.equal((await signIn(server, EMAIL)).status, 401)
})

test('open: an invited address needs the link too', async () => {
  await using server = await startWithoutMail({ sign_up: 'open' })
  const token = await inviteByLink(server)
  await signUp(server)
  assert.equal((await signIn(server, EMAIL)).status, 401)
  await signUp(server, { invitation: token })
  assert.equal((await readMe(server)).me['email_verified'], false)
})

test('open: the account works at once, its address unconfirmed', async () => {
  await using server = await startWithoutMail({ sign_up: 'open' })
  const without = await ask(server.root, 'POST', '/sign-ups', {
    as: STRANGER,
    body: { email: EMAIL },
  })
  assert.deepEqual([without.status, without.body.error.param], [400, 'password'])
  await signUp(server)
  const { me } = await readMe(server)
  assert.deepEqual([me['state'], me['email_verified']], ['active', false])
  await signUp(server, { password: 'another-password-here' })
  assert.equal((await signIn(server, EMAIL)).status, 201)
})

test('waiting: an unconfirmed address of a listed domain waits like any other', async () => {
  const settings = { sign_up: 'waiting', sign_up_domains: ['corp.example'] } as const
  await using server = await startWithoutMail(settings)
  await signUp(server)
  const { me } = await readMe(server)
  assert.deepEqual([me['state'], me['email_verified']], ['waiting', false])
})

test('an unconfirmed address gets no right by its name; the id of its account does', async () => {
  await using server = await startWithoutMail({ sign_up: 'open' })
  await signUp(server)
  const { me } = await readMe(server)
  const operator = await server.openPerson({ platformRole: 'operator' })
  const create = (slug: string, owner: string) =>
    ask(server.root, 'POST', '/operator/organizations', {
      as: operator.as,
      body: { slug, name: slug, owner },
    })
  const refused = await create('corp', EMAIL)
  assert.equal(refused.body.error.code, 'conflict')
  assert.ok(refused.body.error.message.includes(me.id))
  assert.equal((await create('corp', me.id)).status, 201)
  const change = (account: string) =>
    ask(server.root, 'PATCH', `/operator/accounts/${account}`, {
      as: operator.as,
      body: { platform_role: 'support' },
    })
  assert.equal((await change(EMAIL)).body.error.code, 'conflict')
  const { id: organization } = await server.openOrganization()
  const add = (account: string) =>
    addMember(server.environment, SHELL, { organization, account, role: 'admin' })
  await assert.rejects(add(EMAIL), { name: 'ApiError', message: /never confirmed/ })
  await add(me.id)
})

test('an address that the operator named may get rights by that name', async () => {
  await using server = await startWithoutMail()
  const account = { email: EMAIL, state: 'active', registered: true } as const
  await createAccount(server.environment, SHELL, account)
  const { id: organization } = await server.openOrganization()
  const input = { organization, account: EMAIL, role: 'owner' } as const
  assert.equal((await addMember(server.environment, SHELL, input)).role, 'owner')
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask } from '../../harness/processes/console.ts'
import {
  browserOf,
  openPersonWithPassword,
  PASSWORD,
  signIn,
  startMailingConsole,
  STRANGER,
  tokenIn,
} from '../../harness/clients/sign-in.ts'

const OTHER_PASSWORD = 'seven-lamps-and-a-boat'

let people = 0

const service = await startMailingConsole({
  sign_up: 'waiting',
  trusted_proxies: 1,
  terms: { version: '2', url: 'https://example.com/terms' },
})
after(() => service[Symbol.asyncDispose]())

function newAddress(): string {
  people += 1
  return `new-${people}@example.com`
}

async function post(path: string, body: unknown, as = STRANGER) {
  return ask(service.server.root, 'POST', path, { as, body })
}

test('password resets that a stranger asks for leave the owner an email', async () => {
  const { email } = await openPersonWithPassword(service.server)
  const from = (network: string) =>
    post('/password-resets', { email }, { ...STRANGER, 'x-forwarded-for': network })
  for (let times = 0; times < 7; times += 1) await from('203.0.113.9')
  for (let times = 0; times < 5; times += 1) await service.mail.take(email, 'new password')
  await from('198.51.100.1')
  const token = tokenIn((await service.mail.take(email, 'new password')).text)
  const body = { token, password: OTHER_PASSWORD }
  assert.ok((await post('/password-resets/complete', body)).status < 300)
  await service.mail.take(email, 'was changed')
})

test('a reset link sets the password once, ends all sessions and voids other links', async () => {
  const { email, as } = await openPersonWithPassword(service.server)
  const links = []
  for (let times = 0; times < 2; times += 1) {
    assert.equal((await post('/password-resets', { email })).status, 202)
    links.push(tokenIn((await service.mail.take(email, 'new password')).text))
  }
  const [first, second] = links
  const weak = await post('/password-resets/complete', { token: first, password: 'short' })
  assert.equal(weak.body.error.param, 'password')
  const body = { token: first, password: OTHER_PASSWORD }
  assert.equal((await post('/password-resets/complete', body)).status, 200)
  await service.mail.take(email, 'was changed')
  assert.equal((await ask(service.server.root, 'GET', '/me', { as })).status, 401)
  assert.equal((await signIn(service.server, email)).status, 401)
  assert.equal((await signIn(service.server, email, OTHER_PASSWORD)).status, 201)
  for (const token of [first, second]) {
    const again = await post('/password-resets/complete', { token, password: PASSWORD })
    assert.deepEqual([again.status, again.body.error.param], [400, 'token'])
  }
})

test('a reset for an unknown or restricted address sends nothing and tells nothing', async () => {
  const { email } = await openPersonWithPassword(service.server, { state: 'restricted' })
  for (const address of [email, 'nobody-here@example.com']) {
    const answer = await post('/password-resets', { email: address })
    assert.deepEqual([answer.status, answer.text], [202, ''])
  }
  const { email: last } = await openPersonWithPassword(service.server)
  await post('/password-resets', { email: last })
  await service.mail.take(last)
  assert.deepEqual(service.mail.emails, [])
})

test('a reset lets somebody in whose address was under attack', async () => {
  const { email } = await openPersonWithPassword(service.server)
  for (let guess = 0; guess < 11; guess += 1) await signIn(service.server, email, `guess ${guess}`)
  assert.equal((await signIn(service.server, email)).status, 429)
  await post('/password-resets', { email })
  const token = tokenIn((await service.mail.take(email, 'new password')).text)
  await post('/password-resets/complete', { token, password: OTHER_PASSWORD })
  assert.equal((await signIn(service.server, email, OTHER_PASSWORD)).status, 201)
})

test('a new password ends the other sessions, keeps this one and voids links', async () => {
  const { email, as: other } = await openPersonWithPassword(service.server)
  await post('/password-resets', { email })
  const token = tokenIn((await service.mail.take(email, 'new password')).text)
  const here = browserOf(await signIn(service.server, email))
  const body = { password: OTHER_PASSWORD }
  const changed = await ask(service.server.root, 'PUT', '/me/password', { as: here, body })
  assert.equal(changed.status, 204, changed.text)
  await service.mail.take(email, 'was changed')
  assert.equal((await ask(service.server.root, 'GET', '/me', { as: here })).status, 200)
  assert.equal((await ask(service.server.root, 'GET', '/me', { as: other })).status, 401)
  const reset = await post('/password-resets/complete', { token, password: PASSWORD })
  assert.equal(reset.body.error.param, 'token')
})

test('dangerous changes of the own account need a confirmation', async () => {
  const { as } = await service.server.openPerson({ confirmed: false })
  for (const [method, path, body] of [
    ['PUT', '/me/password', { password: OTHER_PASSWORD }],
    ['POST', '/me/email', { email: newAddress() }],
    ['DELETE', '/sessions', undefined],
  ] as const) {
    const answer = await ask(service.server.root, method, path, { as, body })
    assert.equal(answer.body.error.code, 'confirmation_required', path)
  }
})

test('a new address is used once its link is, and the old one is told', async () => {
  const { email, as } = await openPersonWithPassword(service.server)
  const next = newAddress()
  assert.equal((await post('/me/email', { email: next }, as)).status, 202)
  const link = await service.mail.take(next, 'Confirm your new')
  const notice = await service.mail.take(email, 'is being changed')
  assert.equal(tokenIn(notice.text), '')
  await post('/password-resets', { email })
  const sentToOld = tokenIn((await service.mail.take(email, 'new password')).text)
  assert.equal((await signIn(service.server, next)).status, 401)
  const token = tokenIn(link.text)
  const seen = await post('/email-verifications/look-up', { token })
  assert.deepEqual(seen.body, { email: next, account: email })
  assert.ok(link.text.includes(email))
  assert.equal((await signIn(service.server, next)).status, 401)
  assert.equal((await post('/email-verifications', { token })).status, 204)
  assert.equal((await signIn(service.server, next)).status, 201)
  assert.equal((await signIn(service.server, email)).status, 401)
  const body = { token: sentToOld, password: OTHER_PASSWORD }
  assert.equal((await post('/password-resets/complete', body)).body.error.param, 'token')
})

test('asking for the address of somebody else answers the same and gives no link', async () => {
  const { as } = await openPersonWithPassword(service.server)
  const { email: taken } = await openPersonWithPassword(service.server)
  const answer = await post('/me/email', { email: taken }, as)
  assert.deepEqual([answer.status, answer.text], [202, ''])
  const message = await service.mail.take(taken)
  assert.equal(tokenIn(message.text), '')
})

test('registration needs the current terms, and opens the organization routes', async () => {
  const { as } = await service.server.openPerson({ registered: false })
  const create = { slug: `org-${crypto.randomUUID().slice(0, 8)}`, name: 'Mine' }
  const early = await post('/organizations', create, as)
  assert.equal(early.body.error.code, 'onboarding_pending')
  const old = await post('/me/registration', { name: 'Jane', terms_version: '1' }, as)
  assert.equal(old.body.error.param, 'terms_version')
  const body = { name: 'Jane', terms_version: '2', organization: create }
  const done = await post('/me/registration', body, as)
  assert.equal(done.status, 200, done.text)
  assert.deepEqual([done.body['registered'], done.body['name']], [true, 'Jane'])
  assert.equal((await post('/me/registration', body, as)).status, 409)
  const second = { slug: `${create.slug}-2`, name: 'Second' }
  assert.equal((await post('/organizations', second, as)).status, 201)
  assert.equal((await post('/organizations', second, as)).status, 409)
  const listed = await ask(service.server.root, 'GET', '/me/organizations', { as })
  assert.deepEqual(
    listed.body.data.map(({ slug, role }) => [slug, role]),
    [
      [second.slug, 'owner'],
      [create.slug, 'owner'],
    ],
  )
  const keys = await ask(service.server.root, 'GET', `/organizations/${create.slug}/keys`, { as })
  assert.equal(keys.status, 200)
})

test('an account on the waiting list can neither register nor create an organization', async () => {
  const { as } = await service.server.openPerson({ state: 'waiting', registered: false })
  assert.equal((await ask(service.server.root, 'GET', '/me', { as })).status, 200)
  for (const [path, body] of [
    ['/me/registration', { name: 'Jane', terms_version: '2' }],
    ['/organizations', { slug: 'waiting', name: 'Waiting' }],
  ] as const)
    assert.equal((await post(path, body, as)).body.error.code, 'platform_access_required')
})

test('a name is changed by its owner only and audited before and after', async () => {
  const { as, accountId } = await service.server.openPerson()
  const answer = await ask(service.server.root, 'PATCH', '/me', { as, body: { name: 'New Name' } })
  assert.equal(answer.body['name'], 'New Name')
  const bad = await ask(service.server.root, 'PATCH', '/me', { as, body: { name: 'a\nb' } })
  assert.equal(bad.status, 400)
  const event = await service.server.postgres.database
    .selectFrom('audit_events')
    .select('changes')
    .where('actor_id', '=', accountId)
    .executeTakeFirstOrThrow()
  assert.deepEqual(event.changes, { name: ['Test Person', 'New Name'] })
})

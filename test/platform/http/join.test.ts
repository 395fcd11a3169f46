import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, type Headers } from '../../harness/processes/console.ts'
import {
  openConsoleOrganization,
  type ConsoleOrganization,
} from '../../harness/clients/console-members.ts'
import {
  browserOf,
  PASSWORD,
  signIn,
  startMailingConsole,
  STRANGER,
  tokenIn,
  untilWorkIsDone,
} from '../../harness/clients/sign-in.ts'

const terms = { version: '3', url: 'https://example.com/terms' }
const service = await startMailingConsole({ sign_up: 'waiting', terms })
after(() => service[Symbol.asyncDispose]())

async function post(path: string, body: object, as: Headers = STRANGER) {
  return ask(service.server.root, 'POST', path, { as, body })
}

async function invite({ owner }: ConsoleOrganization, facts: object = {}) {
  const email = `${crypto.randomUUID()}@example.com`
  const invited = await owner.ask('POST', '/invitations', { body: { email, ...facts } })
  assert.equal(invited.status, 201, invited.text)
  const token = tokenIn((await service.mail.take(email)).text)
  return { email, token, id: invited.body.id }
}

function person(token: string) {
  return { token, name: 'Grace Weir', password: PASSWORD, terms_version: '3' }
}

async function next(token: string): Promise<unknown> {
  return (await post('/invitations/look-up', { token })).body['next']
}

async function accountOf(email: string) {
  const { database } = service.server.postgres
  return database.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirst()
}

/** As if the inviter had got the link to pass on, because no email could be sent then. */
async function passOn(id: string): Promise<void> {
  await service.server.postgres.database
    .updateTable('invitations')
    .set({ emailed: false })
    .where('id', '=', id)
    .execute()
}

test('who was invited by email is in with one form, and waits for nobody', async () => {
  const organization = await openConsoleOrganization(service.server)
  const { email, token } = await invite(organization, { role: 'admin' })
  const shown = await post('/invitations/look-up', { token })
  assert.deepEqual([shown.body['next'], shown.body['terms']], ['join', terms])
  const { terms_version: _, ...silent } = person(token)
  const unread = await post('/invitations/join', silent)
  assert.equal(unread.body.error.param, 'terms_version')
  const weak = await post('/invitations/join', { ...person(token), password: 'password1234' })
  assert.equal(weak.body.error.param, 'password')
  assert.equal(await accountOf(email), undefined)
  const joined = await post('/invitations/join', person(token))
  assert.deepEqual([joined.status, joined.body['second_factor']], [201, 'complete'])
  const as = browserOf(joined)
  const me = (await ask(service.server.root, 'GET', '/me', { as })).body
  const { state, registered, email_verified: verified, name } = me
  assert.deepEqual([state, registered, verified, name], ['active', true, true, 'Grace Weir'])
  const { root } = service.server
  const inside = await ask(root, 'GET', `/organizations/${organization.id}/members`, { as })
  assert.equal(inside.status, 200, inside.text)
  const events = await organization.events()
  assert.deepEqual(
    events.map(({ action }) => action),
    ['invitation.create', 'invitation.join'],
  )
  assert.ok(!JSON.stringify(events).includes(token))
  assert.equal((await signIn(service.server, email)).status, 201)
})

test('an invitation gives no right to create organizations until an operator admits', async () => {
  const { token, email } = await invite(await openConsoleOrganization(service.server))
  const as = browserOf(await post('/invitations/join', person(token)))
  const { root } = service.server
  const mayCreate = async () =>
    (await ask(root, 'GET', '/me', { as })).body['may_create_organizations']
  const create = () => post('/organizations', { slug: `own-${Date.now()}`, name: 'Own' }, as)
  assert.equal(await mayCreate(), false)
  assert.equal((await create()).body.error.code, 'role_required')
  const operator = await service.server.openPerson({ platformRole: 'operator' })
  const id = (await accountOf(email))?.id ?? ''
  const admitted = await post('/operator/accounts/admit', { ids: [id] }, operator.as)
  assert.equal((admitted.body['admitted'] as unknown[]).length, 1, admitted.text)
  assert.equal(await mayCreate(), true)
  assert.equal((await create()).status, 201)
})

test('404 and 409: of several uses of one link one makes an account', async () => {
  const organization = await openConsoleOrganization(service.server)
  const { token, email } = await invite(organization)
  const answers = await Promise.all([1, 2, 3].map(() => post('/invitations/join', person(token))))
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.ok(answers.every(({ status }) => [201, 404, 409].includes(status)))
  const again = await post('/invitations/join', person(token))
  assert.equal(again.status, 404)
  assert.equal(again.text, (await post('/invitations/join', person('A'.repeat(43)))).text)
  assert.ok(await accountOf(email))
})

test('404: a link ends with the invitation, its giver and its organization', async () => {
  const organization = await openConsoleOrganization(service.server)
  const admin = await organization.open('admin')
  const withdrawn = await invite(organization)
  await organization.owner.ask('DELETE', `/invitations/${withdrawn.id}`)
  const orphaned = await invite({ ...organization, owner: admin })
  await organization.owner.ask('DELETE', `/members/${admin.accountId}?keys=stop`)
  const last = await invite(organization)
  const { database } = service.server.postgres
  await database
    .updateTable('organizations')
    .set({ deleted_at: new Date() })
    .where('id', '=', organization.id)
    .execute()
  for (const { token, email } of [withdrawn, orphaned, last]) {
    assert.equal((await post('/invitations/join', person(token))).status, 404)
    assert.equal(await accountOf(email), undefined)
  }
})

test('409: a link that somebody passed on proves no address, and leads back', async () => {
  const { token, email, id } = await invite(await openConsoleOrganization(service.server))
  await passOn(id)
  assert.equal(await next(token), 'confirm')
  assert.equal((await post('/invitations/join', person(token))).status, 409)
  assert.equal(await accountOf(email), undefined)
  await post('/sign-ups', { email, invitation: token })
  const message = (await service.mail.take(email)).text
  assert.ok(message.includes(`&invitation=${token}`), message)
  // Whoever holds another invitation cannot put it into the email of this address.
  const foreign = await invite(await openConsoleOrganization(service.server))
  await post('/sign-ups', { email, invitation: foreign.token })
  assert.ok(!(await service.mail.take(email)).text.includes('invitation='))
  await post('/sign-ups/complete', { token: tokenIn(message), password: PASSWORD })
  const as = browserOf(await signIn(service.server, email))
  const state = async () => (await ask(service.server.root, 'GET', '/me', { as })).body['state']
  assert.equal(await state(), 'waiting')
  assert.equal((await post('/invitations/accept', { token }, as)).status, 200)
  assert.equal(await state(), 'active')
  await untilWorkIsDone(service.server)
})

test('somebody who waits is let in by an invitation only if the address is proven', async () => {
  const organization = await openConsoleOrganization(service.server)
  for (const emailed of [true, false]) {
    const guest = await service.server.openPerson({ state: 'waiting', registered: false })
    const { database } = service.server.postgres
    const facts = { email_verified_at: null }
    await database.updateTable('accounts').set(facts).where('id', '=', guest.accountId).execute()
    const body = { email: guest.email }
    const { id } = (await organization.owner.ask('POST', '/invitations', { body })).body
    const token = tokenIn((await service.mail.take(guest.email)).text)
    assert.equal(await next(token), 'sign_in')
    assert.equal((await post('/invitations/join', person(token))).status, 409)
    if (!emailed) await passOn(id)
    assert.equal((await post('/invitations/accept', { token }, guest.as)).status, 200)
    const { state, by_invitation: invited } = (await accountOf(guest.email)) ?? {}
    assert.deepEqual([state, invited], emailed ? ['active', true] : ['waiting', false])
  }
})

test('409: where only SSO is allowed no password is chosen', async () => {
  const organization = await openConsoleOrganization(service.server)
  const { token, email } = await invite(organization)
  const { database } = service.server.postgres
  const rule = { sso_only: true }
  await database.updateTable('organizations').set(rule).where('id', '=', organization.id).execute()
  assert.equal(await next(token), 'sso')
  assert.equal((await post('/invitations/join', person(token))).status, 409)
  assert.equal(await accountOf(email), undefined)
  const elsewhere = await openConsoleOrganization(service.server)
  const invited = { email: `${crypto.randomUUID()}@sso.example.com` }
  await elsewhere.owner.ask('POST', '/invitations', { body: invited })
  const other = tokenIn((await service.mail.take(invited.email)).text)
  assert.equal(await next(other), 'join')
  await database
    .insertInto('sso_domains')
    .values({
      id: crypto.randomUUID(),
      organization_id: organization.id,
      domain: 'sso.example.com',
      challenge: 'x',
      verified_at: new Date(),
    })
    .execute()
  assert.equal(await next(other), 'sso')
})

test('an organization that requires a second factor gets it before anything else', async () => {
  const organization = await openConsoleOrganization(service.server)
  const { token } = await invite(organization)
  await service.server.postgres.database
    .updateTable('organizations')
    .set({ second_factor_required: true })
    .where('id', '=', organization.id)
    .execute()
  const joined = await post('/invitations/join', person(token))
  assert.deepEqual([joined.status, joined.body['second_factor']], [201, 'enrol'])
  const as = browserOf(joined)
  const { root } = service.server
  const inside = await ask(root, 'GET', `/organizations/${organization.id}/members`, { as })
  assert.equal(inside.body.error.code, 'second_factor_required')
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setPassword } from '../../../src/store/sign-in/passwords.ts'
import { lockAccount } from '../../../src/store/tenants/accounts.ts'
import { untilSomeoneWaits } from '../../harness/servers/lock-wait.ts'
import { hashPassword } from '../../../src/platform/sign-in/identity/password.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { ask, startConsole } from '../../harness/processes/console.ts'
import {
  browserOf,
  openPersonWithPassword,
  PASSWORD,
  signIn,
  STRANGER,
} from '../../harness/clients/sign-in.ts'

const server = await startConsole()
after(() => server[Symbol.asyncDispose]())

test('201: the session is in a __Host- cookie and its token in no body and no row', async () => {
  const { email, accountId } = await openPersonWithPassword(server)
  const answer = await signIn(server, email.toUpperCase())
  assert.equal(answer.status, 201, answer.text)
  const [cookie = ''] = answer.cookies
  const [, token = ''] =
    /^__Host-headrace_session=([\w-]{43}); Path=\/; Secure; HttpOnly; SameSite=Lax$/.exec(cookie) ??
    []
  assert.equal(token.length, 43, cookie)
  assert.ok(!answer.text.includes(token))
  assert.equal(answer.body['second_factor'], 'complete')
  const me = await ask(server.root, 'GET', '/me', { as: browserOf(answer) })
  assert.equal(me.body['email'], email)
  const { database } = server.postgres
  const events = await database
    .selectFrom('audit_events')
    .selectAll()
    .where('target_id', '=', accountId)
    .execute()
  assert.deepEqual(
    events.map(({ action }) => action),
    ['session.create'],
  )
  const rows = await database.selectFrom('sessions').selectAll().execute()
  assert.ok(!JSON.stringify([events, rows]).includes(token))
})

test('a wrong password is in the audit log once a minute, with its network', async () => {
  const { email, accountId } = await openPersonWithPassword(server)
  const refusals = async () =>
    server.postgres.database
      .selectFrom('audit_events')
      .selectAll()
      .where('target_id', '=', accountId)
      .where('action', '=', 'session.refuse')
      .execute()
  for (let guess = 1; guess <= 5; guess += 1) await signIn(server, email, `guess ${guess}`)
  await waitUntil('the event', async () => (await refusals()).length > 0, 30_000)
  assert.equal((await signIn(server, email)).status, 201)
  const [event, ...others] = await refusals()
  assert.equal(others.length, 0)
  assert.deepEqual([event?.actor_kind, event?.organization_id], ['nobody', null])
  assert.deepEqual(Object.keys(event?.changes ?? {}), ['wrong', 'network'])
  assert.match(JSON.stringify(event?.changes), /password.*127\.\d+\.\d+\.0\/24/)
})

test('401: wrong password, no account and no password answer the same bytes', async () => {
  const { email } = await openPersonWithPassword(server)
  const { email: without } = await server.openPerson()
  const answers = [
    await signIn(server, email, 'k7-plum-otter-lamb'),
    await signIn(server, email, ''),
    await signIn(server, 'nobody@example.com'),
    await signIn(server, 'not an address'),
    await signIn(server, without),
  ]
  for (const { status, text, headers } of answers) {
    assert.equal(status, 401)
    assert.equal(text, answers[0]?.text)
    assert.equal(headers['set-cookie'], undefined)
  }
})

test('403: a restricted account gets no session, and only its owner learns why', async () => {
  const { email } = await openPersonWithPassword(server, { state: 'restricted' })
  assert.equal((await signIn(server, email)).body.error.code, 'account_restricted')
  assert.equal((await signIn(server, email, 'wrong password')).body.error.code, 'invalid_login')
})

test('429: the eleventh attempt waits, the right password too; sessions keep working', async () => {
  const { email } = await openPersonWithPassword(server)
  const known = browserOf(await signIn(server, email))
  for (let guess = 1; guess <= 10; guess += 1)
    assert.equal((await signIn(server, email, `guess ${guess}`)).status, 401)
  const waiting = await signIn(server, email)
  assert.equal(waiting.status, 429)
  assert.equal(waiting.body.error.code, 'too_many_attempts')
  assert.ok(Number(waiting.headers['retry-after']) > 20)
  assert.equal((await ask(server.root, 'GET', '/me', { as: known })).status, 200)
  const { email: other } = await openPersonWithPassword(server)
  assert.equal((await signIn(server, other)).status, 201)
})

test('a right password forgets the failures before it', async () => {
  const { email } = await openPersonWithPassword(server)
  for (let round = 0; round < 3; round += 1) {
    for (let guess = 1; guess <= 9; guess += 1) await signIn(server, email, `guess ${guess}`)
    assert.equal((await signIn(server, email)).status, 201)
  }
})

test('fixation: a cookie from before the sign-in is replaced and stops working', async () => {
  const { email } = await openPersonWithPassword(server)
  const planted = browserOf(await signIn(server, email))
  const made = { cookie: `__Host-headrace_session=${'A'.repeat(43)}`, origin: STRANGER['origin']! }
  for (const old of [planted, made]) {
    const renewed = browserOf(await signIn(server, email, PASSWORD, old))
    assert.notEqual(renewed['cookie'], old['cookie'])
    assert.equal((await ask(server.root, 'GET', '/me', { as: old })).status, 401)
    assert.equal((await ask(server.root, 'GET', '/me', { as: renewed })).status, 200)
  }
})

test('a password that changes while it is verified opens no session', async () => {
  const { email, accountId } = await openPersonWithPassword(server)
  const { database } = server.postgres
  const signingIn = await database.transaction().execute(async (transaction) => {
    await lockAccount(transaction, accountId, 'update')
    await setPassword(transaction, accountId, await hashPassword('another-password-here'))
    const pending = signIn(server, email)
    await untilSomeoneWaits(server.postgres)
    return { pending }
  })
  assert.equal((await signingIn.pending).body.error.code, 'invalid_login')
})

test('a confirmation renews the token and lasts ten minutes', async () => {
  const { email, accountId } = await openPersonWithPassword(server)
  const old = browserOf(await signIn(server, email))
  await server.postgres.database
    .updateTable('sessions')
    .set({ confirmed_at: new Date(Date.now() - 11 * 60_000) })
    .where('account_id', '=', accountId)
    .execute()
  const refused = await ask(server.root, 'DELETE', '/sessions', { as: old })
  assert.equal(refused.body.error.code, 'confirmation_required')
  const confirm = '/sessions/current/confirm'
  const wrong = await ask(server.root, 'POST', confirm, { as: old, body: { password: 'wrong' } })
  assert.equal(wrong.status, 401)
  const right = await ask(server.root, 'POST', confirm, { as: old, body: { password: PASSWORD } })
  assert.equal(right.status, 200, right.text)
  const renewed = browserOf(right)
  assert.equal((await ask(server.root, 'GET', '/me', { as: old })).status, 401)
  assert.equal((await ask(server.root, 'DELETE', '/sessions', { as: renewed })).status, 204)
})

test('sessions are listed, ended one by one, all others at once, and by signing out', async () => {
  const { email } = await openPersonWithPassword(server)
  const browsers = []
  for (let count = 0; count < 4; count += 1) browsers.push(browserOf(await signIn(server, email)))
  const [one, two, three, four] = browsers
  const listed = await ask(server.root, 'GET', '/sessions?limit=3', { as: one! })
  assert.equal(listed.body.data.length, 3)
  const rest = await ask(server.root, 'GET', `/sessions?after=${listed.body.next}`, { as: one! })
  assert.deepEqual(
    rest.body.data.map(({ current }) => current),
    [true, false],
  )
  const newest = listed.body.data[0]?.id
  assert.equal((await ask(server.root, 'DELETE', `/sessions/${newest}`, { as: one! })).status, 204)
  assert.equal((await ask(server.root, 'GET', '/me', { as: four! })).status, 401)
  assert.equal((await ask(server.root, 'DELETE', `/sessions/${newest}`, { as: one! })).status, 404)
  assert.equal((await ask(server.root, 'DELETE', '/sessions/x', { as: one! })).status, 404)
  assert.equal((await ask(server.root, 'DELETE', '/sessions', { as: one! })).status, 204)
  for (const ended of [two!, three!])
    assert.equal((await ask(server.root, 'GET', '/me', { as: ended })).status, 401)
  const out = await ask(server.root, 'DELETE', '/sessions/current', { as: one! })
  assert.match(out.headers['set-cookie'] ?? '', /^__Host-headrace_session=; .*Max-Age=0$/)
  assert.equal((await ask(server.root, 'GET', '/me', { as: one! })).status, 401)
})

test('nobody ends or sees the sessions of somebody else', async () => {
  const { email } = await openPersonWithPassword(server)
  const { email: otherEmail } = await openPersonWithPassword(server)
  const mine = await signIn(server, email)
  const foreign = (mine.body['session'] as { id: string }).id
  const other = browserOf(await signIn(server, otherEmail))
  assert.equal(
    (await ask(server.root, 'DELETE', `/sessions/${foreign}`, { as: other })).status,
    404,
  )
  assert.equal((await ask(server.root, 'GET', '/me', { as: browserOf(mine) })).status, 200)
  const listed = await ask(server.root, 'GET', '/sessions', { as: other })
  assert.ok(!listed.text.includes(foreign))
})

test('503: without PostgreSQL nothing is decided, and it is no bug of ours', async () => {
  const unreachable = 'postgres://nobody@127.0.0.1:1/nowhere'
  await using broken = await startConsole((config) => ({ ...config, database_url: unreachable }))
  const answer = await signIn(broken, 'jane@example.com')
  assert.deepEqual([answer.status, answer.body.error.code], [503, 'service_unavailable'])
})

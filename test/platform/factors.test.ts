import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { appCode } from '../harness/clients/authenticator-app.ts'
import {
  ask,
  openSession,
  startConsole,
  type Answer,
  type Headers,
  type Person,
} from '../harness/processes/console.ts'

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

const post = (path: string, as: Headers, body: unknown = {}) =>
  ask(console_.root, 'POST', path, { as, body })

/** The caller with the cookie that an answer has set. */
function next(as: Headers, answer: Answer): Headers {
  const [cookie = ''] = answer.cookies[0]?.split(';') ?? []
  assert.match(cookie, /^__Host-headrace_session=[\w-]{43}$/)
  return { ...as, cookie }
}

type Enrolled = Person & { readonly secret: string; readonly codes: readonly string[] }

/** A person whose app was confirmed with the code of now; the next one is unused and accepted. */
async function enrol(person?: Person): Promise<Enrolled> {
  const { as, ...rest } = person ?? (await console_.openPerson())
  const begun = await post('/me/totp', as)
  assert.equal(begun.status, 201, begun.text)
  const secret = begun.body['secret'] as string
  const confirmed = await post('/me/totp/confirm', as, { code: appCode(secret, 0) })
  assert.equal(confirmed.status, 200, confirmed.text)
  const codes = confirmed.body['recovery_codes'] as string[]
  return { ...rest, as: next(as, confirmed), secret, codes }
}

const openIncomplete = (accountId: string) =>
  openSession(console_.postgres, accountId, { incomplete: true })

test('an app is enrolled with its first code, which renews the session', async () => {
  const person = await console_.openPerson()
  const { as, secret, codes } = await enrol(person)
  assert.match(secret, /^[A-Z2-7]{32}$/)
  assert.equal(codes.length, 10)
  assert.equal((await ask(console_.root, 'GET', '/me/passkeys', { as })).status, 200)
  const old = await ask(console_.root, 'GET', '/me/passkeys', { as: person.as })
  assert.equal(old.body.error.code, 'unauthenticated')
  assert.equal((await post('/me/totp', as)).body.error.code, 'already_exists')
})

test('a wrong code does not enrol an app', async () => {
  const { as } = await console_.openPerson()
  const secret = (await post('/me/totp', as)).body['secret'] as string
  const wrong = await post('/me/totp/confirm', as, { code: appCode(secret, 5) })
  assert.equal(wrong.body.error.param, 'code')
  assert.equal((await post('/me/recovery-codes', as)).body.error.code, 'conflict')
  assert.equal((await post('/me/totp', as)).status, 201)
})

test('a sign-in is completed by a code, once, and gets a new token', async () => {
  const { accountId, secret } = await enrol()
  const first = await openIncomplete(accountId)
  const blocked = await ask(console_.root, 'GET', '/me/passkeys', { as: first })
  assert.equal(blocked.body.error.code, 'second_factor_required')
  const code = appCode(secret, 1)
  const completed = await post('/sessions/second-factor', first, { code })
  assert.equal(completed.status, 200, completed.text)
  assert.equal(completed.body['second_factor'], 'complete')
  assert.ok(!completed.text.includes(next(first, completed)['cookie']!.split('=')[1]!))
  const as = next(first, completed)
  assert.equal((await ask(console_.root, 'GET', '/me/passkeys', { as })).status, 200)
  assert.equal((await ask(console_.root, 'GET', '/me/passkeys', { as: first })).status, 401)
  const second = await openIncomplete(accountId)
  const replayed = await post('/sessions/second-factor', second, { code })
  assert.equal(replayed.body.error.code, 'invalid_login')
})

test('a recovery code completes a sign-in once; new ones replace the old', async () => {
  const { accountId, as, codes } = await enrol()
  const [first = '', second = ''] = codes
  const give = async (recovery_code: string) =>
    post('/sessions/second-factor', await openIncomplete(accountId), { recovery_code })
  assert.equal((await give(first.toUpperCase())).status, 200)
  assert.equal((await give(first)).status, 401)
  const renewed = await post('/me/recovery-codes', as)
  assert.equal(renewed.status, 201)
  assert.equal((await give(second)).status, 401)
  const [fresh = ''] = renewed.body['recovery_codes'] as string[]
  assert.equal((await give(fresh)).status, 200)
})

test('the code of another account, or both kinds at once, complete nothing', async () => {
  const [ann, bob] = [await enrol(), await enrol()]
  const as = await openIncomplete(ann.accountId)
  const foreign = await post('/sessions/second-factor', as, { code: appCode(bob.secret, 1) })
  assert.equal(foreign.status, 401)
  const recovery = await post('/sessions/second-factor', as, { recovery_code: bob.codes[0] })
  assert.equal(recovery.status, 401)
  const both = { code: appCode(ann.secret, 1), recovery_code: ann.codes[0] }
  assert.equal((await post('/sessions/second-factor', as, both)).status, 400)
  assert.equal((await post('/sessions/second-factor', as, {})).status, 400)
})

test('guesses of codes are limited, and a right password allows no more of them', async () => {
  const { accountId, email, secret } = await enrol()
  const as = await openIncomplete(accountId)
  const statuses: number[] = []
  for (let guess = 0; guess < 12; guess += 1) {
    const answer = await post('/sessions/second-factor', as, { code: appCode(secret, 100 + guess) })
    statuses.push(answer.status)
    await console_.environment.loginLimits.forget({ kind: 'email', email })
  }
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429, 429])
  const right = await post('/sessions/second-factor', as, { code: appCode(secret, 1) })
  assert.equal(right.status, 429)
  assert.ok(Number(right.headers['retry-after']) > 0)
})

test('who only knows the password cannot replace a second factor', async () => {
  const { accountId } = await enrol()
  const as = await openIncomplete(accountId)
  for (const [method, path] of [
    ['POST', '/me/totp'],
    ['POST', '/me/totp/confirm'],
    ['DELETE', '/me/totp'],
    ['POST', '/me/recovery-codes'],
    ['POST', '/me/passkeys/options'],
  ] as const) {
    const body = path.endsWith('confirm') ? { code: '123456' } : {}
    const answer = await ask(console_.root, method, path, { as, body })
    assert.equal(answer.body.error.code, 'second_factor_required', path)
  }
})

test('an account that must have a second factor and has none enrols its first', async () => {
  const person = await console_.openPerson({ incomplete: true })
  const { as } = await enrol(person)
  assert.equal((await ask(console_.root, 'GET', '/me/passkeys', { as })).status, 200)
})

test('factors change only with a confirmation of the last ten minutes', async () => {
  const { as } = await console_.openPerson({ confirmed: false })
  for (const [method, path] of [
    ['POST', '/me/totp'],
    ['DELETE', '/me/totp'],
    ['POST', '/me/recovery-codes'],
    ['POST', '/me/passkeys/options'],
    ['DELETE', '/me/passkeys/x'],
  ] as const) {
    const answer = await ask(console_.root, method, path, { as, body: {} })
    assert.equal(answer.body.error.code, 'confirmation_required', path)
  }
})

test('a code of the app confirms a session, a wrong or foreign one does not', async () => {
  const { accountId, secret } = await enrol()
  const as = await openSession(console_.postgres, accountId, { confirmed: false })
  const other = await enrol()
  const wrong = await post('/sessions/current/confirm', as, { code: appCode(other.secret, 1) })
  assert.equal(wrong.status, 401)
  const several = { code: appCode(secret, 1), password: 'x' }
  assert.equal((await post('/sessions/current/confirm', as, several)).status, 400)
  const right = await post('/sessions/current/confirm', as, { code: appCode(secret, 1) })
  assert.equal(right.status, 200, right.text)
  const confirmed = next(as, right)
  assert.equal((await post('/me/recovery-codes', confirmed)).status, 201)
})

test('removing the app removes the recovery codes', async () => {
  const { accountId, as, codes } = await enrol()
  assert.equal((await ask(console_.root, 'DELETE', '/me/totp', { as, body: {} })).status, 204)
  assert.equal((await ask(console_.root, 'DELETE', '/me/totp', { as, body: {} })).status, 404)
  const late = await openIncomplete(accountId)
  const given = await post('/sessions/second-factor', late, { recovery_code: codes[0] })
  assert.equal(given.status, 401)
})

test('every change of a factor is audited, and no secret is in any row', async () => {
  const { accountId, as, secret, codes } = await enrol()
  await post('/me/recovery-codes', as)
  await ask(console_.root, 'DELETE', '/me/totp', { as, body: {} })
  const events = await console_.postgres.database
    .selectFrom('audit_events')
    .selectAll()
    .where('target_id', '=', accountId)
    .orderBy('id')
    .execute()
  assert.deepEqual(
    events.map(({ action }) => action),
    ['totp.begin', 'totp.confirm', 'recovery_codes.create', 'totp.remove'],
  )
  const text = JSON.stringify(events)
  for (const hidden of [secret, ...codes]) assert.ok(!text.includes(hidden))
})

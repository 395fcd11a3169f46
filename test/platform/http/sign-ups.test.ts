import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, PUBLIC_URL } from '../../harness/processes/console.ts'
import {
  browserOf,
  openPersonWithPassword,
  PASSWORD,
  signIn,
  startMailingConsole,
  STRANGER,
  tokenIn,
} from '../../harness/clients/sign-in.ts'

let people = 0

const service = await startMailingConsole({
  sign_up: 'waiting',
  sign_up_domains: ['Staff.example'],
  trusted_proxies: 1,
})
after(() => service[Symbol.asyncDispose]())

function newAddress(domain = 'example.com'): string {
  people += 1
  return `new-${people}@${domain}`
}

async function post(path: string, body: unknown, as = STRANGER) {
  return ask(service.server.root, 'POST', path, { as, body })
}

async function signUp(email: string, network = '198.51.100.1') {
  const as = { ...STRANGER, 'x-forwarded-for': network }
  const answer = await post('/sign-ups', { email }, as)
  assert.equal(answer.status, 202, answer.text)
  assert.equal(answer.text, '')
}

async function takeLink(email: string) {
  const message = await service.mail.take(email, 'Confirm')
  assert.ok(message.text.includes(`${PUBLIC_URL}/sign-up#token=`))
  return tokenIn(message.text)
}

async function complete(token: string, password = PASSWORD) {
  return post('/sign-ups/complete', { token, password })
}

/** Work after answers is done in order: whatever was asked for before has been done. */
async function untilEmailsAreSent() {
  const { email } = await openPersonWithPassword(service.server)
  await post('/password-resets', { email })
  await service.mail.take(email)
}

/** Undefined without an account. */
async function stateOf(email: string) {
  const accounts = service.server.postgres.database.selectFrom('accounts').select('state')
  return (await accounts.where('email', '=', email).executeTakeFirst())?.state
}

test('a sign-up becomes an account when its link sets a password, once, and waits', async () => {
  const email = newAddress()
  await signUp(email)
  const token = await takeLink(email)
  const weak = await complete(token, 'short')
  assert.deepEqual([weak.status, weak.body.error.param], [400, 'password'])
  assert.equal(await stateOf(email), undefined)
  const completed = await complete(token)
  assert.equal(completed.status, 201, completed.text)
  // Whoever has just chosen the password is signed in with it.
  const me = await ask(service.server.root, 'GET', '/me', { as: browserOf(completed) })
  assert.deepEqual([me.body['email'], me.body['state']], [email, 'waiting'])
  assert.equal(await stateOf(email), 'waiting')
  for (const again of [await complete(token), await post('/sign-ups/look-up', { token })])
    assert.deepEqual([again.status, again.body.error.param], [400, 'token'])
})

test('a link that is only looked at is not used, however often', async () => {
  const email = newAddress()
  await signUp(email)
  const token = await takeLink(email)
  for (let times = 0; times < 3; times += 1) {
    const seen = await post('/sign-ups/look-up', { token })
    assert.deepEqual([seen.status, seen.body['email']], [200, email])
  }
  assert.equal(await stateOf(email), undefined)
  assert.equal((await complete(token)).status, 201)
})

test('a sign-up takes no password: nobody but the holder of the link chooses it', async () => {
  const answer = await post('/sign-ups', { email: newAddress(), password: PASSWORD })
  assert.deepEqual([answer.status, answer.body.error.param], [400, 'password'])
  const columns = await service.server.postgres.database.introspection.getTables()
  const table = columns.find(({ name }) => name === 'sign_ups')
  assert.ok(!table?.columns.some(({ name }) => name === 'phc'))
})

test('sign-ups of a stranger leave the owner an email, whose link works', async () => {
  const email = newAddress()
  for (let times = 0; times < 7; times += 1) await signUp(email, '203.0.113.9')
  const strangers = []
  for (let times = 0; times < 5; times += 1) strangers.push(await takeLink(email))
  await signUp(email)
  const own = await takeLink(email)
  await untilEmailsAreSent()
  assert.deepEqual(service.mail.emails, [])
  assert.equal((await complete(own)).status, 201)
  for (const token of strangers) assert.equal((await complete(token)).status, 400)
})

test('an address gets at most 20 emails an hour, whoever asks, and each link works', async () => {
  const email = newAddress()
  for (let network = 1; network <= 25; network += 1) await signUp(email, `203.0.${network}.9`)
  await untilEmailsAreSent()
  assert.equal(service.mail.emails.length, 20)
  const links = []
  for (let times = 0; times < 20; times += 1) links.push(await takeLink(email))
  assert.equal((await complete(links[0] ?? '')).status, 201)
})

test('emails about a known address are counted like links', async () => {
  const { email } = await openPersonWithPassword(service.server)
  for (let times = 0; times < 8; times += 1) await signUp(email)
  await untilEmailsAreSent()
  assert.equal(service.mail.emails.length, 5)
  for (let times = 0; times < 5; times += 1) await service.mail.take(email)
})

test('an account of a listed domain does not wait, in whatever case it is written', async () => {
  const email = newAddress('STAFF.example')
  await signUp(email)
  await complete(await takeLink(email))
  assert.equal(await stateOf(email), 'active')
})

test('signing up with a known address changes nothing and tells only its owner', async () => {
  const { email } = await openPersonWithPassword(service.server)
  await signUp(email)
  const message = await service.mail.take(email, 'already have an account')
  assert.equal(tokenIn(message.text), '')
  assert.equal((await signIn(service.server, email)).status, 201)
})

test('weak passwords and texts that are not one address are refused', async () => {
  for (const email of ['a@example.com\r\nBcc: b@example.com', 'a@example.com,b@example.com']) {
    const answer = await post('/sign-ups', { email })
    assert.deepEqual([answer.status, answer.body.error.param], [400, 'email'], answer.text)
  }
  const email = 'long-address@example.com'
  await signUp(email)
  const token = await takeLink(email)
  for (const password of ['short', 'password1234', email]) {
    const answer = await complete(token, password)
    assert.deepEqual([answer.status, answer.body.error.param], [400, 'password'], answer.text)
  }
})

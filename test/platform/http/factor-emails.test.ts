import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { appCode } from '../../harness/clients/authenticator-app.ts'
import { ask, PUBLIC_URL, type Headers } from '../../harness/processes/console.ts'
import { createPasskey, type SoftPasskey } from '../../harness/clients/passkey.ts'
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

const service = await startMailingConsole()
after(() => service[Symbol.asyncDispose]())

async function call(method: string, path: string, as: Headers, body: unknown = {}) {
  const answer = await ask(service.server.root, method, path, { as, body })
  assert.ok(answer.status < 300, answer.text)
  return answer
}

async function addPasskey(as: Headers) {
  const passkey = createPasskey(PUBLIC_URL)
  const options = await call('POST', '/me/passkeys/options', as)
  const credential = passkey.register(options.body as never)
  const added = await call('POST', '/me/passkeys', as, { name: 'Phone', credential })
  return { passkey, id: added.body.id, as: browserOf(added) }
}

async function addApp(as: Headers) {
  const { secret } = (await call('POST', '/me/totp', as)).body as unknown as { secret: string }
  const confirmed = await call('POST', '/me/totp/confirm', as, { code: appCode(secret, 0) })
  return { as: browserOf(confirmed), secret }
}

async function signInWith(passkey: SoftPasskey) {
  const options = await call('POST', '/sessions/passkey/options', STRANGER)
  const credential = passkey.answer(options.body as never)
  const body = { credential }
  return ask(service.server.root, 'POST', '/sessions/passkey', { as: STRANGER, body })
}

async function resetPassword(email: string) {
  await call('POST', '/password-resets', STRANGER, { email })
  const token = tokenIn((await service.mail.take(email, 'new password')).text)
  const body = { token, password: OTHER_PASSWORD }
  return call('POST', '/password-resets/complete', STRANGER, body)
}

async function forgetProof(accountId: string) {
  await service.server.postgres.database
    .updateTable('accounts')
    .set({ email_verified_at: null })
    .where('id', '=', accountId)
    .execute()
}

test('the owner gets an email about every new and removed way to sign in', async () => {
  const person = await service.server.openPerson()
  const told = (subject: string) => service.mail.take(person.email, subject)
  const { id, as } = await addPasskey(person.as)
  const message = await told('A passkey was added')
  assert.ok(message.text.includes(`${PUBLIC_URL}/account/security`))
  await call('DELETE', `/me/passkeys/${id}`, as)
  await told('A passkey was removed')
  const app = await addApp(as)
  await told('An authenticator app was added')
  await call('POST', '/me/recovery-codes', app.as)
  await told('New recovery codes')
  await call('DELETE', '/me/totp', app.as)
  await told('The authenticator app was removed')
  await call('PUT', '/me/password', app.as, { password: PASSWORD })
  await told('Your password was changed')
})

test('a reset keeps the factors of a confirmed address, and lists them', async () => {
  const person = await openPersonWithPassword(service.server)
  const { passkey, as } = await addPasskey(person.as)
  await addApp(as)
  const set = await resetPassword(person.email)
  const left = set.body as unknown as { passkeys: { name: string }[] }
  assert.deepEqual(
    left.passkeys.map(({ name }) => name),
    ['Phone'],
  )
  assert.deepEqual([set.body['has_totp'], set.body['removed']], [true, false])
  const signedIn = await signIn(service.server, person.email, OTHER_PASSWORD)
  assert.equal(signedIn.body['second_factor'], 'required')
  assert.equal((await signInWith(passkey)).status, 201)
})

test('the first link to an address removes the factors that were added before it', async () => {
  const stranger = await openPersonWithPassword(service.server)
  await forgetProof(stranger.accountId)
  const { passkey, as } = await addPasskey(stranger.as)
  const app = await addApp(as)
  assert.equal((await signInWith(passkey)).status, 201)
  const set = await resetPassword(stranger.email)
  assert.deepEqual(set.body, { passkeys: [], has_totp: false, removed: true })
  await service.mail.take(stranger.email, 'were removed')
  assert.equal((await signInWith(passkey)).status, 401)
  const ended = await ask(service.server.root, 'GET', '/me', { as: app.as })
  assert.equal(ended.status, 401)
  assert.equal((await signIn(service.server, stranger.email)).status, 401)
  const owner = await signIn(service.server, stranger.email, OTHER_PASSWORD)
  assert.deepEqual([owner.status, owner.body['second_factor']], [201, 'complete'])
  const me = await ask(service.server.root, 'GET', '/me', { as: browserOf(owner) })
  assert.equal(me.body['email_verified'], true)
  await addPasskey(browserOf(owner))
  const again = await resetPassword(stranger.email)
  assert.equal(again.body['removed'], false)
  assert.equal((again.body['passkeys'] as unknown[]).length, 1)
})

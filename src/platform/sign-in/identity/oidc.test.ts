import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  startIdentityProvider,
  type IdentityProvider,
} from '../../../../test/harness/servers/oidc.ts'
import { finishOidc, OidcRefused, startOidc, type OidcClient } from './oidc.ts'

const REDIRECT_URI = 'http://localhost:1/management/v1/sso/callback/one'
const GUARD = { privateHosts: ['127.0.0.1', 'localhost'] }
const ANN = 'ann@acme.example'

const provider = await startIdentityProvider()
provider.redirectUris.add(REDIRECT_URI)
const client = clientOf(provider)
after(() => provider[Symbol.asyncDispose]())

function clientOf({ issuer, clientId, clientSecret }: IdentityProvider): OidcClient {
  return { issuer, clientId, clientSecret, redirectUri: REDIRECT_URI }
}

const start = (fresh = false) => startOidc(client, GUARD, { fresh, nowMs: Date.now() })
const queryOf = (callback: string) => new URL(callback).searchParams

test('a person signs in with the code flow, PKCE S256, state and nonce', async () => {
  const { url, flow } = await start()
  const parameters = new URL(url).searchParams
  assert.equal(parameters.get('response_type'), 'code')
  assert.equal(parameters.get('code_challenge_method'), 'S256')
  assert.equal(parameters.get('prompt'), null)
  provider.people.set('ann', { email: ANN, name: 'Ann' })
  const callback = await provider.signIn(url, 'ann')
  const { sid, ...person } = await finishOidc(client, GUARD, flow, queryOf(callback))
  assert.equal(typeof sid, 'string')
  assert.deepEqual(person, {
    subject: 'ann',
    email: ANN,
    emailVerified: true,
    name: 'Ann',
  })
})

test('an address that is in the user info only is found there', async () => {
  await using other = await startIdentityProvider({ emailInUserInfo: true })
  other.redirectUris.add(REDIRECT_URI)
  const { url, flow } = await startOidc(clientOf(other), GUARD, { fresh: false, nowMs: Date.now() })
  const callback = await other.signIn(url, ANN)
  const person = await finishOidc(clientOf(other), GUARD, flow, queryOf(callback))
  assert.equal(person.email, ANN)
  assert.equal(person.emailVerified, true)
})

test('an address counts as verified only if the provider says so', async () => {
  for (const [claim, verified] of [
    [false, false],
    [undefined, false],
    [true, true],
  ] as const) {
    provider.people.set('bob', { email: 'bob@acme.example', email_verified: claim as boolean })
    const { url, flow } = await start()
    const callback = await provider.signIn(url, 'bob')
    const person = await finishOidc(client, GUARD, flow, queryOf(callback))
    assert.equal(person.emailVerified, verified, String(claim))
  }
})

test('a code is refused with another state, nonce, verifier or issuer, and again', async () => {
  const { url, flow } = await start()
  const other = (await start()).flow
  const callback = await provider.signIn(url, ANN)
  const refuse = (changed: object, query = queryOf(callback)) =>
    assert.rejects(finishOidc(client, GUARD, { ...flow, ...changed }, query), OidcRefused)
  await refuse({ state: other.state })
  const foreign = queryOf(callback)
  foreign.set('iss', 'https://evil.example')
  await refuse({}, foreign)
  const denied = new URLSearchParams({ error: 'access_denied', state: flow.state })
  await refuse({}, denied)
  await refuse({ verifier: other.verifier })
  // The provider voids a code with the first attempt, so each of these needs its own.
  const again = await start()
  const query = queryOf(await provider.signIn(again.url, ANN))
  const wrongNonce = { ...again.flow, nonce: other.nonce }
  await assert.rejects(finishOidc(client, GUARD, wrongNonce, query), OidcRefused)
  const once = await start()
  const used = queryOf(await provider.signIn(once.url, ANN))
  await finishOidc(client, GUARD, once.flow, used)
  await assert.rejects(finishOidc(client, GUARD, once.flow, used), OidcRefused)
})

test('a fresh sign-in asks the provider for it and checks when it happened', async () => {
  const { url, flow } = await start(true)
  assert.equal(new URL(url).searchParams.get('prompt'), 'login')
  const callback = await provider.signIn(url, ANN)
  const later = { ...flow, startedAtMs: Date.now() + 60_000 }
  const person = await finishOidc(client, GUARD, flow, queryOf(callback))
  assert.equal(person.email, ANN)
  const second = await start(true)
  const query = queryOf(await provider.signIn(second.url, ANN))
  const stale = { ...second.flow, startedAtMs: later.startedAtMs }
  await assert.rejects(finishOidc(client, GUARD, stale, query), /did not sign in again/)
  // A provider that says nothing about the time has proved nothing.
  const silent = await start(false)
  const without = queryOf(await provider.signIn(silent.url, ANN))
  await assert.rejects(
    finishOidc(client, GUARD, { ...silent.flow, fresh: true }, without),
    /did not sign in again/,
  )
})

test('an issuer in a private network is refused unless the operator allows it', async () => {
  const refused = startOidc(client, { privateHosts: [] }, { fresh: false, nowMs: Date.now() })
  await assert.rejects(refused, OidcRefused)
})

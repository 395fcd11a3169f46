import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import {
  addAuthenticator,
  callAuthenticator,
  startBrowser,
  type TestBrowser,
} from '../../../../test/harness/browser/browser.ts'
import {
  createAuthenticationOptions,
  createRegistrationOptions,
  readClaimedChallenge,
  relyingParty,
  verifyAuthentication,
  verifyRegistration,
  type Passkey,
  type RelyingParty,
} from './passkeys.ts'

const ANN = { id: '01890a5d-ac96-774b-bcce-b302099a8057', email: 'ann@example.com', name: null }
const BOB = '01890a5d-ac96-774b-bcce-b302099a8058'

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html').end('<title>page</title>')
})
let browser: TestBrowser
let context: BrowserContext
let page: Page
let party: RelyingParty
let passkey: Passkey & { accountId: string }
let registration: unknown

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  party = relyingParty(`http://localhost:${port}/console`, 'Headrace')
  browser = await startBrowser()
  ;({ context, page } = await browser.openPage())
  await page.goto(party.origin)
  await addAuthenticator(context, page)
  const options = await createRegistrationOptions(party, ANN, [])
  registration = await callAuthenticator(page, 'create', options)
  const made = await verifyRegistration(party, registration, options.challenge)
  assert.ok(made)
  passkey = { ...made, accountId: ANN.id }
})
after(async () => {
  await browser[Symbol.asyncDispose]()
  server.close()
})

async function assertion() {
  const options = await createAuthenticationOptions(party, [passkey])
  return { challenge: options.challenge, response: await callAuthenticator(page, 'get', options) }
}

test('passkeys are bound to the host and origin of the public address', () => {
  assert.deepEqual(relyingParty('https://console.example:8443/llm', 'X'), {
    id: 'console.example',
    name: 'X',
    origin: 'https://console.example:8443',
  })
})

test('a passkey is resident, verifies its user and signs in without a user name', async () => {
  const options = await createRegistrationOptions(party, ANN, [passkey])
  assert.equal(options.authenticatorSelection?.residentKey, 'required')
  assert.equal(options.authenticatorSelection.userVerification, 'required')
  assert.equal(options.excludeCredentials?.[0]?.id, passkey.credentialId)
  const { challenge, ...rest } = await createAuthenticationOptions(party)
  assert.deepEqual(rest.allowCredentials, [])
  const response = await callAuthenticator(page, 'get', { challenge, ...rest })
  assert.equal(readClaimedChallenge(response), challenge)
  const result = await verifyAuthentication(party, response, challenge, passkey)
  assert.ok(result !== undefined && result.counter > passkey.counter)
})

test('an answer for another challenge, origin, host, account or key is refused', async () => {
  const { challenge, response } = await assertion()
  const verify = (
    changed: { party?: Partial<RelyingParty>; passkey?: Partial<typeof passkey> },
    expected = challenge,
  ) =>
    verifyAuthentication({ ...party, ...changed.party }, response, expected, {
      ...passkey,
      ...changed.passkey,
    })
  assert.ok(await verify({}))
  assert.equal(await verify({}, (await assertion()).challenge), undefined)
  assert.equal(await verify({ party: { origin: 'https://localhost' } }), undefined)
  assert.equal(await verify({ party: { id: 'other.example' } }), undefined)
  assert.equal(await verify({ passkey: { accountId: BOB } }), undefined)
  assert.equal(await verify({ passkey: { credentialId: 'AAAA' } }), undefined)
  const other = await createRegistrationOptions(party, { ...ANN, id: BOB }, [])
  const otherKey = await verifyRegistration(
    party,
    await callAuthenticator(page, 'create', other),
    other.challenge,
  )
  assert.ok(otherKey)
  assert.equal(await verify({ passkey: { publicKey: otherKey.publicKey } }), undefined)
})

test('a counter that does not grow is refused: the passkey was copied', async () => {
  const { challenge, response } = await assertion()
  const counter = 1_000_000
  const refused = await verifyAuthentication(party, response, challenge, { ...passkey, counter })
  assert.equal(refused, undefined)
})

test('a registration for another challenge or origin is refused', async () => {
  const { challenge } = await createRegistrationOptions(party, ANN, [])
  assert.equal(await verifyRegistration(party, registration, challenge), undefined)
  const elsewhere = { ...party, origin: 'https://evil.example' }
  const claimed = readClaimedChallenge(registration) ?? ''
  assert.equal(await verifyRegistration(elsewhere, registration, claimed), undefined)
  assert.ok(await verifyRegistration(party, registration, claimed))
})

test('an authenticator that did not verify its user is refused', async () => {
  const { context: another, page: weak } = await browser.openPage()
  await weak.goto(party.origin)
  await addAuthenticator(another, weak, { verifiesUser: false })
  const options = await createRegistrationOptions(party, ANN, [])
  const lenient = {
    ...options,
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'discouraged' },
  }
  const response = await callAuthenticator(weak, 'create', lenient)
  assert.equal(await verifyRegistration(party, response, options.challenge), undefined)
})

test('a malformed answer is refused, not an error', async () => {
  const { challenge } = await createAuthenticationOptions(party)
  const long = { response: { clientDataJSON: 'A'.repeat(10_000) } }
  for (const response of [null, 1, 'x', {}, { response: {} }, { id: 'x', response: 1 }, long]) {
    assert.equal(readClaimedChallenge(response), undefined)
    assert.equal(await verifyAuthentication(party, response, challenge, passkey), undefined)
    assert.equal(await verifyRegistration(party, response, challenge), undefined)
  }
})

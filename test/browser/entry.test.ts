import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { createToken } from '../../src/platform/identity/token.ts'
import { createMailToken } from '../../src/store/sign-in/mail-tokens.ts'
import { appCode } from '../harness/authenticator-app.ts'
import { addAuthenticator } from '../harness/browser.ts'
import { ask } from '../harness/console.ts'
import { startDnsServer } from '../harness/dns.ts'
import { startIdentityProvider } from '../harness/oidc.ts'
import { openOrganization } from '../harness/tenants.ts'
import { openWeb, signIn } from '../harness/web.ts'
import { openPersonWithPassword, signInByHand, signOutByHand } from './entry-people.ts'

const HOUR_MS = 3_600_000

const dns = await startDnsServer()
const web = await openWeb({
  console: { allow_private_issuers: true, dns_servers: [dns.address] },
})
after(async () => {
  await web[Symbol.asyncDispose]()
  await dns[Symbol.asyncDispose]()
})
const { database } = web.environment.postgres

async function isSignedIn(page: Page): Promise<void> {
  await page.getByText('You are in no organization yet').waitFor()
}

test('the link of a first run signs in once and leaves no token in the address', async () => {
  const { accountId } = await web.openPerson()
  const { token, hash } = createToken()
  const endsAt = new Date(Date.now() + HOUR_MS)
  await createMailToken(database, { hash, kind: 'sign_in', accountId, endsAt, limited: false })
  const page = await web.openPage()
  await page.goto(`${web.origin}/sign-in#token=${token}`)
  await isSignedIn(page)
  assert.equal(page.url().includes(token), false)
  const other = await web.openPage()
  await other.goto(`${web.origin}/sign-in#token=${token}`)
  await other.getByText('This link was used or has expired.').waitFor()
  await other.getByLabel('E-mail address').waitFor()
  assert.equal(other.url(), `${web.origin}/sign-in`)
})

/** Sets up an app on the security page. Returns its secret, the code used and recovery codes. */
async function setUpApp(page: Page) {
  await page.getByRole('button', { name: 'Set up an app' }).click()
  const secret = (await page.locator('.totp-secret .id').innerText()).trim()
  await page.getByRole('img', { name: 'QR code' }).waitFor()
  const used = appCode(secret, 0)
  await page.getByLabel('Code that the app shows').fill(used)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('list', { name: 'Recovery codes' }).waitFor()
  const codes = await page.locator('.recovery-codes code').allInnerTexts()
  await page.getByRole('button', { name: 'I have kept them' }).click()
  return { secret, used, codes }
}

async function giveRecoveryCode(page: Page, code: string): Promise<void> {
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(code)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('an app and its recovery codes complete a sign-in, each code once', async () => {
  const person = await openPersonWithPassword(web)
  const page = await web.openPage()
  await signIn(page, web, person)
  await page.goto(`${web.origin}/account/security`)
  const { secret, used, codes } = await setUpApp(page)
  await page.getByText('On. The sign-in with a password asks for a code.').waitFor()
  await signOutByHand(page)
  await signInByHand(page, person.email)
  await page.getByLabel('Code of the app').fill(used)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('The code is wrong, or was used before.').waitFor()
  await page.getByLabel('Code of the app').fill(appCode(secret, 1))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await isSignedIn(page)
  for (const outcome of ['accepted', 'refused']) {
    await signOutByHand(page)
    await signInByHand(page, person.email)
    await giveRecoveryCode(page, codes[0] ?? '')
    if (outcome === 'accepted') await isSignedIn(page)
    else {
      await page.getByText('The code is wrong, or was used before.').waitFor()
      break
    }
  }
})

/** Resolves once the browser offers passkeys by autofill; later it would answer by itself. */
async function offerOfAutofill(page: Page): Promise<{ readonly offered: Promise<void> }> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.exposeFunction('onOffered', () => resolve())
  await page.addInitScript(`{
    const get = navigator.credentials.get.bind(navigator.credentials)
    navigator.credentials.get = (options) => {
      const answer = get(options)
      if (options.mediation === 'conditional') onOffered()
      return answer
    }
  }`)
  return { offered: promise }
}

test('a passkey that was added signs in by the button once, and confirms an action', async () => {
  const person = await openPersonWithPassword(web, { confirmed: false })
  const page = await web.openPage()
  const { session, authenticatorId } = await addAuthenticator(page.context(), page)
  const { offered } = await offerOfAutofill(page)
  await signIn(page, web, person)
  await page.goto(`${web.origin}/account/security`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByLabel('Name of the passkey').fill('Laptop')
  await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
  await page.locator('dialog input[name=password]').fill('not-the-password')
  await page.keyboard.press('Enter')
  await page.getByText('The password is wrong.').waitFor()
  await page.locator('dialog input[name=password]').fill('k7-plum-otter-lamp')
  await page.keyboard.press('Enter')
  await page.getByRole('rowheader', { name: 'Laptop' }).waitFor()
  // Autofill would answer at once where nobody has to touch anything.
  const presence = (enabled: boolean) =>
    session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
  await presence(false)
  await signOutByHand(page)
  await offered
  const calls: string[] = []
  page.on('request', (request) => calls.push(request.url().split('/management/v1')[1] ?? ''))
  await presence(true)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await isSignedIn(page)
  const signingIn = calls.filter((path) => path.startsWith('/sessions'))
  assert.deepEqual(signingIn, ['/sessions/passkey/options', '/sessions/passkey'])
})

test('the domain of an address leads to its identity provider and back', async () => {
  await using provider = await startIdentityProvider({
    redirectUri: `${web.origin}/management/v1/sso/callback`,
  })
  const organization = await openOrganization(database, 'ample')
  const owner = await web.openPerson({ organizationId: organization.id, role: 'owner' })
  const as = { ...owner.as, origin: web.origin }
  const change = async (method: string, path: string, body: object) => {
    const root = `${web.origin}/management/v1/organizations/${organization.id}`
    const answer = await ask(root, method, path, { as, body })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const { issuer, clientId: client_id, clientSecret: client_secret } = provider
  const connection = { name: 'Acme login', issuer, client_id, client_secret }
  await change('POST', '/sso-connections', connection)
  const added = await change('POST', '/domains', { domain: 'acme.example' })
  const { name, value } = added['record'] as { name: string; value: string }
  dns.records.set(name, [value])
  await change('POST', `/domains/${added.id}/verify`, {})
  const page = await web.openPage()
  await page.goto(`${web.origin}/sign-in?to=/account/sessions`)
  await page.getByLabel('E-mail address').fill('jane@acme.example')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.locator('input[name=password]').waitFor()
  await page.getByRole('link', { name: 'Continue with Acme login' }).click()
  await page.locator('input[name=login]').fill('jane@acme.example')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('cell', { name: 'Identity provider' }).waitFor()
  assert.equal(page.url(), `${web.origin}/account/sessions`)
})

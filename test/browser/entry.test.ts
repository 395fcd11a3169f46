import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { createToken } from '../../src/platform/sign-in/identity/token.ts'
import { readAccount } from '../../src/store/people/own-account.ts'
import { createMailToken } from '../../src/store/sign-in/mail-tokens.ts'
import { storeSignUp } from '../../src/store/sign-in/sign-ups.ts'
import { appCode } from '../harness/clients/authenticator-app.ts'
import { addAuthenticator } from '../harness/browser/browser.ts'
import { PASSWORD } from '../harness/clients/sign-in.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'
import { openPersonWithPassword, signInByHand, signOutByHand } from './entry-people.ts'

const HOUR_MS = 3_600_000

const web = await openWeb({ console: { sign_up: 'open' } })
after(() => web[Symbol.asyncDispose]())
const { database } = web.environment.postgres

async function isSignedIn(page: Page): Promise<void> {
  await page.getByText('You don’t belong to an organization yet').waitFor()
}

test('the link of a first run signs in once and leaves no token in the address', async () => {
  const { accountId } = await web.openPerson()
  const { token, hash } = createToken()
  const endsAt = new Date(Date.now() + HOUR_MS)
  await createMailToken(database, { hash, kind: 'sign_in', accountId, endsAt, network: null })
  const page = await web.openPage()
  await page.goto(`${web.origin}/sign-in#token=${token}`)
  await isSignedIn(page)
  assert.equal(page.url().includes(token), false)
  const other = await web.openPage()
  await other.goto(`${web.origin}/sign-in#token=${token}`)
  await other.getByText('This link was used or has expired.').waitFor()
  await other.getByLabel('Email address').waitFor()
  assert.equal(other.url(), `${web.origin}/sign-in`)
})

test('a link of an email is used by its button, not by opening it', async () => {
  const { token, hash } = createToken()
  const [email, network] = ['new-person@example.com', '192.0.2.0/24']
  await storeSignUp(database, { hash, email, network, endsAt: new Date(Date.now() + HOUR_MS) })
  // A program that scans mail opens the link as a browser does, and presses nothing.
  for (let times = 0; times < 2; times += 1) {
    const scanner = await web.openPage()
    await scanner.goto(`${web.origin}/sign-up#token=${token}`)
    await scanner.getByText(email).waitFor()
    await scanner.context().close()
  }
  const page = await web.openPage()
  await page.goto(`${web.origin}/sign-up#token=${token}`)
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByText('12').first().waitFor()
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Create the account' }).click()
  // The password was just chosen: it is not asked for again.
  await page.getByRole('heading', { name: 'Complete your registration' }).waitFor()
  assert.equal(page.url().includes(token), false)
})

test('a link to a new address names the account, and is used by its button', async () => {
  const { accountId, email } = await web.openPerson()
  const { token, hash } = createToken()
  const endsAt = new Date(Date.now() + HOUR_MS)
  const to = `moved-${email}`
  const link = { hash, kind: 'change', accountId, email: to, endsAt, network: null } as const
  await createMailToken(database, link)
  const page = await web.openPage()
  await page.goto(`${web.origin}/verify#token=${token}`)
  await page.getByText(email, { exact: true }).waitFor()
  await page.getByText(to).waitFor()
  const addressOf = async () => (await readAccount(database, accountId)).email
  assert.equal(await addressOf(), email)
  await page.getByRole('button', { name: 'Use the new address' }).click()
  await page.getByRole('heading', { name: 'The address was changed' }).waitFor()
  assert.equal(await addressOf(), to)
  await page.goto(`${web.origin}/verify`)
  await page.getByText('Open the link of the email that we sent.').waitFor()
  await page.getByRole('link', { name: 'Go to the console' }).click()
  await page.waitForURL(/sign-in/)
})

/** Sets up an app on the security page. Returns its secret, the code used and recovery codes. */
async function setUpApp(page: Page) {
  await page.getByRole('button', { name: 'Set up an app' }).click()
  const secret = (await page.locator('[data-shows=totp-secret] [data-shows=id]').innerText()).trim()
  await page.getByRole('img', { name: 'QR code' }).waitFor()
  const used = appCode(secret, 0)
  await page.getByLabel('Code that the app shows').fill(used)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('list', { name: 'Recovery codes' }).waitFor()
  const codes = await page.locator('[data-shows=recovery-codes] code').allInnerTexts()
  const lines = await page.evaluate<number[]>(`[...document.querySelectorAll(
    '[data-shows=recovery-codes] code')].map((code) => code.getClientRects().length)`)
  assert.ok(
    lines.every((count) => count === 1),
    `a code is broken: ${lines.join(' ')}`,
  )
  await page.getByRole('button', { name: 'I’ve saved them' }).click()
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
  await page.getByLabel('Code from the app').fill(used)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('The code is wrong, or was used before.').waitFor()
  await page.getByLabel('Code from the app').fill(appCode(secret, 1))
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
  await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor()
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

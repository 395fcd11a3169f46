import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { knownLanguage } from '../../src/contract/language.ts'
import { readAccount } from '../../src/store/people/own-account.ts'
import { findOrganization } from '../../src/store/tenants/organizations.ts'
import { PASSWORD } from '../harness/clients/sign-in.ts'
import { openWeb } from '../harness/browser/web.ts'
import { startMailServer } from '../harness/servers/smtp.ts'
import { openOrganization } from '../harness/seed/tenants.ts'
import { openPersonWithPassword } from './entry-people.ts'

const mail = await startMailServer()
const web = await openWeb({
  environment: { HEADRACE_SMTP_URL: mail.url },
  console: { sign_up: 'open', email_from: 'headrace@example.com' },
})
after(async () => {
  await web[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})
const { database } = web.environment.postgres

const languageOf = (page: Page) => page.evaluate<string>('document.documentElement.lang')

async function openMember() {
  const { id: organizationId } = await openOrganization(database, 'ample')
  const { slug } = await findOrganization(database, organizationId)
  const person = await openPersonWithPassword(web, { organizationId, role: 'owner' })
  return { ...person, slug }
}

/** On the sign-in page, in words of any language. */
async function signIn(page: Page, email: string): Promise<void> {
  await page.locator('input[name=email]').fill(email)
  await page.locator('button[type=submit]').click()
  await page.locator('input[name=password]').fill(PASSWORD)
  await page.locator('button[type=submit]').click()
  await page.locator('aside nav').first().waitFor()
}

test('a browser sees the language that it likes, and figures in it', async () => {
  for (const [locale, heading, lang] of [
    ['en-US', 'Sign in', 'en'],
    ['de-AT', 'Anmelden', 'de'],
    ['zh-CN', '登录', 'zh-CN'],
    ['fr-FR', 'Sign in', 'en'],
  ] as const) {
    const page = await web.openPage({ locale })
    await page.goto(`${web.origin}/sign-in`)
    await page.getByRole('heading', { name: heading, exact: true }).waitFor()
    assert.equal(await languageOf(page), lang)
    assert.equal(await page.locator('html').getAttribute('dir'), 'ltr')
    await page.context().close()
  }
})

test('the switch on the sign-in page lasts, and becomes that of the account', async () => {
  const { email, accountId } = await openMember()
  const page = await web.openPage()
  await page.goto(`${web.origin}/sign-in`)
  await page.getByRole('button', { name: 'Language' }).click()
  await page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
  await page.getByRole('heading', { name: 'Anmelden', exact: true }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Anmelden', exact: true }).waitFor()
  const stored = page.waitForResponse(
    (answer) => answer.request().method() === 'PATCH' && answer.url().endsWith('/me'),
  )
  await signIn(page, email)
  assert.equal((await stored).status(), 200)
  assert.equal(knownLanguage((await readAccount(database, accountId)).language), 'de')
})

test('the switch in the account menu changes words, figures and the next browser', async () => {
  const { email, slug } = await openMember()
  const page = await web.openPage()
  await page.goto(`${web.origin}/sign-in`)
  await signIn(page, email)
  await page.goto(`${web.origin}/o/${slug}/limits`)
  await page.getByText('1,000,000,000').first().waitFor()
  await page.locator('aside').getByTitle('@').click()
  await page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
  await page.getByRole('link', { name: 'Nutzung' }).waitFor()
  await page.getByText('1.000.000.000').first().waitFor()
  assert.equal(await languageOf(page), 'de')
  await page.reload()
  await page.getByRole('link', { name: 'Nutzung' }).waitFor()

  const other = await web.openPage({ locale: 'en-US' })
  await other.goto(`${web.origin}/sign-in`)
  await other.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  await signIn(other, email)
  await other.getByRole('link', { name: 'Nutzung' }).waitFor()
  assert.equal(await languageOf(other), 'de')
})

test('an error of the API is said in the language of the page', async () => {
  const page = await web.openPage({ locale: 'de-DE' })
  await page.goto(`${web.origin}/sign-in`)
  await page.locator('input[name=email]').fill('nobody@example.com')
  await page.locator('button[type=submit]').click()
  await page.locator('input[name=password]').fill('wrong-password-7')
  await page.locator('button[type=submit]').click()
  await page.getByText('E-Mail-Adresse, Passwort oder Code sind falsch.').waitFor()
})

test('a sign-up from a German page is answered by a German email', async () => {
  const page = await web.openPage({ locale: 'de-DE' })
  await page.goto(`${web.origin}/sign-up`)
  await page.locator('input[name=email]').fill('neu@example.com')
  await page.getByRole('button', { name: 'Registrieren' }).click()
  await page.getByText('Prüfen Sie Ihren Posteingang').waitFor()
  const message = await mail.take('neu@example.com')
  assert.match(message.source, /<html lang=3D"de">|<html lang="de">/)
  assert.match(message.text, /Falls Sie das nicht waren/)
})

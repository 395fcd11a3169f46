import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import type { Page } from 'playwright-core'
import { entry } from '../../web/src/words/entry.ts'
import { connections } from '../../web/src/words/sign-in-rules.ts'
import { ask } from '../harness/processes/console.ts'
import { startDnsServer } from '../harness/servers/dns.ts'
import { startIdentityProvider, type IdentityProvider } from '../harness/servers/oidc.ts'
import { openOrganization } from '../harness/seed/tenants.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'

const PROVIDER = 'Acme login'

const dns = await startDnsServer()
const web = await openWeb({
  console: { private_issuer_hosts: ['127.0.0.1', 'localhost'], dns_servers: [dns.address] },
})
endWithFile(web, dns)
const { database } = web.environment.postgres

/** An organization with a verified domain. Its owner adds the provider in the settings. */
async function openAcme(provider: IdentityProvider, domain: string): Promise<Page> {
  const organization = await openOrganization(database, 'ample')
  const owner = await web.openPerson({ organizationId: organization.id, role: 'owner' })
  const as = { ...owner.as, origin: web.origin }
  const root = `${web.origin}/management/v1/organizations/${organization.id}`
  const added = await ask(root, 'POST', '/domains', { as, body: { domain } })
  const { name, value } = added.body['record'] as { name: string; value: string }
  dns.records.set(name, [value])
  const verified = await ask(root, 'POST', `/domains/${added.body.id}/verify`, { as, body: {} })
  assert.equal(verified.status, 200, verified.text)
  const page = await web.openPage()
  await signIn(page, web, owner)
  const { slug } = await database
    .selectFrom('organizations')
    .select('slug')
    .where('id', '=', organization.id)
    .executeTakeFirstOrThrow()
  await page.goto(`${web.origin}/o/${slug}/settings/sign-in`)
  await addProvider(page, provider)
  return page
}

async function addProvider(page: Page, provider: IdentityProvider): Promise<void> {
  await page.getByRole('button', { name: connections.add }).click()
  const dialog = page.getByRole('dialog')
  // The provider asks for it before it gives a client id.
  const shown = (await dialog.locator('[data-shows=id]').innerText()).trim()
  provider.redirectUris.add(shown)
  await dialog.getByLabel(connections.name).fill(PROVIDER)
  await dialog.getByLabel(connections.issuer).fill(provider.issuer)
  await dialog.getByLabel(connections.clientId).fill(provider.clientId)
  await dialog.getByLabel(connections.clientSecret).fill(provider.clientSecret)
  await dialog.getByRole('button', { name: connections.add }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('region', { name: PROVIDER }).getByText(shown).waitFor()
  const { id } = await database
    .selectFrom('sso_connections')
    .select('id')
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow()
  assert.equal(shown, `${web.origin}/management/v1/sso/callback/${id}`)
}

async function goToProvider(page: Page, email: string, to: string): Promise<void> {
  await page.goto(`${web.origin}/sign-in?to=${to}`)
  await page.getByLabel(entry.email).fill(email)
  await page.getByRole('button', { name: entry.continue }).click()
  await page.locator('input[name=password]').waitFor()
  await page.getByRole('button', { name: entry.signIn.sso(PROVIDER) }).click()
}

async function signInAtProvider(page: Page, email: string, to: string): Promise<void> {
  await goToProvider(page, email, to)
  await page.locator('input[name=login]').fill(email)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('the domain of an address leads to its identity provider and back', async () => {
  await using provider = await startIdentityProvider()
  await openAcme(provider, 'acme.example')
  const page = await web.openPage()
  await signInAtProvider(page, 'jane@acme.example', '/account/sessions')
  await page.getByRole('cell', { name: 'Identity provider' }).waitFor()
  assert.equal(page.url(), `${web.origin}/account/sessions`)
})

test('whoever is signed in to another account is told so, and decides', async () => {
  await using provider = await startIdentityProvider()
  const page = await openAcme(provider, 'other.example')
  await signInAtProvider(page, 'jane@other.example', '/account/sessions')
  await page.getByRole('heading', { name: entry.otherSession.title }).waitFor()
  await page.getByText('This browser is signed in as').waitFor()
  await page.getByRole('link', { name: entry.otherSession.stay }).waitFor()
  await page.getByRole('button', { name: entry.otherSession.signOut }).click()
  await page.getByLabel(entry.email).waitFor()
  // The provider still knows who it is.
  await goToProvider(page, 'jane@other.example', '/account/sessions')
  await page.getByRole('cell', { name: 'Identity provider' }).waitFor()
})

test('a provider that does not answer is named on the page', async () => {
  const provider = await startIdentityProvider()
  await openAcme(provider, 'away.example')
  await provider[Symbol.asyncDispose]()
  const page = await web.openPage()
  await page.goto(`${web.origin}/sign-in`)
  await page.getByLabel(entry.email).fill('jane@away.example')
  await page.getByRole('button', { name: entry.continue }).click()
  await page.getByRole('button', { name: entry.signIn.sso(PROVIDER) }).click()
  await page.getByText('The identity provider does not answer.').waitFor()
})

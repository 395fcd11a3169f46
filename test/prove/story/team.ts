import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { audit } from '../../../web/src/words/audit.ts'
import { entry } from '../../../web/src/words/entry.ts'
import { keys } from '../../../web/src/words/keys.ts'
import { inviting, members } from '../../../web/src/words/members.ts'
import { roles } from '../../../web/src/words/roles.ts'
import { shell } from '../../../web/src/words/shell.ts'
import { connections, domains } from '../../../web/src/words/sign-in-rules.ts'
import { PASSWORD } from '../../harness/clients/sign-in.ts'
import { finishRegistration } from './arrival.ts'
import type { Bench } from './bench.ts'
import { DOMAIN, linkIn, openPageOf, ORGANIZATION, type People } from './people.ts'

const PROVIDER = 'Mill accounts'

/** The owner invites somebody as a viewer. Returns the link of the email. */
export async function invite(bench: Bench, { owner, viewer }: People): Promise<string> {
  const { page } = owner
  await openPageOf(bench, owner, '/members')
  await page.getByRole('button', { name: members.invite }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(inviting.email).fill(viewer.email)
  await dialog.getByLabel(inviting.role).selectOption(roles.names.viewer)
  await bench.keepPicture(page, 'invite')
  await dialog.getByRole('button', { name: inviting.send }).click()
  await page.getByText(inviting.sent(viewer.email)).waitFor()
  return linkIn((await bench.mail.take(viewer.email)).text)
}

/** Who is invited joins with one form, and sees less than the owner. */
export async function join(bench: Bench, people: People, link: string): Promise<string[]> {
  const { page } = people.viewer
  await page.goto(link)
  await page.getByRole('heading', { name: entry.join.title(ORGANIZATION.name) }).waitFor()
  await bench.keepPicture(page, 'join')
  await page.getByLabel(entry.welcome.name).fill(people.viewer.name)
  await page.getByLabel(entry.password, { exact: true }).fill(PASSWORD)
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: entry.join.create }).click()
  await page.getByRole('navigation', { name: shell.mainNavigation }).waitFor()
  await openPageOf(bench, people.owner, '')
  const [all, some] = await Promise.all([pagesOf(people.owner.page), pagesOf(page)])
  const missing = all.filter((name) => !some.includes(name))
  assert.ok(missing.length > 0, 'the viewer is offered all that the owner is')
  assert.deepEqual(
    some.filter((name) => !all.includes(name)),
    [],
  )
  await bench.keepPicture(page, 'viewer')
  await openPageOf(bench, people.viewer, '/keys')
  await page.getByRole('heading', { name: keys.title, level: 1 }).waitFor()
  assert.equal(await page.getByRole('button', { name: keys.create }).count(), 0)
  return missing
}

/** The pages that the navigation offers. */
async function pagesOf(page: Page): Promise<string[]> {
  const links = page.getByRole('navigation', { name: shell.mainNavigation }).getByRole('link')
  await links.first().waitFor()
  return links.allTextContents()
}

/** The owner connects the identity provider and verifies the domain by DNS. */
export async function connectProvider(bench: Bench, { owner }: People): Promise<void> {
  const { page } = owner
  await openPageOf(bench, owner, '/settings/sign-in')
  await page.getByRole('button', { name: connections.add }).click()
  const dialog = page.getByRole('dialog')
  const { issuer, clientId, clientSecret } = bench.provider
  const redirectUri = await dialog.locator('[data-shows=id]').innerText()
  bench.provider.redirectUris.add(redirectUri.trim())
  await bench.keepPicture(page, 'sso-redirect-uri')
  await dialog.getByLabel(connections.name).fill(PROVIDER)
  await dialog.getByLabel(connections.issuer).fill(issuer)
  await dialog.getByLabel(connections.clientId).fill(clientId)
  await dialog.getByLabel(connections.clientSecret).fill(clientSecret)
  await dialog.getByRole('button', { name: connections.add }).click()
  await page.getByRole('region', { name: PROVIDER }).waitFor()
  await page.getByLabel(domains.domain, { exact: true }).fill(DOMAIN)
  const added = page.waitForResponse(
    (answer) => answer.url().endsWith('/domains') && answer.request().method() === 'POST',
  )
  await page.getByRole('button', { name: domains.add }).click()
  const { record } = (await (await added).json()) as { record: { name: string; value: string } }
  await page.getByText(record.value).waitFor()
  await bench.keepPicture(page, 'sso-settings')
  bench.dns.records.set(record.name, [record.value])
  await page.getByRole('button', { name: domains.verify }).click()
  await page.getByText(domains.verified, { exact: true }).waitFor()
}

/** A colleague who has no account signs in with the identity provider and is a member. */
export async function signInWithSso(bench: Bench, { colleague }: People): Promise<void> {
  const { page, email, name } = colleague
  bench.provider.people.set('cleo', { email, name })
  await page.goto(`${bench.web.origin}/sign-in?to=/o/${ORGANIZATION.slug}/keys`)
  await page.getByLabel(entry.email, { exact: true }).fill(email)
  await page.getByRole('button', { name: entry.continue }).click()
  const way = page.getByRole('button', { name: entry.signIn.sso(PROVIDER) })
  await way.waitFor()
  await bench.keepPicture(page, 'sso-sign-in')
  await way.click()
  await page.waitForURL((url) => url.origin !== bench.web.origin)
  await page.getByRole('textbox').fill('cleo')
  await page.getByRole('button').click()
  await finishRegistration(colleague, { organization: false })
  await page.getByRole('navigation', { name: shell.mainNavigation }).waitFor()
  await openPageOf(bench, colleague, '/keys')
  await page.getByRole('button', { name: keys.create }).first().waitFor()
  await bench.keepPicture(page, 'sso-signed-in')
}

/** The audit log tells the whole story. Returns the actions that it must have and has not. */
export async function readAudit(
  bench: Bench,
  { owner }: People,
  expected: readonly string[],
): Promise<string[]> {
  const { page } = owner
  // Visits of the playground are left out by default.
  await openPageOf(bench, owner, '/audit?playground=shown')
  await page.getByRole('heading', { name: audit.title, level: 1 }).waitFor()
  await page.getByRole('row').nth(expected.length).waitFor()
  await bench.keepPicture(page, 'audit')
  const told = (await page.getByRole('row').allTextContents()).join('\n')
  return expected.filter((action) => !told.includes(action))
}

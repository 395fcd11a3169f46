import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { endSessions } from '../../src/store/sign-in/sessions.ts'
import { findViolations } from '../harness/browser/axe.ts'
import { visit } from '../harness/browser/visit.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'
import { openOrganization } from '../harness/seed/tenants.ts'
import { openPersonWithPassword, signInByHand, signOutByHand } from './entry-people.ts'

const web = await openWeb()
after(() => web[Symbol.asyncDispose]())
const { database } = web.environment.postgres

/** How often the page went to the sign-in page. */
function countSignIns(page: Page): () => number {
  let count = 0
  page.on('framenavigated', (frame) => {
    if (new URL(frame.url()).pathname === '/sign-in') count += 1
  })
  return () => count
}

test('a session that ended on the server leads to sign-in once, and back again', async () => {
  const person = await openPersonWithPassword(web)
  const page = await web.openPage()
  await signIn(page, web, person)
  await page.goto(`${web.origin}/account/profile`)
  await page.getByRole('main').getByText(person.email).waitFor()
  // A request of this page that is still on its way would lead to sign-in before the click does.
  await page.waitForLoadState('networkidle')
  const signIns = countSignIns(page)
  await endSessions(database, person.accountId)
  await page.getByRole('link', { name: 'Sessions' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('to'), '/account/sessions')
  // Whatever else fails afterwards does not lead there again.
  await page.waitForLoadState('networkidle')
  assert.equal(signIns(), 1)
  await signInByHand(page, person.email)
  await page.getByText('This one').waitFor()
  assert.equal(new URL(page.url()).pathname, '/account/sessions')
})

/** A form with a name in it, whose session ends before it is sent. */
async function sendWithoutSession(name: string) {
  const { id: organizationId, slug } = await openTenant()
  const owner = await openPersonWithPassword(web, { organizationId, role: 'owner' })
  const page = await web.openPage()
  await signIn(page, web, owner)
  await visit(page, `${web.origin}/o/${slug}/projects`)
  await page.getByRole('main').getByRole('button', { name: 'New project' }).click()
  const form = page.getByRole('dialog', { name: 'New project' })
  await form.getByLabel('Name').fill(name)
  await endSessions(database, owner.accountId)
  await form.getByRole('button', { name: 'Create project' }).click()
  const ended = page.getByRole('dialog', { name: 'Your session has ended' })
  await ended.getByText(`Sign in again as ${owner.email}`).waitFor()
  assert.deepEqual(await findViolations(page), [])
  const opened = page.context().waitForEvent('page')
  await ended.getByRole('link', { name: 'Sign in again' }).click()
  return { page, form, ended, owner, other: await opened }
}

async function openTenant() {
  const { id } = await openOrganization(database, 'ample')
  const { slug } = await database
    .selectFrom('organizations')
    .select('slug')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return { id, slug }
}

const countProjects = async (name: string) =>
  (await database.selectFrom('projects').select('id').where('name', '=', name).execute()).length

test('a form whose session has ended is hidden, kept, and sent after signing in', async () => {
  const name = 'typed before the end'
  const { page, form, ended, owner, other } = await sendWithoutSession(name)
  // Nothing of the page is shown without a session.
  assert.equal(await form.count(), 0)
  assert.equal(await page.locator('input').first().inputValue(), name)
  await signInByHand(other, owner.email)
  await ended.waitFor({ state: 'detached' })
  await page.getByRole('link', { name }).first().waitFor()
  assert.equal(await countProjects(name), 1)
  await page.context().close()
})

test('another person who signs in does not send the form of the one before', async () => {
  const name = 'typed by somebody else'
  const { page, other } = await sendWithoutSession(name)
  const { email } = await openPersonWithPassword(web)
  await signInByHand(other, email)
  await page.getByText('You don’t belong to an organization yet').waitFor()
  assert.equal(await page.locator('dialog[open]').count(), 0)
  assert.equal(await countProjects(name), 0)
  await page.context().close()
})

test('tabs of one browser sign out and in together', async () => {
  const person = await openPersonWithPassword(web)
  const first = await web.openPage()
  await signIn(first, web, person)
  const second = await first.context().newPage()
  for (const page of [first, second]) {
    await page.goto(`${web.origin}/account/security`)
    await page.getByText('Authenticator app').waitFor()
  }
  await signOutByHand(first)
  await second.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.equal(new URL(second.url()).searchParams.get('to'), '/account/security')
  await signInByHand(first, person.email)
  await second.getByText('Authenticator app').waitFor()
})

test('after signing out, the back button shows nothing of the person', async () => {
  const person = await openPersonWithPassword(web)
  const page = await web.openPage()
  await signIn(page, web, person)
  await page.goto(`${web.origin}/account/profile`)
  await page.getByRole('main').getByText(person.email).waitFor()
  await signOutByHand(page)
  // In every document from now on. A text, because the type checker does not know its globals.
  await page.addInitScript(`
    globalThis.wasShown = false
    const look = () => {
      if (document.documentElement.innerText.includes(${JSON.stringify(person.email)}))
        globalThis.wasShown = true
    }
    new MutationObserver(look).observe(document, { childList: true, subtree: true })
  `)
  await page.goBack()
  await page.waitForURL(({ pathname, search }) => pathname === '/sign-in' && search !== '')
  assert.equal(await page.evaluate('globalThis.wasShown'), false)
})

test('an address of another site, or of no page, is no way back', async () => {
  const { email } = await openPersonWithPassword(web)
  for (const to of ['//evil.example/', 'https://evil.example/', '/\\evil.example', '/no/page']) {
    const page = await web.openPage()
    await page.goto(`${web.origin}/sign-in?to=${encodeURIComponent(to)}`)
    await signInByHand(page, email)
    await page.getByText('You don’t belong to an organization yet').waitFor()
    assert.equal(new URL(page.url()).origin, web.origin)
    await page.context().close()
  }
})

// What people see of an organization whose requests are refused, and of what is not for them.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations } from '../harness/browser/axe.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { ask, type Person } from '../harness/processes/console.ts'
import { openOrganization } from '../harness/seed/tenants.ts'
import { support as words } from '../../web/src/words/settings.ts'
import { shell, supportBar } from '../../web/src/words/shell.ts'

/** A list of organizations of this age is read again with the next page. */
const OLD_MS = 3_500
/** With `OLD_MS` less than the time after which the list is read without a navigation. */
const NAVIGATION_MS = 25_000
const TIMEOUT_MS = 60_000

const web = await openWeb()
after(() => web[Symbol.asyncDispose]())

async function openTenant(plan = 'prepaid') {
  const { database } = web.environment.postgres
  const { id } = await openOrganization(database, plan)
  const { slug } = await database
    .selectFrom('organizations')
    .select('slug')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return { id, slug }
}

/** Answers that were errors, of all pages of a test. */
const failures: string[] = []

async function openAt(person: Person, path: string): Promise<Page> {
  const page = await web.openPage({ reducedMotion: 'reduce' })
  await signIn(page, web, person)
  page.on('response', (response) => {
    if (response.status() >= 400) failures.push(`${response.status()} ${response.url()}`)
  })
  await page.goto(`${web.origin}${path}`)
  return page
}

test('without a balance every page says so, and leads to billing or to people', async () => {
  const { id, slug } = await openTenant()
  const owner = await web.openPerson({ organizationId: id, role: 'owner' })
  const member = await web.openPerson({ organizationId: id, role: 'member' })
  const text = 'Nothing is left of the balance. Requests get 402 until money is added.'
  const page = await openAt(owner, `/o/${slug}/models`)
  await page.getByText(text).waitFor()
  assert.deepEqual(await findViolations(page), [])
  await page.getByRole('link', { name: 'Open billing' }).click()
  await page.getByRole('heading', { level: 1, name: 'Billing' }).waitFor()
  await page.getByText(text).waitFor()
  await page.context().close()
  const other = await openAt(member, `/o/${slug}/keys`)
  await other.getByText(text).waitFor()
  await other.getByText('Ask an owner or an admin of').waitFor()
  assert.equal(await other.getByRole('link', { name: 'Open billing' }).count(), 0)
  await other.context().close()
})

test('support sees on every page whose organization it reads until when, and leaves', async () => {
  const { database } = web.environment.postgres
  const { id, slug } = await openTenant('ample')
  const name = 'Acme Waterworks'
  await database.updateTable('organizations').set({ name }).where('id', '=', id).execute()
  const owner = await web.openPerson({ organizationId: id, role: 'owner' })
  const as = { ...owner.as, origin: web.origin }
  const root = `${web.origin}/management/v1/organizations/${id}`
  const granted = await ask(root, 'POST', '/support-access', { as, body: { hours: 1 } })
  assert.equal(granted.status, 201, granted.text)
  const support = await web.openPerson({ platformRole: 'support' })
  const page = await openAt(support, `/o/${slug}/limits`)
  const bar = page.getByRole('region', { name: supportBar.name })
  const sentence = supportBar.text(name, '').slice(0, -'. Its owners see what you read.'.length)
  await bar.getByText(sentence).waitFor()
  assert.equal(await page.getByRole('button', { name: slug }).count(), 0)
  await page
    .getByRole('button', { name: `${name} ${shell.supportSubtitle}` })
    .first()
    .waitFor()
  assert.deepEqual(await findViolations(page), [])
  await page.getByRole('link', { name: shell.pages.models }).first().click()
  await page.getByRole('heading', { level: 1, name: shell.pages.models }).waitFor()
  await bar.getByText(sentence).waitFor()
  await bar.getByRole('link', { name: supportBar.leave }).click()
  await page.waitForURL(`${web.origin}/operator/organizations/${slug}`)
  await page.getByRole('heading', { level: 1, name }).waitFor()
  assert.equal(await bar.count(), 0)
  await page.context().close()
  const other = await openAt(owner, `/o/${slug}/settings/support`)
  const visits = other.getByRole('table', { name: words.reads }).getByRole('row')
  await visits.filter({ hasText: support.email }).first().waitFor()
  const lines = await visits.filter({ hasText: support.email }).allInnerTexts()
  assert.ok(
    lines.some((line) => line.includes(' · ')),
    lines.join('\n'),
  )
  assert.equal(await other.getByRole('region', { name: supportBar.name }).count(), 0)
  await other.context().close()
})

test('an organization that is not there is one page, which leads to those that are', async () => {
  failures.length = 0
  const { id, slug } = await openTenant('ample')
  const member = await web.openPerson({ organizationId: id, role: 'member' })
  const page = await openAt(member, '/o/nope/limits')
  await page.getByRole('heading', { level: 1, name: 'No access' }).waitFor()
  const text = page.getByText(`There is no organization “nope”`)
  await text.waitFor()
  const [textAt, cardAt] = [await text.boundingBox(), await page.locator('.card').boundingBox()]
  assert.ok(textAt!.y - cardAt!.y >= 8, `the text is ${textAt!.y - cardAt!.y} px from the edge`)
  await page.getByText(`You are ${member.email}.`).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Members' }).count(), 0)
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual(failures, [])
  const own = page.getByRole('list', { name: 'Your organizations' })
  await own.getByRole('link').click()
  await page.waitForURL(`${web.origin}/o/${slug}`)
  await page.context().close()
})

test('a page for other roles says for which, and whom to ask', async () => {
  failures.length = 0
  const { id, slug } = await openTenant('ample')
  await web.openPerson({ organizationId: id, role: 'owner' })
  const member = await web.openPerson({ organizationId: id, role: 'member' })
  const page = await openAt(member, `/o/${slug}/billing`)
  await page.getByRole('heading', { level: 1, name: 'Not for your role' }).waitFor()
  await page.getByText('Only viewers, admins, and owners see this page.').waitFor()
  await page.getByText('You are a member. Ask Test Person.').waitFor()
  assert.deepEqual(await findViolations(page), [])
  await page.goto(`${web.origin}/o/${slug}/settings/retention`)
  await page.getByText('Only admins and owners see this page.').waitFor()
  await page.goto(`${web.origin}/operator`)
  await page.getByText('Only operators and support of this service see this page.').waitFor()
  assert.deepEqual(failures, [])
  await page.context().close()
})

test('Go to offers only pages that the role may open', async () => {
  const { id, slug } = await openTenant('ample')
  const member = await web.openPerson({ organizationId: id, role: 'member' })
  const page = await openAt(member, `/o/${slug}/models`)
  await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'Limits' }).waitFor()
  for (const name of ['Billing', 'Audit'])
    assert.equal(await page.getByRole('option', { name }).count(), 0, name)
  await page.context().close()
})

test('another role and the end of a membership are seen with the next page', async () => {
  const { id, slug } = await openTenant('ample')
  const person = await web.openPerson({ organizationId: id, role: 'member' })
  let readAt = Infinity
  const page = await openAt(person, `/o/${slug}/models`)
  page.on('requestfinished', (request) => {
    if (request.url().includes('/me/organizations')) readAt = Date.now()
  })
  await page.reload()
  const side = page.locator('aside')
  await side.getByRole('link', { name: 'Limits' }).waitFor()
  const { database } = web.environment.postgres
  /** Goes to another page once the list is so old that it is read again. */
  const go = async (name: string) => {
    const isOld = () => Date.now() - readAt > OLD_MS
    await waitUntil('the list of organizations to be older', isOld, TIMEOUT_MS)
    await side.getByRole('link', { name }).click()
  }
  const timeout = NAVIGATION_MS
  await database
    .updateTable('memberships')
    .set({ role: 'admin' })
    .where('account_id', '=', person.accountId)
    .execute()
  await go('Limits')
  await side.getByRole('link', { name: 'Billing' }).waitFor({ timeout })
  await database.deleteFrom('memberships').where('account_id', '=', person.accountId).execute()
  await go('Models')
  await page.getByRole('heading', { level: 1, name: 'No access' }).waitFor({ timeout })
  await page.context().close()
})

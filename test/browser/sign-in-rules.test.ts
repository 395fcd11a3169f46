import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { everywhere } from '../../web/src/words/everywhere.ts'
import { groupRoles, networks, provisioning, rules } from '../../web/src/words/sign-in-rules.ts'
import { openOrganization } from '../harness/seed/tenants.ts'
import { settled, visit } from '../harness/browser/visit.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'

const web = await openWeb()
after(() => web[Symbol.asyncDispose]())
const { database } = web.environment.postgres

async function openRules() {
  const { page, id, address } = await openOwner()
  await visit(page, address)
  return { page, id }
}

async function openOwner() {
  const { id } = await openOrganization(database, 'ample')
  const owner = await web.openPerson({ organizationId: id, role: 'owner' })
  const page = await web.openPage()
  await signIn(page, web, owner)
  const { slug } = await readOrganization(id)
  return { page, id, address: `${web.origin}/o/${slug}/settings/sign-in` }
}

function readOrganization(id: string) {
  return database
    .selectFrom('organizations')
    .select(['slug', 'session_hours', 'allowed_networks'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

type Words = { readonly save: string; readonly change: string }

/** Fills a field, and saves and confirms its form. */
async function save(page: Page, label: string, text: string, words: Words): Promise<void> {
  const field = page.getByLabel(label)
  await field.fill(text)
  await page.locator('form', { has: field }).getByRole('button', { name: words.save }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: words.change }).click()
}

/** The form shows what is stored once there is nothing to save any more. */
async function waitUntilStored(page: Page, label: string): Promise<void> {
  const form = page.locator('form', { has: page.getByLabel(label) })
  await form.locator('button[type=submit]:disabled').waitFor()
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
}

test('an owner sets how long sessions last, and takes the bound away again', async () => {
  const { page, id } = await openRules()
  const saveHours = async (hours: string) => {
    await save(page, rules.sessionHours, hours, rules)
    await waitUntilStored(page, rules.sessionHours)
    return (await readOrganization(id)).session_hours
  }
  assert.equal(await saveHours('8'), 8)
  assert.equal(await page.getByLabel(rules.sessionHours).inputValue(), '8')
  assert.equal(await saveHours(''), null)
})

test('an owner allows networks, and is told which one would lock them out', async () => {
  const { page, id } = await openRules()
  const saveNetworks = (text: string) => save(page, networks.list, text, networks)
  await saveNetworks('127.0.0.0/8\n192.0.2.0/24')
  await waitUntilStored(page, networks.list)
  const kept = ['127.0.0.0/8', '192.0.2.0/24']
  assert.deepEqual((await readOrganization(id)).allowed_networks, kept)
  await saveNetworks('192.0.2.0/24')
  await page.getByRole('alertdialog').getByText('you would lock yourself out').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await saveNetworks('127.0.0.0/8 not-a-network')
  await page.getByRole('alertdialog').getByText('must be a network such as 192.0.2.0/24').waitFor()
  assert.deepEqual((await readOrganization(id)).allowed_networks, kept)
})

test('an owner makes a SCIM token, sees it once, and revokes it', async () => {
  const { page, id } = await openRules()
  await page.getByRole('button', { name: provisioning.create }).click()
  await page.getByLabel(provisioning.name).fill('Entra ID')
  await page.getByRole('button', { name: provisioning.createButton }).click()
  const secret = await page.locator('[data-shows=secret] code').innerText()
  assert.match(secret, /^headrace_scim_/)
  const list = async () =>
    fetch(`${web.origin}/scim/v2/Users`, { headers: { authorization: `Bearer ${secret}` } })
  assert.equal((await list()).status, 200)
  await page.getByRole('button', { name: everywhere.copiedIt }).click()
  const token = page.getByRole('region', { name: 'Entra ID' })
  await token.getByRole('button', { name: provisioning.revoke }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByRole('button', { name: provisioning.revoke }).click()
  await token.getByText(provisioning.revoked).waitFor()
  assert.equal((await list()).status, 401)
  assert.ok(!(await page.content()).includes(secret))
  const stored = database.selectFrom('scim_tokens').select('name')
  assert.deepEqual(await stored.where('organization_id', '=', id).execute(), [{ name: 'Entra ID' }])
})

test('an owner gives a group a role, and is told what that means for owners', async () => {
  const { page, id } = await openRules()
  const form = page.locator('form', { has: page.getByRole('button', { name: groupRoles.add }) })
  await form.getByRole('button', { name: groupRoles.add }).click()
  await form.getByLabel(groupRoles.group, { exact: true }).fill('Platform team')
  await form.getByLabel(groupRoles.role, { exact: true }).selectOption('owner')
  await form.getByRole('button', { name: groupRoles.save }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText(groupRoles.owners).waitFor()
  await dialog.getByRole('button', { name: groupRoles.change }).click()
  await form.locator('button[type=submit]:disabled').waitFor()
  const stored = database.selectFrom('scim_roles').select(['group_name', 'role'])
  assert.deepEqual(await stored.where('organization_id', '=', id).execute(), [
    { group_name: 'platform team', role: 'owner' },
  ])
})

/** Notes, whenever a page shows its cards, how many still load and how long they were hidden. */
const WATCH_ARRIVALS = `(() => {
  const arrivals = []
  let hiddenSince
  new MutationObserver(() => {
    const page = document.querySelector('.page[data-arrived]')
    if (page?.dataset.arrived === 'false') hiddenSince ??= performance.now()
    if (page?.dataset.arrived !== 'true' || hiddenSince === undefined) return
    const loading = page.querySelectorAll('[data-shows=loading]').length
    arrivals.push({ loading, hiddenMs: performance.now() - hiddenSince })
    hiddenSince = undefined
  }).observe(document, { subtree: true, childList: true, attributeFilter: ['data-arrived'] })
  Object.defineProperty(window, '__arrivals', { value: arrivals })
})()`

type Arrival = { readonly loading: number; readonly hiddenMs: number }

/** A page waits a second for its readings. */
const WAITS_MS = 1_000

test('cards appear together, so that none pushes a button away from the pointer', async () => {
  const { page, address } = await openOwner()
  const tokens = Promise.withResolvers<void>()
  await page.route('**/scim-tokens', async (route) => {
    await route.fulfill({ response: await route.fetch() })
    tokens.resolve()
  })
  await page.route('**/domains', async (route) => {
    await tokens.promise
    await route.continue()
  })
  await page.addInitScript(WATCH_ARRIVALS)
  await page.goto(address)
  await page.getByRole('button', { name: provisioning.create }).waitFor()
  await settled(page)
  const [arrival, ...more] = await page.evaluate<readonly Arrival[]>('window.__arrivals')
  assert.ok(arrival !== undefined && more.length === 0)
  assert.ok(arrival.loading === 0 || arrival.hiddenMs >= WAITS_MS, JSON.stringify(arrival))
})

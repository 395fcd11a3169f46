import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { networks, rules } from '../../web/src/words/sign-in-rules.ts'
import { openOrganization } from '../harness/tenants.ts'
import { openWeb, signIn } from '../harness/web.ts'

const web = await openWeb()
after(() => web[Symbol.asyncDispose]())
const { database } = web.environment.postgres

async function openRules(): Promise<{ readonly page: Page; readonly id: string }> {
  const { id } = await openOrganization(database, 'ample')
  const owner = await web.openPerson({ organizationId: id, role: 'owner' })
  const page = await web.openPage()
  await signIn(page, web, owner)
  const { slug } = await readOrganization(id)
  await page.goto(`${web.origin}/o/${slug}/settings/sign-in`)
  return { page, id }
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

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { openOrganization } from '../harness/seed/tenants.ts'
import { visit } from '../harness/browser/visit.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'

const web = await openWeb()
after(() => web[Symbol.asyncDispose]())
const { database } = web.environment.postgres

async function open(role: 'owner' | 'member') {
  const { id: organizationId } = await openOrganization(database, 'ample')
  const { slug, name } = await database
    .selectFrom('organizations')
    .select(['slug', 'name'])
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
  const person = await web.openPerson({ organizationId, role })
  const page = await web.openPage()
  await signIn(page, web, person)
  return { organizationId, slug, name, person, page }
}

test('a person downloads their data, then deletes the account by typing its address', async () => {
  const { person, page } = await open('member')
  await visit(page, `${web.origin}/account/profile`)
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download my data' }).click()
  const text = await readFile(await (await downloading).path(), 'utf8')
  assert.equal((JSON.parse(text) as { account: { id: string } }).account.id, person.accountId)
  await page.getByRole('button', { name: 'Delete the account' }).click()
  const dialog = page.getByRole('alertdialog')
  const button = dialog.getByRole('button', { name: 'Delete the account' })
  assert.equal(await button.isDisabled(), true)
  await dialog.getByLabel(`Type ${person.email} to confirm`).fill(person.email)
  await button.click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  const row = await database
    .selectFrom('accounts')
    .select('deleted_at')
    .where('id', '=', person.accountId)
    .executeTakeFirstOrThrow()
  assert.notEqual(row.deleted_at, null)
})

test('the only owner reads which organization stands in the way, and deletes it', async () => {
  const { page, person, slug, name, organizationId } = await open('owner')
  await visit(page, `${web.origin}/account/profile`)
  await page.getByRole('button', { name: 'Delete the account' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByLabel(`Type ${person.email} to confirm`).fill(person.email)
  await dialog.getByRole('button', { name: 'Delete the account' }).click()
  await dialog.getByText(`You are the only owner of ${slug}`).waitFor()
  await visit(page, `${web.origin}/o/${slug}/settings/general`)
  await page.getByRole('button', { name: 'Delete the organization' }).click()
  const button = dialog.getByRole('button', { name: 'Delete the organization' })
  assert.equal(await button.isDisabled(), true)
  await dialog.getByLabel(`Type ${name} to confirm`).fill(name)
  await button.click()
  await page.waitForURL(`${web.origin}/account/organizations`)
  await page.getByText('You don’t belong to an organization yet').waitFor()
  const row = await database
    .selectFrom('organizations')
    .select('deleted_at')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
  assert.notEqual(row.deleted_at, null)
})

test('an operator deletes an organization and its owner in the console', async () => {
  const { name, slug, person } = await open('owner')
  const operator = await web.openPerson({ platformRole: 'operator' })
  const page = await web.openPage()
  await signIn(page, web, operator)
  await visit(page, `${web.origin}/operator/organizations/${slug}`)
  await page.getByRole('button', { name: 'Delete the organization' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByLabel(`Type ${name} to confirm`).fill(name)
  await dialog.getByRole('button', { name: 'Delete the organization' }).click()
  await page.waitForURL(`${web.origin}/operator/organizations`)
  await visit(page, `${web.origin}/operator/accounts/${person.accountId}`)
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete account' }).click()
  await dialog.getByLabel(`Type ${person.email} to confirm`).fill(person.email)
  await dialog.getByRole('button', { name: 'Delete the account' }).click()
  await page.waitForURL(`${web.origin}/operator/accounts`)
})

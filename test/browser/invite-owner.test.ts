// An operator invites an owner into an organization that nobody is in.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { findViolations } from '../harness/browser/axe.ts'
import { visit } from '../harness/browser/visit.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'
import { openOrganization } from '../harness/seed/tenants.ts'

const web = await openWeb()
after(() => web[Symbol.asyncDispose]())

test('an operator gets the link for an owner, and the page says who is invited', async () => {
  const { id } = await openOrganization(web.environment.postgres.database, 'ample')
  const page = await web.openPage({ locale: 'en-GB' })
  await signIn(page, web, await web.openPerson({ platformRole: 'operator' }))
  await visit(page, `${web.origin}/operator/organizations/${id}`)
  await page.getByText('Nobody is in it.').waitFor()
  await page.getByRole('button', { name: 'Invite an owner' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite an owner' })
  await dialog.getByLabel('Email address').fill('jane@example.com')
  assert.deepEqual(await findViolations(page), [])
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
  const sent = page.getByRole('dialog', { name: 'Send this link yourself' })
  await sent.getByText(/\/join#token=/).waitFor()
  await sent.getByRole('button', { name: 'I’ve copied it' }).click()
  await page.getByText(/jane@example\.com.* is invited as owner\. The link works until/).waitFor()
  assert.deepEqual(await findViolations(page), [])
  await page.getByRole('button', { name: 'Invite an owner' }).click()
  await page.getByText('The link for jane@example.com stops working.').waitFor()
})

// covers: web/src/pages/billing/**
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createOrganization } from '../../src/store/tenants/organizations.ts'
import { openWeb, signIn, type Web } from '../harness/browser/web.ts'
import { startMailServer } from '../harness/servers/smtp.ts'

const CARD = { name: 'Billing contacts' }

const mail = await startMailServer()
const web = await openWeb({
  environment: { HEADRACE_SMTP_URL: mail.url },
  console: { email_from: 'Headrace <no-reply@example.com>' },
})
after(async () => {
  await web[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})

async function openBilling(on: Web, slug: string, role: 'admin' | 'viewer') {
  const settings = { slug, name: slug, plan: 'ample', retention: 'zero' } as const
  const { database } = on.environment.postgres
  const { id } = await createOrganization(database, { ...settings, ownerAccountId: null })
  const page = await on.openPage()
  await signIn(page, on, await on.openPerson({ organizationId: id, role }))
  await page.goto(`${on.origin}/o/${slug}/billing`)
  await page.getByRole('heading', { name: 'Statements' }).waitFor()
  return { page, card: page.getByRole('region', CARD) }
}

test('an admin enters who gets emails about money, and removes them again', async () => {
  const { page, card } = await openBilling(web, 'mill', 'admin')
  await card.getByText('Owners get these emails.').waitFor()
  await card.getByRole('button', { name: 'Change' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email addresses').fill('books@example.com, cfo')
  await dialog.getByRole('button', { name: 'Save contacts' }).click()
  await dialog.getByText('must be an email address').waitFor()
  await dialog.getByRole('button', { name: 'Remove cfo' }).click()
  await dialog.getByRole('button', { name: 'Save contacts' }).click()
  await dialog.waitFor({ state: 'detached' })
  await card.getByText('books@example.com').waitFor()
  await card.getByRole('button', { name: 'Change' }).click()
  await dialog.getByRole('button', { name: 'Remove books@example.com' }).click()
  await dialog.getByRole('button', { name: 'Save contacts' }).click()
  await card.getByText('Owners get these emails.').waitFor()
})

test('a viewer sees no addresses, and without a mail server nobody is asked for any', async () => {
  const { card } = await openBilling(web, 'weaver', 'viewer')
  assert.equal(await card.count(), 0)
  await using without = await openWeb()
  const { card: gone } = await openBilling(without, 'mill', 'admin')
  assert.equal(await gone.count(), 0)
})

// An operator limits what an organization may owe, and the organization sees what is left of it.
// covers: web/src/pages/billing/** web/src/pages/operator/organization/**
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { changeOrganization, createOrganization } from '../../src/store/tenants/organizations.ts'
import { findViolations } from '../harness/browser/axe.ts'
import { visit } from '../harness/browser/visit.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'
import { DEMO_MODEL, limitsOf } from '../harness/environment.ts'

const later = {
  models: [DEMO_MODEL],
  limits: limitsOf(),
  billing: 'postpaid',
  prices: { [DEMO_MODEL]: { input: 1, output: 2 } },
} as const
const web = await openWeb({ plans: { later } })
after(() => web[Symbol.asyncDispose]())
const { database } = web.environment.postgres

/** An organization that owes 123 for an invoice. */
async function openMill(slug: string) {
  const settings = { slug, name: 'Mill', plan: 'later', retention: 'zero' } as const
  const { id } = await createOrganization(database, { ...settings, ownerAccountId: null })
  const owes = { id: `receivable:${id}`, organization_id: id, debits: 123_000_000 }
  await database.insertInto('ledger_accounts').values(owes).execute()
  return id
}

test('an operator sets a credit limit, and the organization sees what is left of it', async () => {
  const id = await openMill('mill')
  const operators = await web.openPage({ locale: 'en-GB' })
  await signIn(operators, web, await web.openPerson({ platformRole: 'operator' }))
  await visit(operators, `${web.origin}/operator/organizations/mill`)
  await operators.getByText('None, 123.00 USD used').waitFor()
  await operators.getByRole('button', { name: 'Set credit limit' }).click()
  const dialog = operators.getByRole('dialog')
  const save = dialog.getByRole('button', { name: 'Set credit limit' })
  await dialog.getByLabel('Limit').fill('much')
  await dialog.getByLabel('Reason').fill('contract 12')
  await save.click()
  await dialog.getByText(/an amount such as 12\.50/).waitFor()
  assert.deepEqual(await findViolations(operators), [])
  await dialog.getByLabel('Limit').fill('1.500,50')
  await save.click()
  await dialog.waitFor({ state: 'detached' })
  await operators.getByText('1,500.50 USD, 123.00 USD used').waitFor()

  const owners = await web.openPage({ locale: 'en-GB' })
  await signIn(owners, web, await web.openPerson({ organizationId: id, role: 'owner' }))
  await visit(owners, `${web.origin}/o/mill/billing`)
  await owners.getByText('123.00 USD used').waitFor()
  await owners.getByText('1,377.50').waitFor()
  assert.deepEqual(await findViolations(owners), [])
})

test('a credit limit that is used up shows on every page, and in the playground', async () => {
  const id = await openMill('kiln')
  await changeOrganization(database, id, { creditLimit: 123_000_000 })
  const page = await web.openPage({ locale: 'en-GB' })
  await signIn(page, web, await web.openPerson({ organizationId: id, role: 'owner' }))
  await visit(page, `${web.origin}/o/kiln`)
  const strip = page.getByRole('status').getByText(/The credit limit is used up/)
  await strip.waitFor()
  await page.getByRole('link', { name: 'Open billing' }).click()
  await page.getByText('123.00 USD used').waitFor()
  await strip.waitFor()
})

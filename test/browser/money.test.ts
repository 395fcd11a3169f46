// covers: web/src/pages/billing/** web/src/pages/operator/organization/**
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createOrganization } from '../../src/store/tenants/organizations.ts'
import { DEMO_MODEL, limitsOf } from '../harness/environment.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'
import { grantFunds } from '../harness/seed/tenants.ts'

const HELP = 'Send a bank transfer with the name of your organization.'
const web = await openWeb({
  plans: {
    team: {
      models: [DEMO_MODEL],
      limits: limitsOf(),
      billing: 'prepaid',
      prices: { [DEMO_MODEL]: { input: 1, output: 2 } },
    },
  },
  console: { funding_help: HELP, contact: 'help@example.com' },
})
after(() => web[Symbol.asyncDispose]())
const { database } = web.environment.postgres

test('without payments billing says how to add money; a grant shows the new balance', async () => {
  const settings = { slug: 'mill', name: 'Mill', plan: 'team', retention: 'zero' } as const
  const { id } = await createOrganization(database, { ...settings, ownerAccountId: null })
  await grantFunds(database, id, 112_150_000)
  const page = await web.openPage()
  await signIn(page, web, await web.openPerson({ organizationId: id, role: 'owner' }))
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  // A link from elsewhere may ask for what this service has not.
  await page.goto(`${web.origin}/o/mill/billing?add=1&payment=${crypto.randomUUID()}`)
  await page.getByText(HELP).waitFor()
  const contact = page.getByRole('link', { name: 'Ask the operator' })
  assert.equal(await contact.getAttribute('href'), 'mailto:help@example.com')
  assert.equal(await page.getByRole('button', { name: 'Add money' }).count(), 0)
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.equal(await page.getByRole('heading', { name: 'Payments' }).count(), 0)
  assert.deepEqual(
    asked.filter((url) => /\/payment/.test(new URL(url).pathname)),
    [],
  )
  // It was created in this month, which may have ended since.
  await page.getByText('so far', { exact: true }).waitFor()
  assert.ok((await page.locator('a[download]').count()) <= 2)
  const operators = await web.openPage()
  await signIn(operators, web, await web.openPerson({ platformRole: 'operator' }))
  await operators.goto(`${web.origin}/operator/organizations/mill`)
  await operators.getByRole('button', { name: 'Grant or adjust' }).click()
  const dialog = operators.getByRole('dialog')
  assert.equal(await dialog.getByText('Balance afterwards').count(), 0)
  await dialog.getByLabel('Amount').fill('1000,50')
  await dialog.getByText('Balance afterwards: 1,112.65 USD').waitFor()
  assert.equal(await page.getByText('Credits that expire').count(), 0)
  await dialog.getByLabel('Reason').fill('trial')
  await dialog.getByLabel('Reference').fill('trial 1')
  await dialog.getByLabel('Expires').fill('2099-01-31')
  await dialog.getByRole('button', { name: 'Grant', exact: true }).last().click()
  await dialog.waitFor({ state: 'detached' })
  await page.reload()
  const credits = page.getByRole('table', { name: 'Credits that expire' })
  await credits.getByRole('cell', { name: '1,000.50 USD' }).first().waitFor()
  assert.match((await credits.getByRole('rowheader').textContent()) ?? '', /2099/)
})

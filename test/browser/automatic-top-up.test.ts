// covers: web/src/pages/billing/top-up/**
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createOrganization } from '../../src/store/tenants/organizations.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'
import { NO_PROVIDER } from '../harness/payments/payment-settings.ts'
import { paidOptions, PREPAID } from '../harness/payments/paying-web.ts'

const web = await openWeb({ plans: { prepaid: PREPAID }, ...paidOptions(NO_PROVIDER) })
after(() => web[Symbol.asyncDispose]())
const { database } = web.environment.postgres

async function openMill(slug: string, role: 'owner' | 'admin') {
  const settings = { slug, name: slug, plan: 'prepaid', retention: 'zero' } as const
  const { id } = await createOrganization(database, { ...settings, ownerAccountId: null })
  const page = await web.openPage()
  await signIn(page, web, await web.openPerson({ organizationId: id, role }))
  await page.goto(`${web.origin}/o/${slug}/billing`)
  return { id, page, card: page.getByRole('region', { name: 'Automatic top-up' }) }
}

const saveCard = async (id: string) =>
  database
    .insertInto('provider_customers')
    .values({ organization_id: id, ref: `cus_${id}`, card_ref: `pm_${id}` })
    .execute()

test('an owner turns it on with three numbers and consent, resumes it, turns it off', async () => {
  const { id, page, card } = await openMill('mill', 'owner')
  await card.getByText('Add money once and save the card').waitFor()
  assert.equal(await card.getByRole('button').count(), 0)
  await saveCard(id)
  await page.reload()
  await card.getByRole('button', { name: 'Turn on' }).click()
  const dialog = page.getByRole('dialog')
  const submit = dialog.getByRole('button', { name: 'Turn on' })
  await dialog.getByLabel('Maximum per month').fill('20')
  assert.equal(await submit.isDisabled(), true, 'without consent')
  await dialog.getByRole('checkbox').check()
  await submit.click()
  await dialog.getByText('must not be below the amount').waitFor()
  await dialog.getByLabel('Maximum per month').fill('150,50')
  await submit.click()
  await card.getByText('of at most 150.50 USD').waitFor()
  await database
    .updateTable('automatic_top_ups')
    .set({ paused: 'declined', paused_at: new Date() })
    .where('organization_id', '=', id)
    .execute()
  await page.reload()
  await card.getByText('The bank declined the card.').waitFor()
  assert.equal(await card.getByRole('button').count(), 1)
  await card.getByRole('button', { name: 'Resume' }).click()
  await card.getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Turn off' }).click()
  await card.getByRole('button', { name: 'Turn on' }).waitFor()
})

test('an admin sees that it is off, and who may turn it on', async () => {
  const { id, page, card } = await openMill('weaver', 'admin')
  await saveCard(id)
  await page.reload()
  await card.getByText('Only owners can turn it on.').waitFor()
  assert.equal(await card.getByRole('button').count(), 0)
})

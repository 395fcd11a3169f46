import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { findDispute } from '../../src/store/payments/disputes.ts'
import { orderReading } from '../../src/store/payments/provider-readings.ts'
import { visit } from '../harness/browser/visit.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'
import { timeUntil } from '../harness/figures/measure.ts'
import { controlOf } from '../harness/payments/provider-client.ts'
import { startScriptedProvider } from '../harness/payments/scripted-provider.ts'
import { ask, openPerson } from '../harness/processes/console.ts'
import { DAY_QUERY, ITEMS_QUERY } from '../harness/seed/provider-day.ts'
import { openOrganization } from '../harness/seed/tenants.ts'

const folder = await mkdtemp(join(tmpdir(), 'payments-'))
const provider = await startScriptedProvider({ journal: join(folder, 'journal') })
const control = controlOf(provider.url)
const web = await openWeb({
  sections: {
    payments: {
      provider: 'stripe',
      tax: 'provider',
      api_url: provider.url,
      page_hosts: ['127.0.0.1'],
    },
  },
  environment: {
    HEADRACE_STRIPE_KEY: 'rk_test_scripted',
    HEADRACE_STRIPE_WEBHOOK_SECRETS: 'whsec_scripted_0123456789',
  },
})
after(async () => {
  await web[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})
const { postgres } = web.environment

/** A paid payment; with `wrong` one whose amount is not what was asked for. */
async function pay({ wrong = false } = {}): Promise<string> {
  const { id: organizationId } = await openOrganization(postgres.database, 'ample')
  const owner = await openPerson(postgres, { organizationId, role: 'owner' })
  const as = { ...owner.as, origin: web.origin }
  const path = `/organizations/${organizationId}/payments`
  const root = web.console.apiRoot
  const body = { amount: { amount: '25.00' } }
  const started = await ask(root, 'POST', path, { as, body })
  assert.equal(started.status, 201, started.text)
  const { id } = started.body
  if (wrong)
    await postgres.database
      .updateTable('payments')
      .set({ amount: 30_000_000 })
      .where('id', '=', id)
      .execute()
  await control.complete(String(started.body['url']).split('/pay/')[1]!)
  const wanted = wrong ? 'attention' : 'succeeded'
  const state = async () => (await ask(root, 'POST', `${path}/${id}/check`, { as })).body['state']
  assert.notEqual(await timeUntil(async () => (await state()) === wanted, 30_000), null)
  return id
}

test('an operator refunds a part of a payment, and sees it in its timeline', async () => {
  const id = await pay()
  const page = await web.openPage()
  await signIn(page, web, await web.openPerson({ platformRole: 'operator' }))
  await visit(page, `${web.origin}/operator/payments`)
  await page.locator('aside').getByRole('link', { name: 'Payments' }).waitFor()
  await page.locator(`a[href$="/operator/payments/${id}"] time`).click()
  const link = page.getByRole('link', { name: 'Open in Stripe' })
  const dashboard = await link.getAttribute('href')
  assert.match(
    dashboard ?? '',
    /^https:\/\/dashboard\.stripe\.com\/acct_\w+\/test\/payments\/pi_\w+$/,
  )
  await page.getByRole('button', { name: 'Refund' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('At most 29.75 USD, with tax.').waitFor()
  await dialog.getByLabel('Amount with tax').fill('30')
  await dialog.getByLabel('Reason').fill('ordered twice')
  await dialog.getByRole('button', { name: 'Refund' }).click()
  await dialog.locator('[aria-invalid=true]').waitFor()
  await dialog.getByLabel('Amount with tax').fill('10')
  await dialog.getByRole('button', { name: 'Refund' }).click()
  await dialog.waitFor({ state: 'detached' })
  const refunds = page.getByRole('region', { name: 'Refunds', exact: true })
  await refunds.getByText('10.00 USD').waitFor()
  await refunds.getByText('1.60 USD').waitFor()
  await refunds.getByText('ordered twice').waitFor()
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await timeline.getByText('A refund was requested').waitFor()
  await timeline.getByText(`payment:${id}`).waitFor()
})

test('an operator decides about a contradicting payment, with both sides in view', async () => {
  const id = await pay({ wrong: true })
  const page = await web.openPage()
  await signIn(page, web, await web.openPerson({ platformRole: 'operator' }))
  await visit(page, `${web.origin}/operator/payments`)
  const queue = page.getByRole('region', { name: 'Needs attention' })
  await queue.locator(`a[href$="/operator/payments/${id}"] time`).click()
  const sides = page.getByRole('region', { name: 'Our record and Stripe’s' })
  await sides.getByText('30.00 USD').waitFor()
  await sides.getByText('25.00 USD').waitFor()
  await page.getByRole('button', { name: 'Resolve' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('price was changed')
  await dialog.getByRole('button', { name: 'Credit as received' }).last().click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('Paid', { exact: true }).waitFor()
})

test('support sees payments and disputes and can change none', async () => {
  const id = await pay()
  const paid = (await control.objects()).find(
    ({ metadata }) => (metadata as { payment_id?: string } | null)?.payment_id === id,
  )
  await control.dispute(String(paid!['payment_intent']), { inquiry: true })
  // As if the webhook had come.
  const dispute = (await control.objects()).findLast(({ object }) => object === 'dispute')
  await orderReading(postgres.database, 'dispute', dispute!.id)
  const page = await web.openPage()
  await signIn(page, web, await web.openPerson({ platformRole: 'support' }))
  const isRead = async () => (await findDispute(postgres.database, dispute!.id)) !== undefined
  assert.notEqual(await timeUntil(isRead, 30_000), null)
  await visit(page, `${web.origin}/operator/payments`)
  const disputes = page.getByRole('region', { name: 'Disputes' })
  await disputes.getByText('Inquiry').waitFor()
  // The name, not an id that means nothing to a person.
  await disputes.getByRole('link', { name: /^test-/ }).waitFor()
  await disputes.locator(`a[href$="/operator/payments/${id}"] time`).click()
  await page.getByRole('region', { name: 'Timeline' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Refund' }).count(), 0)
})

test('the ledger page shows each day in both books, and what to do if they differ', async () => {
  const id = await pay()
  await postgres.pool.query(DAY_QUERY, [4, 0])
  await postgres.pool.query(DAY_QUERY, [3, 10_000_000])
  const item = { about: 'payment', ref: 'pi_1', line: 'txn_1', paymentId: id, missing: 'entry' }
  const items = JSON.stringify([{ ...item, amount: 10_000_000, currency: 'USD' }])
  await postgres.pool.query(ITEMS_QUERY, [items])
  const page = await web.openPage()
  await signIn(page, web, await web.openPerson({ platformRole: 'operator' }))
  await visit(page, `${web.origin}/operator/ledger`)
  const books = page.getByRole('region', { name: 'Stripe’s books' })
  await books.getByText('Equal', { exact: true }).waitFor()
  await books.getByText('Differs', { exact: true }).waitFor()
  await books.getByText('Ledger 0.00 USD').waitFor()
  await books.getByText('18.82 USD').waitFor()
  await books.getByText('If it still differs, open the payment and check it.').waitFor()
  await books.locator(`a[href$="/operator/payments/${id}"]`).click()
  await page.getByRole('region', { name: 'Timeline' }).waitFor()
})

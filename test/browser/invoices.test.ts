// covers: web/src/pages/billing/** web/src/pages/operator/payments/** src/platform/payments/**
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { invoicesOf } from '../../src/store/payments/invoices.ts'
import { findOrganization } from '../../src/store/tenants/organizations.ts'
import { issueStatements } from '../../src/store/ledger/issue-statements.ts'
import { operatorPayments } from '../../web/src/words/operator-payments.ts'
import { statements } from '../../web/src/words/billing.ts'
import { findViolations } from '../harness/browser/axe.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'
import { DEMO_MODEL, limitsOf } from '../harness/environment.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { LAST_MONTH, makeOverdue, spendLastMonth } from '../harness/payments/invoices.ts'
import { paidOptions } from '../harness/payments/paying-web.ts'
import { startScriptedProvider } from '../harness/payments/scripted-provider.ts'
import { openOrganization } from '../harness/seed/tenants.ts'

const folder = await mkdtemp(join(tmpdir(), 'invoices-web-'))
const provider = await startScriptedProvider({ journal: join(folder, 'journal') })
const web = await openWeb({
  plans: { later: { models: [DEMO_MODEL], limits: limitsOf(), billing: 'postpaid' } },
  ...paidOptions(provider.url),
})
after(async () => {
  await web[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})
const { pool, database } = web.environment.postgres

/** An organization whose invoice for the last month is open, and its owner. */
async function openInvoiced() {
  const organization = await openOrganization(database, 'later')
  const { id } = organization
  const { slug, name } = await findOrganization(database, id)
  const owner = await web.openPerson({ organizationId: id, role: 'owner' })
  await spendLastMonth(pool, organization, 80.12)
  const rules = { currency: 'USD', postpaidPlans: ['later'], daysUntilDue: 30 }
  while ((await issueStatements(pool, `${LAST_MONTH}-01`, 100, rules)) === 100);
  await awaitState(id, 'open')
  return { id, slug, name, owner }
}

async function awaitState(organizationId: string, state: string): Promise<void> {
  const isThere = async () => {
    const invoices = await invoicesOf(database, organizationId)
    return invoices.get(LAST_MONTH)?.state === state
  }
  await waitUntil(`an invoice ${state}`, isThere, 60_000)
}

test('an owner sees that an invoice is overdue, and pays it at the provider', async () => {
  const { id, slug, owner } = await openInvoiced()
  await makeOverdue(pool, { id }, 2)
  const page = await web.openPage({ reducedMotion: 'reduce' })
  await signIn(page, web, owner)
  await page.goto(`${web.origin}/o/${slug}/billing`)
  const strip = page.getByRole('status').filter({ hasText: 'is overdue.' })
  await strip.getByText(/requests get 402 from/).waitFor()
  assert.deepEqual(await findViolations(page), [])
  await strip.getByRole('button', { name: /^Pay the invoice/ }).click()
  await page.waitForURL(/\/pay\/in_/)
  await page.getByRole('button', { name: 'ok' }).click()
  await awaitState(id, 'succeeded')
  await page.goto(`${web.origin}/o/${slug}/billing`)
  await page
    .getByRole('table', { name: statements.card })
    .getByText('Paid', { exact: true })
    .waitFor()
  assert.equal(await strip.count(), 0)
})

test('an operator writes an invoice off, with a reason', async () => {
  const { id, name } = await openInvoiced()
  const page = await web.openPage({ reducedMotion: 'reduce' })
  await signIn(page, web, await web.openPerson({ platformRole: 'operator' }))
  await page.goto(`${web.origin}/operator/payments`)
  const row = page.getByRole('row').filter({ hasText: name }).first()
  await row.getByRole('button', { name: operatorPayments.decide }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(operatorPayments.decisions.written_off, { exact: true }).first().click()
  await dialog.getByLabel(operatorPayments.reason).fill('insolvent')
  assert.deepEqual(await findViolations(page), [])
  await dialog
    .getByRole('button', { name: operatorPayments.decisions.written_off, exact: true })
    .last()
    .click()
  await dialog.waitFor({ state: 'detached' })
  await awaitState(id, 'failed')
})

// What lists show first, what they leave out, and fields for several values.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { uuidV7 } from '../../src/lib/uuid.ts'
import { postUsage } from '../../src/store/ledger/usage-records.ts'
import { findProject } from '../../src/store/tenants/projects.ts'
import { findViolations } from '../harness/browser/axe.ts'
import { visit } from '../harness/browser/visit.ts'
import { signIn } from '../harness/browser/web.ts'
import { logged, usageRecord } from '../harness/seed/usage-records.ts'
import { openAcme, type Acme } from './manage/acme.ts'

let acme: Acme

before(async () => {
  acme = await openAcme()
})
after(async () => {
  await acme[Symbol.asyncDispose]()
})

async function open(path: string): Promise<Page> {
  const page = await acme.web.openPage({ locale: 'en-GB' })
  await signIn(page, acme.web, acme.people.owner)
  await visit(page, `${acme.web.origin}/o/acme/${path}`)
  return page
}

test('a heading sorts the keys in the database, and turns the order', async () => {
  const page = await open('keys')
  const table = page.getByRole('table', { name: 'API keys' })
  const first = table.locator('tbody tr').first()
  await first.getByText('production').waitFor()
  await table.getByRole('button', { name: 'Name' }).click()
  await first.getByText('ci', { exact: true }).waitFor()
  const heading = table.getByRole('columnheader', { name: 'Name' })
  assert.equal(await heading.getAttribute('aria-sort'), 'ascending')
  assert.deepEqual(await findViolations(page), [])
  await page.reload()
  await first.getByText('ci', { exact: true }).waitFor()
  await table.getByRole('button', { name: 'Name' }).click()
  await first.getByText('production').waitFor()
  assert.equal(await heading.getAttribute('aria-sort'), 'descending')
})

test('headings sort members and projects in the database, and the address keeps it', async () => {
  const page = await open('members')
  const members = page.getByRole('table', { name: 'Members', exact: true })
  await members.getByRole('button', { name: 'Role', exact: true }).click()
  const role = members.getByRole('columnheader', { name: 'Role' })
  await members.locator('tbody tr').first().getByText('Owner').waitFor()
  assert.equal(await role.getAttribute('aria-sort'), 'ascending')
  await role.getByRole('button').click()
  await members.locator('tbody tr').last().getByText('Owner').waitFor()
  await page.reload()
  await members.locator('tbody tr').last().getByText('Owner').waitFor()
  await visit(page, `${acme.web.origin}/o/acme/projects`)
  const projects = page.getByRole('table', { name: 'Projects', exact: true })
  const names = () => projects.locator('tbody th').allTextContents()
  await projects.getByRole('button', { name: 'Project' }).click()
  await page.waitForURL(/sort=name&order=asc/)
  await projects.locator('thead [aria-sort=ascending]').waitFor()
  const up = await names()
  assert.deepEqual(up, up.toSorted())
  assert.ok(up.length > 1)
})

test('requests are sorted by cost, and the heading leads back to the newest', async () => {
  const { pool, database } = acme.web.environment.postgres
  const { id: projectId } = await findProject(database, acme.id, 'default')
  const records = [4, 900, 20].map((cost, at) =>
    usageRecord({ id: uuidV7(Date.now() - at * 1000), organizationId: acme.id, projectId, cost }),
  )
  await postUsage(pool, records.map(logged))
  const page = await open('requests')
  const table = page.getByRole('table')
  const cost = table.getByRole('columnheader', { name: 'Cost' })
  await cost.getByRole('button').click()
  await page.getByText('without refusals').waitFor()
  assert.equal(await cost.getAttribute('aria-sort'), 'descending')
  await table.locator('tbody tr:not([data-shows=loading])').first().waitFor()
  const cells = table.locator('tbody td[data-label=Cost]')
  const values = (await cells.all()).map(async (cell) => cell.getAttribute('data-value'))
  const costs = (await Promise.all(values)).map(Number)
  assert.deepEqual(
    costs,
    costs.toSorted((one, other) => other - one),
  )
  assert.deepEqual(costs.slice(0, 2), [900, 20])
  assert.deepEqual(await findViolations(page), [])
  await cost.getByRole('button').click()
  await page.getByText('Newest first. Refusals').waitFor()
})

test('the page of a key without use begins with its settings, and has no empty chart', async () => {
  const page = await open('keys')
  await page.getByRole('link', { name: 'production' }).click()
  const box = async (name: string) => {
    const region = page.getByRole('region', { name, exact: true })
    await region.waitFor()
    return region.boundingBox()
  }
  const [settings, usage] = [await box('Settings'), await box('Last 30 days')]
  assert.ok((settings?.x ?? NaN) < (usage?.x ?? NaN), 'settings are first')
  assert.ok((usage?.height ?? NaN) < 150, `the empty card is ${usage?.height} px high`)
})

test('amounts and addresses of an alert are chips, and an alert for nobody says so', async () => {
  const page = await open('billing')
  await page.getByRole('button', { name: 'Add alert' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('For').selectOption('search')
  await dialog.getByText('Nobody is notified').waitFor()
  const amounts = dialog.getByLabel('Amounts per month')
  await amounts.pressSequentially('12,50 20 ')
  await dialog.getByRole('button', { name: 'Remove 20', exact: true }).click()
  await amounts.pressSequentially('30')
  await dialog.getByLabel('Email addresses').pressSequentially('a@x.example')
  await dialog.getByText('Nobody is notified').waitFor({ state: 'detached' })
  assert.deepEqual(await findViolations(page), [])
  await page.getByRole('button', { name: 'Save alert' }).click()
  await dialog.waitFor({ state: 'detached' })
  const entry = page.getByRole('listitem').filter({ hasText: 'a@x.example' })
  await entry.getByRole('button', { name: 'Send test' }).click()
  // This service sends no email.
  await page.getByText('0 emails were sent.').waitFor()
  const alerts = await acme.ask(acme.people.owner, 'GET', '/spending-alerts')
  const saved = alerts.body.data.find((alert) => String(alert['emails']) === 'a@x.example')
  const amountsOf = (saved?.['thresholds'] ?? []) as readonly { readonly amount: string }[]
  assert.deepEqual(
    amountsOf.map(({ amount }) => amount),
    ['12.50', '30.00'],
  )
})

test('the audit log leaves out visits to the playground until somebody asks for them', async () => {
  const { owner } = acme.people
  const made = await acme.ask(owner, 'POST', '/projects/default/playground-credentials')
  assert.equal(made.status, 201)
  const page = await open('audit')
  const visits = page.getByRole('table').getByText('Opened the playground')
  await page.getByRole('table').getByRole('row').nth(1).waitFor()
  assert.equal(await visits.count(), 0)
  await page.getByRole('button', { name: 'Playground visits left out' }).click()
  await page.getByRole('menuitemradio', { name: 'shown' }).click()
  await visits.first().waitFor()
})

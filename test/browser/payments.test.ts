// covers: web/src/pages/billing/** src/platform/payments/**
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { findViolations } from '../harness/browser/axe.ts'
import { openPlayground } from '../harness/browser/playground-page.ts'
import { signIn } from '../harness/browser/web.ts'
import { openPayingWeb } from '../harness/payments/paying-web.ts'
import { addUsage } from '../harness/seed/billing-rows.ts'
import { openOrganization } from '../harness/seed/tenants.ts'
import { findProject } from '../../src/store/tenants/projects.ts'
import { changeOrganization } from '../../src/store/tenants/organizations.ts'
import type { Role } from '../../src/tenancy/role.ts'
import { gate } from '../../web/src/words/gate.ts'
import { addMoney, followed, paymentDetails, payments } from '../../web/src/words/payments.ts'
import { playground } from '../../web/src/words/playground.ts'

const PAID_PAGE = /^http:\/\/127\.0\.0\.1:\d+\/pay\//
const AMOUNT = '25.00 USD'

const web = await openPayingWeb()
after(() => web[Symbol.asyncDispose]())
const { database } = web.environment.postgres

/** Somebody of a new prepaid organization that has no money yet, at one of its pages. */
async function openAt(path = '/billing', role: Role = 'owner') {
  const { id } = await openOrganization(database, 'prepaid')
  const { slug } = await database
    .selectFrom('organizations')
    .select('slug')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const owner = await web.openPerson({ organizationId: id, role: 'owner' })
  const person = role === 'owner' ? owner : await web.openPerson({ organizationId: id, role })
  const page = await web.openPage({ reducedMotion: 'reduce' })
  await signIn(page, web, person)
  await page.goto(`${web.origin}/o/${slug}${path}`)
  return { page, id, slug }
}

async function startedOf(organizationId: string): Promise<number> {
  const rows = await database
    .selectFrom('payments')
    .select('id')
    .where('organization_id', '=', organizationId)
    .execute()
  return rows.length
}

const dialogOf = (page: Page) => page.getByRole('dialog', { name: gate.addMoney })
const payButton = (page: Page) => dialogOf(page).getByRole('button', { name: /^Pay/ })
const pressAtProvider = async (page: Page, name: 'ok' | 'declined') => {
  await page.waitForURL(PAID_PAGE)
  await page.getByRole('button', { name }).click()
}

test('from "nothing is left" to the balance: dialog, page, return, receipt and card', async () => {
  const { page, slug } = await openAt('/models')
  await page.getByRole('link', { name: gate.addMoney }).click()
  await dialogOf(page).getByText('From 5.00 USD to 1,000.00 USD.').waitFor()
  assert.deepEqual(await findViolations(page), [])
  await dialogOf(page).getByLabel(addMoney.amount, { exact: true }).fill('4,99')
  await payButton(page).click()
  await dialogOf(page).getByText('Enter an amount from 5.00 USD').waitFor()
  await dialogOf(page).getByRole('button', { name: '25', exact: true }).click()
  await dialogOf(page).getByLabel(addMoney.saveCard).check()
  await payButton(page).click()
  await pressAtProvider(page, 'ok')
  await page.waitForURL(new RegExp(`/o/${slug}/billing\\?payment=`))
  await page.getByText(followed.added(AMOUNT)).waitFor()
  await page.locator('dd.fig', { hasText: '25.00' }).first().waitFor()
  await page.getByText(paymentDetails.number('Visa', '4242')).waitFor()
  await page.getByText(paymentDetails.charged).waitFor()
  const row = page.getByRole('table', { name: payments.all }).getByRole('row', { name: AMOUNT })
  await row.getByText(payments.states.succeeded).waitFor()
  const documentAsked = page.context().waitForEvent('request', {
    predicate: (request) => request.url().endsWith('/document'),
  })
  await row.getByRole('link', { name: /^Receipt/ }).click()
  assert.equal((await (await documentAsked).response())?.status(), 303)
  assert.deepEqual(await findViolations(page), [])
  const checks: string[] = []
  page.on('request', (request) => request.url().endsWith('/check') && checks.push(request.url()))
  // time is under test: a payment that is over is not asked about every 2 s
  await pause(2_500)
  assert.deepEqual(checks, [])
  await page.locator('[data-shows=payment]').getByRole('button', { name: 'Close' }).click()
  await page.waitForURL(`${web.origin}/o/${slug}/billing`)
})

test('below zero the dialog says what of a payment covers the debt', async () => {
  const { page, id } = await openAt()
  const projectId = (await findProject(database, id, 'default')).id
  await addUsage(web.environment.postgres.pool, { id, projectId }, 60_000_000)
  await page.reload()
  await page.getByRole('button', { name: gate.addMoney }).click()
  const note = dialogOf(page).getByRole('status')
  await note.getByText(addMoney.allCovers('-60.00 USD', AMOUNT, '60.00 USD')).waitFor()
  await dialogOf(page).getByRole('button', { name: '100', exact: true }).click()
  await note.getByText(addMoney.partCovers('-60.00 USD', '60.00 USD')).waitFor()
  assert.deepEqual(await findViolations(page), [])
})

test('of a declined card nothing is taken, and another card pays the same payment', async () => {
  const { page, id } = await openAt('/billing?add=1')
  await payButton(page).click()
  await pressAtProvider(page, 'declined')
  await page.getByRole('link', { name: 'back' }).click()
  const strip = page.locator('[data-shows=payment]')
  await strip.getByText(followed.declined(AMOUNT)).waitFor()
  assert.deepEqual(await findViolations(page), [])
  await strip.getByRole('button', { name: followed.anotherCard }).click()
  await pressAtProvider(page, 'ok')
  await strip.getByText(followed.added(AMOUNT)).waitFor()
  assert.equal(await startedOf(id), 1)
})

test('two presses, a lost answer and a reload are one payment; another amount is not', async () => {
  const { page, id } = await openAt('/billing?add=1')
  let isLost = false
  await page.route('**/payments', async (route) => {
    if (isLost || route.request().method() !== 'POST') return route.fallback()
    isLost = true
    await route.fetch()
    return route.abort()
  })
  await payButton(page).click()
  await dialogOf(page).getByRole('alert').waitFor()
  await payButton(page).dblclick()
  await page.waitForURL(PAID_PAGE)
  const first = page.url()
  await page.goBack()
  await page.reload()
  await payButton(page).click()
  await page.waitForURL(PAID_PAGE)
  assert.equal(page.url(), first)
  assert.equal(await startedOf(id), 1)
  await page.goBack()
  await page.getByRole('button', { name: '10', exact: true }).click()
  await payButton(page).click()
  await page.waitForURL((url) => PAID_PAGE.test(url.href) && url.href !== first)
  assert.equal(await startedOf(id), 2)
})

test('whoever does not pay cancels, and starts again with the same amount', async () => {
  const { page, id } = await openAt('/billing?add=1')
  await payButton(page).click()
  await page.waitForURL(PAID_PAGE)
  await page.getByRole('link', { name: 'back' }).click()
  const strip = page.locator('[data-shows=payment]')
  await strip.getByText(followed.notPaid(AMOUNT)).waitFor()
  await strip.getByRole('button', { name: followed.cancel }).click()
  await strip.getByText(followed.expired(AMOUNT)).waitFor()
  await strip.getByRole('button', { name: followed.again }).click()
  await payButton(page).click()
  await pressAtProvider(page, 'ok')
  await strip.getByText(followed.added(AMOUNT)).waitFor()
  assert.equal(await startedOf(id), 2)
})

test('a page on a host that is not in the settings is not opened', async () => {
  const { page } = await openAt('/models')
  await page.route('**/payment-options', async (route) => {
    const response = await route.fetch()
    const options = (await response.json()) as object
    await route.fulfill({ json: { ...options, page_hosts: ['checkout.stripe.com'] } })
  })
  await page.getByRole('link', { name: gate.addMoney }).click()
  await payButton(page).click()
  await dialogOf(page).getByText(addMoney.strangePage).waitFor()
  assert.ok(page.url().startsWith(web.origin))
})

test('whose role does not pay is told whom to ask', async () => {
  const { page, slug } = await openAt('/billing', 'viewer')
  await page.getByText(`${gate.whoPays(slug)} Ask Test Person.`).waitFor()
  assert.equal(await page.getByRole('button', { name: gate.addMoney }).count(), 0)
  assert.equal(await page.getByRole('heading', { name: payments.card }).count(), 0)
})

test('without balance the playground leads to the dialog, or says who pays', async () => {
  const refused = playground.ended.refused(402)
  const owner = await openPlayground(web, { plan: 'prepaid', role: 'owner' })
  await owner.send('first')
  const alert = owner.page.getByRole('alert').filter({ hasText: refused })
  await alert.getByRole('link', { name: gate.addMoney }).click()
  await dialogOf(owner.page).getByText('From 5.00 USD').waitFor()
  const member = await openPlayground(web, { plan: 'prepaid' })
  await web.openPerson({ organizationId: member.organization.id, role: 'owner' })
  await member.send('first')
  const told = member.page.getByRole('alert').filter({ hasText: refused })
  await told.getByText(`${gate.whoPays(member.slug)} Ask Test Person.`).waitFor()
  assert.equal(await told.getByRole('link').count(), 0)
})

test('beyond a credit limit nobody is told to add money', async () => {
  const owner = await openPlayground(web, { plan: 'postpaid', role: 'owner' })
  await changeOrganization(database, owner.organization.id, { creditLimit: 0 })
  await owner.send('first')
  const alert = owner.page.getByRole('alert').filter({ hasText: 'credit_limit_reached' })
  await alert.getByRole('link', { name: playground.ask.billing }).waitFor()
  assert.equal(await alert.getByRole('link', { name: gate.addMoney }).count(), 0)
})

test('the portal of the provider opens from the card', async () => {
  const { page } = await openAt()
  await page.getByRole('button', { name: paymentDetails.open }).click()
  await page.waitForURL((url) => url.hostname === '127.0.0.1')
})

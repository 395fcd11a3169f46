// What a developer sees first: the checklist, live meters, and the way to everything.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations } from '../harness/browser/axe.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { openKey } from '../harness/seed/tenants.ts'
import { MODEL, openKeysBench, type Tenant } from './keys-bench.ts'

const LIVE_MS = 30_000

const bench = await openKeysBench()
after(() => bench[Symbol.asyncDispose]())

async function openAt({ slug, owner }: Tenant, path = ''): Promise<Page> {
  const page = await bench.openPage(owner)
  await page.goto(`${bench.web.origin}/o/${slug}${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

async function createKey({ projectId }: Tenant): Promise<string> {
  return (await openKey(bench.web.environment.postgres.database, projectId)).text
}

test('the first steps check off when a key and a real request arrive', async () => {
  const tenant = await bench.openTenant()
  const page = await openAt(tenant)
  const steps = page.getByRole('list').filter({ hasText: 'Create a key' }).locator('> li')
  await page.getByText('Waiting for the first request').waitFor()
  assert.equal(await steps.first().getAttribute('aria-current'), 'step')
  assert.match(await page.locator('pre').innerText(), new RegExp(`^curl ${bench.web.apiRoot}`))
  // The way to a key and back: the dialog closes to the next step.
  await page.getByRole('link', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('test')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const key = await dialog.locator('[data-shows=secret] code').innerText()
  await dialog.getByRole('tab', { name: 'curl' }).click()
  await dialog
    .locator('pre')
    .filter({ hasText: `Bearer ${key}` })
    .waitFor()
  await dialog.getByRole('button', { name: 'I’ve copied it' }).click()
  await page.getByText('Waiting for the first request of test').waitFor()
  assert.equal(await bench.ask(key), 200)
  await page.getByText(/^The first request arrived\. It used .* and was free of charge/).waitFor()
  assert.equal(await page.getByRole('img', { name: 'Done' }).count(), 3)
  // Whoever looks at the request comes back to the same.
  await page.getByRole('link', { name: 'Explain this request' }).click()
  await page.waitForURL(/\/requests\//)
  await page.goBack()
  await page.getByRole('button', { name: 'Show the overview' }).click()
  await page.getByRole('img', { name: /^Requests per hour.* 1 in all/ }).waitFor()
  await page.context().close()
})

test('meters follow real requests, on the overview and on the page of limits', async () => {
  const tenant = await bench.openTenant()
  const key = await createKey(tenant)
  await bench.ask(key)
  for (const path of ['/limits', '']) {
    const page = await openAt(tenant, path)
    const meter = page.getByRole('meter', { name: 'Requests per UTC day' })
    await meter.waitFor({ timeout: LIVE_MS })
    const used = async () => Number(await meter.getAttribute('aria-valuenow'))
    const before_ = await used()
    for (let request = 0; request < 3; request += 1) assert.equal(await bench.ask(key), 200)
    const follows = async () => (await used()) === before_ + 3
    await waitUntil(`the meter to show ${before_} + 3`, follows, LIVE_MS, { seen: used })
    await page.context().close()
  }
})

test('a refusal is on the overview with its code, and leads to its request', async () => {
  const tenant = await bench.openTenant()
  const key = await createKey(tenant)
  await bench.ask(key)
  const refused = await fetch(`${bench.web.apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'no/such', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  assert.equal(refused.status, 404)
  const id = refused.headers.get('x-request-id')
  const page = await openAt(tenant)
  await page.getByRole('link', { name: /404 model_not_found/ }).click()
  await page.waitForURL((url) => url.pathname.endsWith(`/requests/${id}`))
  await page.context().close()
})

test('Go to finds pages, keys and any request id by keyboard alone', async () => {
  const tenant = await bench.openTenant()
  const { owner, slug } = tenant
  await createKey(tenant)
  const page = await openAt({ ...tenant, owner })
  const go = async (text: string, option: string | RegExp) => {
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox')
    await field.fill(text)
    await page.getByRole('option', { name: option }).first().waitFor()
    for (let step = 0; step < 20; step += 1) {
      const active = await field.getAttribute('aria-activedescendant')
      const chosen = page.locator(`[id="${active}"]`)
      if ((await chosen.count()) > 0 && (await chosen.innerText()).match(option)) break
      await page.keyboard.press('ArrowDown')
    }
    assert.deepEqual(await findViolations(page), [], text)
    await page.keyboard.press('Enter')
  }
  await go('lim', 'Limits')
  await page.waitForURL((url) => url.pathname === `/o/${slug}/limits`)
  await go('test', /^test/)
  await page.getByRole('heading', { level: 1, name: 'test' }).waitFor()
  const id = crypto.randomUUID()
  await go(id, id)
  await page.waitForURL((url) => url.pathname === `/o/${slug}/requests/${id}`)
  await go('retention', 'Retention')
  await page.waitForURL((url) => url.pathname === `/o/${slug}/settings/retention`)
  await go('security', 'Security')
  await page.waitForURL((url) => url.pathname === '/account/security')
  await page.context().close()
})

test('Go to finds members and models, and does what can be done from anywhere', async () => {
  const tenant = await bench.openTenant()
  const page = await openAt(tenant)
  const choose = async (text: string, option: string | RegExp) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill(text)
    await page.getByRole('option', { name: option }).first().click()
  }
  await choose(tenant.owner.email, tenant.owner.email)
  await page.waitForURL(({ pathname, hash }) => pathname.endsWith('/members') && hash !== '')
  await choose(MODEL.slice(1), MODEL)
  await page.getByRole('dialog', { name: MODEL }).waitFor()
  await page.keyboard.press('Escape')
  await choose('invite', 'Invite a member')
  await page.getByRole('dialog', { name: 'Invite' }).waitFor()
  await page.keyboard.press('Escape')
  await choose('create', 'Create key')
  await page.getByRole('dialog', { name: 'Create key' }).waitFor()
  await page.keyboard.press('Escape')
  await choose('dark', 'Dark theme')
  await page.locator('html[data-theme=dark]').waitFor({ state: 'attached' })
  await page.context().close()
})

test('the keys of Go to are those of the computer', async () => {
  const tenant = await bench.openTenant()
  const page = await bench.openPage(tenant.owner)
  await page.addInitScript(`Object.defineProperty(navigator, 'platform', { value: 'MacIntel' })`)
  await page.goto(`${bench.web.origin}/o/${tenant.slug}`)
  await page.locator('aside').getByText('⌘ K').waitFor()
  await page.context().close()
})

for (const theme of ['light', 'dark'] as const)
  test(`axe finds nothing on overview, first steps, limits and models (${theme})`, async () => {
    const used = await bench.openTenant()
    await bench.ask(await createKey(used))
    const fresh = await bench.openTenant()
    for (const [tenant, path] of [
      [used, ''],
      [fresh, ''],
      [used, '/limits'],
      [used, '/models'],
    ] as const) {
      const page = await bench.openPage(tenant.owner, theme)
      await page.goto(`${bench.web.origin}/o/${tenant.slug}${path}`)
      await page.locator('main section').first().waitFor()
      assert.deepEqual(await findViolations(page), [], `${tenant.slug}${path}`)
      await page.context().close()
    }
  })

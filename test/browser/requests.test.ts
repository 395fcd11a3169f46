// The page of a request: its link for support, its minute, and the way back to the playground.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { visit } from '../harness/browser/visit.ts'
import { findViolations } from '../harness/browser/axe.ts'
import { openPlayground } from '../harness/browser/playground-page.ts'
import { openKey } from '../harness/seed/tenants.ts'
import { openKeysBench } from './keys-bench.ts'

const bench = await openKeysBench()
after(() => bench[Symbol.asyncDispose]())

/** A request that is refused, so that it is known as soon as it is answered. */
async function refuse(key: string): Promise<string> {
  const refused = await fetch(`${bench.web.apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'no/such', messages: [{ role: 'user', content: 'my secret' }] }),
  })
  assert.equal(refused.status, 404)
  return refused.headers.get('x-request-id')!
}

test('a link for support shows the request without an account, until it is withdrawn', async () => {
  const tenant = await bench.openTenant()
  const { text } = await openKey(bench.web.environment.postgres.database, tenant.projectId)
  const id = await refuse(text)
  const page = await bench.openPage(tenant.owner)
  await visit(page, `${bench.web.origin}/o/${tenant.slug}/requests/${id}`)
  await page.getByRole('button', { name: 'Link for support' }).click()
  const dialog = page.getByRole('dialog', { name: 'Link for support' })
  await dialog.getByLabel('Works for').selectOption('1 day')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = await dialog.locator('[data-shows=secret] code').innerText()
  assert.ok(link.startsWith(`${bench.web.origin}/explained#token=`), link)
  const withdraw = dialog.getByRole('button', { name: 'Withdraw' })
  await withdraw.waitFor()
  assert.deepEqual(await findViolations(page), [])

  const stranger = await bench.web.openPage({ reducedMotion: 'reduce' })
  const heading = stranger.getByRole('heading', { level: 1, name: /^Refused/ })
  const gone = stranger.getByRole('heading', { name: 'This link does not work.' })
  await stranger.goto(link)
  await heading.waitFor()
  const main = stranger.getByRole('main')
  await main.getByText(`With the API key that ends in ${text.slice(-4)}.`).waitFor()
  const shown = await main.innerText()
  for (const hidden of ['my secret', tenant.owner.email, text])
    assert.ok(!shown.includes(hidden), hidden)
  assert.deepEqual(await findViolations(stranger), [])
  await stranger.reload()
  await heading.waitFor()

  await withdraw.click()
  await withdraw.waitFor({ state: 'detached' })
  await stranger.reload()
  await gone.waitFor()
  assert.deepEqual(await findViolations(stranger), [])
  await stranger.context().close()
  await page.context().close()
})

test('a browser without a clipboard, as over http, says that the link was not copied', async () => {
  const tenant = await bench.openTenant()
  const { text } = await openKey(bench.web.environment.postgres.database, tenant.projectId)
  const id = await refuse(text)
  const page = await bench.openPage(tenant.owner)
  await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
  await visit(page, `${bench.web.origin}/o/${tenant.slug}/requests/${id}`)
  await page.getByRole('button', { name: 'Copy link' }).click()
  await page.getByText('Your browser did not allow copying.').waitFor()
  await page.context().close()
})

test('the list of requests is narrowed to one status', async () => {
  const tenant = await bench.openTenant()
  const { text } = await openKey(bench.web.environment.postgres.database, tenant.projectId)
  const page = await bench.openPage(tenant.owner)
  assert.equal(await bench.ask(text), 200)
  assert.equal(await bench.ask(text, { model: 'no/such' }), 404)
  assert.equal(await bench.ask(text, { temperature: 9 }), 400)
  await page.goto(`${bench.web.origin}/o/${tenant.slug}/requests`)
  const rows = page.locator('tr[data-row]')
  await rows.nth(2).waitFor()
  await page.getByRole('button', { name: 'Status Any', exact: true }).click()
  await page.getByRole('menuitemradio', { name: '404' }).click()
  await rows.filter({ hasText: 'model_not_found' }).waitFor()
  assert.equal(await rows.count(), 1)
  await page.reload()
  await rows.filter({ hasText: 'model_not_found' }).waitFor()
  assert.equal(await rows.count(), 1)
  await page.context().close()
})

test('a request is shown beside those of its minute', async () => {
  const tenant = await bench.openTenant()
  const { text } = await openKey(bench.web.environment.postgres.database, tenant.projectId)
  const page = await bench.openPage(tenant.owner)
  assert.equal(await bench.ask(text), 200)
  await page.goto(`${bench.web.origin}/o/${tenant.slug}/requests`)
  const row = page.locator('tr[data-row] th a')
  await row.waitFor()
  const asked = page.waitForRequest((request) => request.url().includes('/requests?from='))
  await page.getByRole('button', { name: 'Time Any', exact: true }).click()
  await page.getByRole('menuitemradio', { name: 'Last hour' }).click()
  const from = new URL((await asked).url()).searchParams.get('from') ?? ''
  assert.ok(Date.now() - Date.parse(from) >= 3_600_000, from)
  await page.getByRole('button', { name: 'Time Last hour' }).waitFor()
  await row.click()
  const minute = page.getByRole('region', { name: 'In the same minute' })
  const table = minute.getByRole('table', { name: 'This request beside the median of its model' })
  await table.getByRole('row', { name: /^Duration/ }).waitFor()
  await minute.getByText('not known: they are not stored').waitFor()
  assert.deepEqual(await findViolations(page), [])
  await page.context().close()
})

test('one’s own request opens again with its parameters, in the tab that has it', async () => {
  const { page, send } = await openPlayground(bench.web, { search: '?temperature=0.5' })
  await send(JSON.stringify({ id: crypto.randomUUID(), mode: 'quick' }))
  const answer = page.locator('[data-shows=answer]')
  await answer.getByRole('link').click()
  const facts = page.getByRole('region', { name: 'Request', exact: true })
  await facts.getByText('model, parameters and text, from this tab').waitFor()
  await page.getByRole('link', { name: 'Open in playground' }).click()
  await answer.waitFor()
  assert.equal(new URL(page.url()).searchParams.get('temperature'), '0.5')
  await page.goBack()
  await page.reload()
  await facts.getByText('the console keeps no parameters or text').waitFor()
  await page.context().close()
})

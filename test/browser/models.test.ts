// The models of a plan: one table to compare them, and one sheet with the details of each.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findViolations } from '../harness/browser/axe.ts'
import { MODEL, openKeysBench, type KeysBench } from './keys-bench.ts'

let bench: KeysBench

before(async () => {
  bench = await openKeysBench()
})
after(() => bench[Symbol.asyncDispose]())

test('models are a table that is searched, and one row has its details at the side', async () => {
  const tenant = await bench.openTenant()
  const page = await bench.openPage(tenant.owner)
  await page.goto(`${bench.web.origin}/o/${tenant.slug}/models`)
  const table = page.getByRole('table', { name: 'Models' })
  await table.getByRole('row', { name: MODEL }).click()
  const sheet = page.getByRole('dialog', { name: MODEL })
  await sheet.locator('pre').filter({ hasText: MODEL }).waitFor()
  // The engines of this bench are not probed.
  for (const name of ['Forced tool calls', 'JSON schema', 'Reasoning'])
    assert.equal(
      await sheet.locator('.lines > div', { hasText: name }).locator('dd').textContent(),
      'Not known',
    )
  assert.deepEqual(await findViolations(page), [])
  await page.reload()
  await sheet.getByRole('link', { name: 'Open in playground' }).waitFor()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await page.getByRole('searchbox').fill('no such model')
  await page.getByText('No matching models').waitFor()
  await page.getByRole('searchbox').fill(MODEL.toUpperCase().slice(1))
  await table.getByRole('row', { name: MODEL }).waitFor()
  await page.context().close()
})

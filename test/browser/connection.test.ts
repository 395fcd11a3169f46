// What a page says and does when the console cannot be reached, and when its files have changed.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openKeysBench } from './keys-bench.ts'

const bench = await openKeysBench()
after(() => bench[Symbol.asyncDispose]())

async function openKeysPage(): Promise<Page> {
  const { slug, owner } = await bench.openTenant()
  const page = await bench.openPage(owner)
  await page.goto(`${bench.web.origin}/o/${slug}/keys`)
  await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
  await page.locator('aside').getByText('Live ·').waitFor()
  return page
}

test('without a connection every page says so, and goes on by itself', async () => {
  const page = await openKeysPage()
  await page.context().setOffline(true)
  const strip = page.getByRole('status').filter({ hasText: 'No connection.' })
  await strip.getByText('Figures as of').waitFor()
  await page.locator('aside').getByText('As of').waitFor()
  // An answer that was on its way when the connection ended may show "Live" once more.
  await page.locator('aside').getByText('Live ·').waitFor({ state: 'detached' })
  await page.locator('aside').getByRole('link', { name: 'Limits' }).click()
  await page.getByText('This page is loaded as soon as the console can be reached.').waitFor()
  await page.context().setOffline(false)
  await page.getByRole('heading', { level: 1, name: 'Limits' }).waitFor()
  await strip.waitFor({ state: 'detached' })
  await page.locator('aside').getByText('Live ·').waitFor()
  await page.context().close()
})

test('the playground with a strip above it is as high as the window', async () => {
  const { slug, owner } = await bench.openTenant()
  const page = await bench.openPage(owner)
  await page.goto(`${bench.web.origin}/o/${slug}/playground`)
  await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
  await page.context().setOffline(true)
  await page.getByRole('status').filter({ hasText: 'No connection.' }).waitFor()
  const higher = 'document.documentElement.scrollHeight - innerHeight'
  assert.equal(await page.evaluate(higher), 0)
  await page.context().close()
})

test('a page whose files were replaced by a deployment loads the new ones', async () => {
  const page = await openKeysPage()
  let isOldVersion = true
  await page.route('**/*', async (route) => {
    const request = route.request()
    if (request.isNavigationRequest()) isOldVersion = false
    const isGone = isOldVersion && new URL(request.url()).pathname.startsWith('/assets/')
    await (isGone ? route.fulfill({ status: 404 }) : route.continue())
  })
  await page.locator('aside').getByRole('link', { name: 'Limits' }).click()
  await page.getByRole('heading', { level: 1, name: 'Limits' }).waitFor()
  assert.equal(isOldVersion, false)
  await page.context().close()
})

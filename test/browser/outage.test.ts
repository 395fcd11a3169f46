// Walk 8 of the console: without PostgreSQL, and without Valkey. Never a blank page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import type { Page } from 'playwright-core'
import { pathOf } from '../harness/browser/pages.ts'
import { startPostgres } from '../harness/servers/postgres-server.ts'
import { seedPages } from '../harness/seed/seed-pages.ts'
import { startValkey } from '../harness/servers/valkey.ts'
import { visit, watchPage } from '../harness/browser/visit.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'

const PATHS = ['/', '/o/{slug}', '/o/{slug}/keys', '/o/{slug}/limits', '/account/profile']
/** Of the page itself, without what browsers show instead of a page. */
const TEXT_LENGTH_MIN = 20
const BACK_MS = 60_000

const postgres = await startPostgres()
const valkey = await startValkey()
const web = await openWeb({ databaseUrl: postgres.url, valkey: [valkey.url] })
const seeded = await seedPages(web.environment)
endWithFile(web, valkey, postgres)

async function openAsOwner(): Promise<Page> {
  const page = await web.openPage()
  await signIn(page, web, seeded.visitors.owner!)
  return page
}

async function textOf(page: Page): Promise<string> {
  return page.locator('body').innerText()
}

test('without Valkey every page shows its title, and no script fails', async () => {
  valkey.freeze()
  try {
    const page = await openAsOwner()
    const watched = await watchPage(page, [web.origin, new URL(web.apiRoot).origin])
    for (const path of PATHS) await visit(page, `${web.origin}${pathOf({ path }, seeded)}`)
    assert.deepEqual(watched, { violations: [], errors: [], foreign: [] })
  } finally {
    valkey.thaw()
  }
})

test('without PostgreSQL a page says what failed, and shows itself when it is back', async () => {
  postgres.freeze()
  const page = await openAsOwner()
  const watched = await watchPage(page, [web.origin, new URL(web.apiRoot).origin])
  try {
    // Each waits for PostgreSQL in vain before it gives up, so two have to do.
    for (const path of PATHS.slice(-2)) {
      await page.goto(`${web.origin}${pathOf({ path }, seeded)}`)
      await page.getByRole('button', { name: 'Try again' }).first().waitFor()
      assert.ok((await textOf(page)).length >= TEXT_LENGTH_MIN)
    }
  } finally {
    postgres.thaw()
  }
  // Nobody presses anything: the page asks again by itself.
  await page.getByRole('heading', { level: 1 }).first().waitFor({ timeout: BACK_MS })
  await page.getByRole('button', { name: 'Try again' }).first().waitFor({ state: 'detached' })
  assert.deepEqual(watched, { violations: [], errors: [], foreign: [] })
})

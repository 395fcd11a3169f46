// Walk 8 of the console: without PostgreSQL, and without Valkey. Never a blank page.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { pathOf } from '../harness/pages.ts'
import { startPostgres, type PostgresServer } from '../harness/postgres-server.ts'
import { seedPages, type SeededPages } from '../harness/seed-pages.ts'
import { startValkey, type ValkeyServer } from '../harness/valkey.ts'
import { visit, watchPage } from '../harness/visit.ts'
import { openWeb, signIn, type Web } from '../harness/web.ts'

const PATHS = ['/', '/o/{slug}', '/o/{slug}/keys', '/o/{slug}/limits', '/account/profile']
/** Of the page itself, without what browsers show instead of a page. */
const TEXT_LENGTH_MIN = 20

let postgres: PostgresServer
let valkey: ValkeyServer
let web: Web
let seeded: SeededPages

before(async () => {
  postgres = await startPostgres()
  valkey = await startValkey()
  web = await openWeb({ databaseUrl: postgres.url, valkey: [valkey.url] })
  seeded = await seedPages(web.environment)
})
after(async () => {
  await web[Symbol.asyncDispose]()
  await valkey[Symbol.asyncDispose]()
  await postgres[Symbol.asyncDispose]()
})

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
  await page.getByRole('button', { name: 'Try again' }).first().click()
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  assert.deepEqual(watched, { violations: [], errors: [], foreign: [] })
})

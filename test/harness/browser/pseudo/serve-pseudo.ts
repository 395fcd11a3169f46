import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { writeIndex } from '../../../../src/platform/web/write-index.ts'
import { typeOf } from '../../../../src/platform/web/read-web-files.ts'
import type { Web } from '../web.ts'

/** Puts the files of a build in place of those that the console serves, with its own headers. */
export async function servePseudo(page: Page, web: Web, folder: string): Promise<void> {
  const facts = { prefix: '', apiUrl: web.apiRoot, signUp: 'open', mail: true, payments: true }
  const index = writeIndex(readFileSync(join(folder, 'index.html'), 'utf8'), facts)
  await page.route(`${web.origin}/**`, async (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname.startsWith('/management/')) await route.continue()
    else if (route.request().resourceType() === 'document')
      await route.fulfill({ response: await route.fetch(), body: index })
    else
      await route.fulfill({
        contentType: typeOf(pathname),
        body: readFileSync(join(folder, pathname)),
      })
  })
}

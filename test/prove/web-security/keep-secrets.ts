import type { Page, Response } from 'playwright-core'
import type { ProofRun } from '../../harness/proof.ts'
import type { SeededPages } from '../../harness/seed/seed-pages.ts'
import { settled, visit } from '../../harness/browser/visit.ts'
import type { Web } from '../../harness/browser/web.ts'
import { openAs } from './walk-pages.ts'

/** Everything that a page can leave behind in a browser, as one text. */
const READ_STORES = `(async () => {
  const caches_ = []
  for (const name of await caches.keys())
    for (const request of await (await caches.open(name)).keys()) caches_.push(request.url)
  return JSON.stringify([
    { ...localStorage },
    { ...sessionStorage },
    caches_,
    await indexedDB.databases(),
    document.cookie,
    history.state,
    location.href,
    performance.getEntries().map(({ name }) => name),
  ])
})()`

export type Secrets = { readonly secrets: number; readonly places: number }

/** Creates a key and uses the playground, then looks for both secrets where they must not be. */
export async function keepSecrets(
  run: ProofRun,
  web: Web,
  seeded: SeededPages,
  logs: readonly string[],
): Promise<Secrets> {
  const { page } = await openAs(web, seeded, 'owner')
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  page.on('framenavigated', (frame) => addresses.push(frame.url()))
  const key = await createKey(page, web, seeded)
  const credential = await usePlayground(page, web, seeded)
  const secrets = { 'key secret': key, credential }
  const stores = { stores: await page.evaluate<string>(READ_STORES), ...(await otherPage(page)) }
  const places = { ...stores, addresses: addresses.join('\n'), logs: logs.join('\n') }
  for (const [secretName, secret] of Object.entries(secrets))
    for (const [place, text] of Object.entries(places))
      if (text.includes(secret)) run.fail(`the ${secretName} is in ${place}`)
  await page.context().close()
  return { secrets: Object.keys(secrets).length, places: Object.keys(places).length }
}

async function createKey(page: Page, web: Web, { slug }: SeededPages): Promise<string> {
  await visit(page, `${web.origin}/o/${slug}/keys`)
  await page.getByRole('button', { name: 'Create key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').first().fill('proof')
  const answer = page.waitForResponse(isPost(/\/keys$/))
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const { key } = (await (await answer).json()) as { key: string }
  await page.getByText(key).first().waitFor()
  await page.getByRole('button', { name: /copied/i }).click()
  await page.getByText(key).first().waitFor({ state: 'detached' })
  return key
}

async function usePlayground(page: Page, web: Web, { slug }: SeededPages): Promise<string> {
  // The page may ask for its credential before the first message.
  const answer = page.waitForResponse(isPost(/\/playground-credentials$/))
  await visit(page, `${web.origin}/o/${slug}/playground`)
  const used = page.waitForResponse((response) => response.url().startsWith(web.apiRoot))
  await page.getByRole('textbox').last().fill('Say one word.')
  await page.getByRole('button', { name: 'Send' }).first().click()
  const { credential } = (await (await answer).json()) as { credential: string }
  await used
  return credential
}

/** After leaving the page its secrets are not even in the document. */
async function otherPage(page: Page): Promise<Record<string, string>> {
  await page.getByRole('link', { name: 'Usage' }).first().click()
  await settled(page)
  return {
    'the next page': await page.content(),
    'stores of the next page': await page.evaluate<string>(READ_STORES),
  }
}

function isPost(path: RegExp): (response: Response) => boolean {
  return (response) =>
    response.request().method() === 'POST' && path.test(new URL(response.url()).pathname)
}

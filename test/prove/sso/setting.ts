import type { Page } from 'playwright-core'
import { callFromPage, type TestBrowser } from '../../harness/browser/browser.ts'
import type { ConsoleProcess } from '../../harness/processes/console-process.ts'
import type { ProofRun } from '../../harness/proof.ts'
import type { ConnectedOrganization } from './organization.ts'
import type { BrowserProvider, KnownPerson } from './providers.ts'

export type Setting = {
  readonly run: ProofRun
  readonly console_: ConsoleProcess
  readonly browser: TestBrowser
  readonly provider: BrowserProvider
  readonly ours: ConnectedOrganization
}

export const tally = {
  signed_in: 0,
  confirmed: 0,
  refusals: 0,
  accepted: 0,
  foreign_starts: 0,
  stolen_codes: 0,
  /** From the administrator's click to the refusal; 0 without a provider that can. */
  logout_ms: 0,
}

/** Begins a sign-in as the console's pages do. Returns the address of the provider. */
export async function begin(
  { console_, ours }: Setting,
  page: Page,
  body: object = {},
  connection = ours.connection,
): Promise<string> {
  await page.goto(`${console_.origin}/sign-in`)
  const answer = await callFromPage(page, 'POST', `/sso/${connection}/start`, body)
  if (answer.status !== 200) throw new Error(`the start answers ${answer.status}`)
  return String(answer.body['location'])
}

/** Signs in up to the way back, and returns its address instead of going there. */
export async function catchCallback(
  { provider }: Setting,
  page: Page,
  url: string,
  person: KnownPerson,
): Promise<string> {
  const caught = Promise.withResolvers<string>()
  // Not `page.route`, which does not see where a redirect leads.
  const session = await page.context().newCDPSession(page)
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*/sso/callback/*' }] })
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    caught.resolve(request.url)
    void session.send('Fetch.fulfillRequest', { requestId, responseCode: 200 })
  })
  await page.goto(url)
  // Signed in before, the provider sends the browser back at once.
  const asked = await Promise.race([caught.promise.then(() => false), formOf(page)])
  if (asked) await provider.signIn(page, person)
  const callback = await caught.promise
  await session.detach()
  return callback
}

async function formOf(page: Page): Promise<boolean> {
  return page
    .locator('form')
    .waitFor()
    .then(
      () => true,
      () => false,
    )
}

export async function expectRefused(
  { run, console_ }: Setting,
  page: Page,
  what: string,
  failure: string,
): Promise<void> {
  tally.refusals += 1
  if (page.url() === `${console_.origin}/sign-in?sso_error=${failure}`) return
  tally.accepted += 1
  run.fail(`${what} ended at ${page.url()}`)
}

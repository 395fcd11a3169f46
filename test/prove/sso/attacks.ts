import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContext, Page } from 'playwright-core'
import { callFromPage } from '../../harness/browser/browser.ts'
import { openPerson } from '../../harness/processes/console.ts'
import type { DnsServer } from '../../harness/servers/dns.ts'
import { startHostileProvider } from '../../harness/servers/hostile-oidc.ts'
import { signIn } from '../../harness/browser/web.ts'
import { connectOrganization } from './organization.ts'
import { startOidcProvider, type KnownPerson } from './providers.ts'
import { begin, catchCallback, expectRefused, tally, type Setting } from './setting.ts'

const QUIET = 'quiet.example'
const VICTIM = { login: 'victim', email: `victim@${QUIET}`, verified: true }

/** A browser that is signed in to the console, with an account that has no provider. */
async function openSignedIn({ console_, browser }: Setting) {
  const { context, page } = await browser.openPage()
  await signIn(page, console_, await openPerson(console_.environment.postgres, {}))
  await page.goto(`${console_.origin}/sign-in`)
  return { context, page, email: await emailOf(page) }
}

async function emailOf(page: Page): Promise<unknown> {
  return (await callFromPage(page, 'GET', '/me')).body['email']
}

/** A provider that names another account than that of the browser's session changes nothing. */
export async function proveOtherSession(setting: Setting, person: KnownPerson): Promise<void> {
  const { run, console_, provider } = setting
  const { context, page, email } = await openSignedIn(setting)
  await page.goto(await begin(setting, page))
  await provider.signIn(page, person)
  await page.waitForURL(`${console_.origin}/**`)
  await expectRefused(setting, page, 'a session of another account', 'other_session')
  if ((await emailOf(page)) !== email) run.fail('a session of another account was replaced')
  await context.close()
}

/** What a page of another site can do: links, forms and scripts that need no permission. */
const FOREIGN_PAGES: readonly ((start: string) => string)[] = [
  (start) => `<script>location = '${start}'</script>`,
  (start) =>
    `<form method=post action='${start}'></form><script>document.forms[0].submit()</script>`,
  (start) =>
    `<form method=post enctype=text/plain action='${start}'><input name='{"to":"' value='/"}'>` +
    `</form><script>document.forms[0].submit()</script>`,
  (start) =>
    `<script>fetch('${start}', { method: 'POST', mode: 'no-cors', credentials: 'include', ` +
    `body: '{}' }).finally(() => { location = '/done' })</script>`,
]

/** No page of another site begins a sign-in in the browser of whoever visits it. */
export async function proveForeignStarts(setting: Setting): Promise<void> {
  const { run, console_, ours } = setting
  const start = `${console_.root}/sso/${ours.connection}/start`
  let html = ''
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(request.url === '/done' ? 'done' : html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const foreign = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { context, page, email } = await openSignedIn(setting)
  for (const write of FOREIGN_PAGES) {
    html = write(start)
    // The page before may be the one to wait for.
    await page.goto('about:blank')
    // The page leaves before it is loaded, which ends this navigation.
    await page.goto(foreign).catch(() => {})
    await page.waitForURL((url) => [start, `${foreign}done`].includes(url.href))
    tally.foreign_starts += 1
    if (await hasBegun(context)) run.fail(`another site began a sign-in: ${html}`)
  }
  await page.goto(`${console_.origin}/sign-in`)
  if ((await emailOf(page)) !== email) run.fail('another site changed who is signed in')
  await context.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

async function hasBegun(context: BrowserContext): Promise<boolean> {
  return (await context.cookies()).some(({ name }) => name === '__Host-headrace_sso')
}

/**
 * An attacker's connection sends the victim on to a good provider that sends no `iss`, with the
 * nonce and challenge of a sign-in that the attacker has begun (mix-up).
 */
export async function proveMixUp(setting: Setting, dns: DnsServer): Promise<void> {
  const { run, console_, browser } = setting
  await using good = await startOidcProvider([VICTIM], { withoutIss: true })
  const quiet = await connectOrganization(console_, dns, good, QUIET)
  const victims = { ...setting, provider: good, ours: quiet }
  const callback = await mixUp(victims, dns, 'hostile.example', VICTIM)
  if (new URL(callback).searchParams.has('iss')) run.fail('the good provider sends iss')
  // The good provider signs its own people in.
  const { context, page } = await browser.openPage()
  await page.goto(await begin(victims, page, { to: '/keys' }))
  await good.signIn(page, VICTIM)
  await page.waitForURL(`${console_.origin}/keys`)
  const read = await callFromPage(page, 'GET', `/organizations/${quiet.id}/keys`)
  if (read.status === 200) tally.signed_in += 1
  else run.fail(`a provider without iss signs nobody in: ${JSON.stringify(read)}`)
  await context.close()
}

/** The same beside the provider of the run, and a connection whose provider names its people. */
export async function proveHostileBeside(
  setting: Setting,
  dns: DnsServer,
  person: KnownPerson,
): Promise<void> {
  const { browser, console_ } = setting
  await mixUp(setting, dns, 'beside.example', person)
  await using liar = await startOidcProvider([person])
  const theirs = await connectOrganization(console_, dns, liar, 'liar.example')
  const { context, page } = await browser.openPage()
  await page.goto(await begin(setting, page, {}, theirs.connection))
  await liar.signIn(page, person)
  await page.waitForURL(`${console_.origin}/**`)
  await expectRefused(setting, page, 'a provider that names people of another', 'domain_unverified')
  await context.close()
}

/** Returns the address at which the victim came back. */
async function mixUp(
  setting: Setting,
  dns: DnsServer,
  domain: string,
  person: KnownPerson,
): Promise<string> {
  const { run, console_, browser, provider } = setting
  await using hostile = await startHostileProvider()
  const register = () => Promise.resolve()
  const own = { ...provider, issuer: hostile.issuer, register }
  const theirs = await connectOrganization(console_, dns, own, domain)
  const attacker = await browser.openPage()
  hostile.target = await begin(setting, attacker.page)
  const victim = await browser.openPage()
  const lure = await begin(setting, victim.page, {}, theirs.connection)
  const callback = await catchCallback(setting, victim.page, lure, person)
  await victim.page.goto(callback)
  await expectRefused(setting, victim.page, 'the answer of another provider', 'invalid')
  const [stolen] = hostile.codes
  tally.stolen_codes += hostile.codes.length
  if (stolen !== undefined) run.fail('a code was sent to the provider of another connection')
  await finishAsAttacker(setting, attacker.page, hostile.target, stolen ?? 'unknown')
  await Promise.all([attacker.context.close(), victim.context.close()])
  return callback
}

async function finishAsAttacker(
  setting: Setting,
  page: Page,
  begun: string,
  code: string,
): Promise<void> {
  const { searchParams } = new URL(begun)
  const callback = new URL(searchParams.get('redirect_uri') ?? '')
  callback.searchParams.set('code', code)
  callback.searchParams.set('state', searchParams.get('state') ?? '')
  await page.goto(callback.href)
  await expectRefused(setting, page, "the attacker's own sign-in with the code", 'invalid')
}

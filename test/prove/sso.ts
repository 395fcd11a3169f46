// An identity provider signs in members of its organization, and nobody else.
// covers: src/platform/sign-in/sso/** src/platform/sign-in/identity/** src/store/sign-in/**
import type { BrowserContext } from 'playwright-core'
import { callFromPage, startBrowser } from '../harness/browser/browser.ts'
import { startConsoleProcess } from '../harness/processes/console-process.ts'
import { openPerson } from '../harness/processes/console.ts'
import { startDnsServer } from '../harness/servers/dns.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { runProof } from '../harness/proof.ts'
import { connectOrganization, type ConnectedOrganization } from './sso/organization.ts'
import {
  proveForeignStarts,
  proveHostileBeside,
  proveMixUp,
  proveOtherSession,
} from './sso/attacks.ts'
import { startKeycloak } from './sso/keycloak.ts'
import { startOidcProvider, type KnownPerson } from './sso/providers.ts'
import { begin, catchCallback, expectRefused, tally, type Setting } from './sso/setting.ts'

const PEOPLE = 3
const SOAK_FACTOR = 10
const LOGOUT_MS = 20_000
const OURS = 'ours.example'
const THEIRS = 'theirs.example'

const UNVERIFIED = { login: 'unverified', email: `unverified@${OURS}`, verified: false }
const FOREIGN = { login: 'foreign', email: `foreign@${THEIRS}`, verified: true }
const NOWHERE = { login: 'nowhere', email: 'nowhere@unverified.example', verified: true }
const LEAVER = { login: 'leaver', email: `leaver@${OURS}`, verified: true }
const OUTSIDER = { login: 'outsider', email: `outsider@${OURS}`, verified: true }

await runProof(
  'sso',
  async (run) => {
    const count = PEOPLE * (run.soak ? SOAK_FACTOR : 1)
    const people = Array.from({ length: count }, (_, index) => ({
      login: `person-${index}`,
      email: `person-${index}@${OURS}`,
      verified: true,
    }))
    await using dns = await startDnsServer()
    await using console_ = await startConsoleProcess({
      private_issuer_hosts: ['127.0.0.1', 'localhost'],
      dns_servers: [dns.address],
    })
    const known = [...people, UNVERIFIED, FOREIGN, NOWHERE, LEAVER, OUTSIDER]
    const folder = run.values['keycloak']
    await using provider = await (folder === undefined
      ? startOidcProvider(known)
      : startKeycloak(folder, known))
    await using browser = await startBrowser()
    const ours = await connectOrganization(console_, dns, provider, OURS)
    const theirs = await connectOrganization(console_, dns, provider, THEIRS)
    const setting = { run, console_, browser, provider, ours }
    for (const person of people) await proveOne(setting, person)
    await proveRefusals(setting, theirs)
    await proveTampering(setting, people[0]!)
    await proveOtherSession(setting, people[0]!)
    await proveForeignStarts(setting)
    await proveMixUp(setting, dns)
    await proveHostileBeside(setting, dns, people[0]!)
    await proveSignOut(setting)
    return { provider: provider.name, people: count, ...tally }
  },
  { keycloak: { type: 'string' } },
)

/** Signs in and confirms in a browser of one's own; then repeats what the browser did. */
async function proveOne(setting: Setting, person: KnownPerson): Promise<void> {
  const { run, console_, browser, provider, ours } = setting
  const { context, page } = await browser.openPage()
  const callbacks: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/sso/callback/')) callbacks.push(request.url())
  })
  await page.goto(await begin(setting, page, { to: '/keys' }))
  await provider.signIn(page, person)
  await page.waitForURL(`${console_.origin}/keys`)
  await checkCookies(setting, context)
  const read = await callFromPage(page, 'GET', `/organizations/${ours.id}/keys`)
  if (read.status === 200) tally.signed_in += 1
  else run.fail(`${person.login} cannot read: ${JSON.stringify(read)}`)
  await page.goto(await begin(setting, page, { confirm: true, to: '/settings' }))
  await provider.signIn(page, person)
  await page.waitForURL(`${console_.origin}/settings`)
  tally.confirmed += 1
  for (const callback of callbacks.splice(0)) {
    await page.goto(callback)
    await expectRefused(setting, page, 'replayed state', 'invalid')
  }
  await context.close()
}

async function checkCookies({ run, console_ }: Setting, context: BrowserContext): Promise<void> {
  const cookies = await context.cookies(console_.origin)
  const session = cookies.find(({ name }) => name === '__Host-headrace_session')
  const ours = cookies.map(({ name }) => name).filter((name) => name.startsWith('__Host-headrace'))
  if (ours.toSorted().join() !== '__Host-headrace_device,__Host-headrace_session')
    run.fail(`cookies after the sign-in: ${cookies.map(({ name }) => name).join()}`)
  if (session?.httpOnly !== true || !session.secure || session.sameSite !== 'Lax')
    run.fail('the session cookie lacks an attribute')
}

/** An administrator of the provider signs somebody out, and every browser of theirs is out. */
async function proveSignOut(setting: Setting): Promise<void> {
  const { run, console_, browser, provider } = setting
  if (provider.signOut === undefined) return
  const browsers = [await browser.openPage(), await browser.openPage()]
  for (const { page } of browsers) {
    await page.goto(await begin(setting, page, { to: '/keys' }))
    await provider.signIn(page, LEAVER)
    await page.waitForURL(`${console_.origin}/keys`)
  }
  const statuses = () =>
    Promise.all(browsers.map(async ({ page }) => (await callFromPage(page, 'GET', '/me')).status))
  const before = await statuses()
  if (before.join() !== '200,200') run.fail(`before the logout: ${before.join()}`)
  const begunMs = performance.now()
  await provider.signOut(LEAVER)
  const areOut = async () => (await statuses()).join() === '401,401'
  await waitUntil('the logout of a provider', areOut, LOGOUT_MS, { pollMs: 20 })
  tally.logout_ms = Math.round(performance.now() - begunMs)
  await Promise.all(browsers.map(({ context }) => context.close()))
}

async function proveRefusals(setting: Setting, theirs: ConnectedOrganization): Promise<void> {
  const { run, console_, browser, provider, ours } = setting
  const { postgres } = console_.environment
  const outsider = await openPerson(postgres, {})
  await postgres.database
    .updateTable('accounts')
    .set({ email: OUTSIDER.email })
    .where('id', '=', outsider.accountId)
    .execute()
  const cases: readonly (readonly [KnownPerson, string, string])[] = [
    [UNVERIFIED, ours.connection, 'email_unverified'],
    [FOREIGN, ours.connection, 'domain_unverified'],
    [NOWHERE, ours.connection, 'domain_unverified'],
    [{ ...OUTSIDER }, theirs.connection, 'domain_unverified'],
    [OUTSIDER, ours.connection, 'not_a_member'],
  ]
  for (const [person, connection, failure] of cases) {
    const { context, page } = await browser.openPage()
    await page.goto(await begin(setting, page, {}, connection))
    await provider.signIn(page, person)
    await page.waitForURL(`${console_.origin}/**`)
    await expectRefused(setting, page, person.login, failure)
    await context.close()
  }
  const made = await postgres.database
    .selectFrom('accounts')
    .select('email')
    .where('email', 'in', [UNVERIFIED.email, FOREIGN.email, NOWHERE.email])
    .execute()
  if (made.length > 0) run.fail(`accounts of refused people: ${made.length}`)
}

/** What somebody could do who controls the address bar, or another browser. */
async function proveTampering(setting: Setting, person: KnownPerson): Promise<void> {
  const { browser, console_ } = setting
  const { context, page } = await browser.openPage()
  const { context: otherContext, page: otherPage } = await browser.openPage()
  // Another browser, which has begun a sign-in too, is given the answer of the first.
  await begin(setting, otherPage)
  await otherPage.goto(await catchCallback(setting, page, await begin(setting, page), person))
  await expectRefused(setting, otherPage, "another browser's state", 'invalid')
  const nonce = new URL(await begin(setting, page))
  nonce.searchParams.set('nonce', 'of-another-sign-in')
  await page.goto(await catchCallback(setting, page, nonce.href, person))
  await expectRefused(setting, page, 'wrong nonce', 'invalid')
  const issuer = new URL(await catchCallback(setting, page, await begin(setting, page), person))
  issuer.searchParams.set('iss', 'https://evil.example')
  await page.goto(issuer.href)
  await expectRefused(setting, page, 'another issuer', 'invalid')
  const state = new URL(await catchCallback(setting, page, await begin(setting, page), person))
  state.searchParams.set('state', 'x'.repeat(43))
  await page.goto(state.href)
  await expectRefused(setting, page, 'an unknown state', 'invalid')
  await page.goto(`${console_.root}/sso/callback/${setting.ours.connection}?code=x`)
  await expectRefused(setting, page, 'no state', 'invalid')
  await Promise.all([context.close(), otherContext.close()])
}

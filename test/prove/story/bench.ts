import { mkdir } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { linkEndsAt } from '../../../src/platform/sign-in/accounts/links.ts'
import { createToken } from '../../../src/platform/sign-in/identity/token.ts'
import { createMailToken } from '../../../src/store/sign-in/mail-tokens.ts'
import { openPerson } from '../../harness/processes/console.ts'
import { startDnsServer, type DnsServer } from '../../harness/servers/dns.ts'
import { DEMO_MODEL, limitsOf } from '../../harness/environment.ts'
import { startIdentityProvider, type IdentityProvider } from '../../harness/servers/oidc.ts'
import { startMailServer, type MailServer } from '../../harness/servers/smtp.ts'
import { openWeb, type Web } from '../../harness/browser/web.ts'

/** The service with everything around it, as the people of the story meet it. */
export type Bench = AsyncDisposable & {
  readonly web: Web
  readonly mail: MailServer
  readonly dns: DnsServer
  readonly provider: IdentityProvider
  /** What browsers complained about: policy violations and uncaught errors, each with its page. */
  readonly violations: string[]
  readonly pageErrors: string[]
  /** A browser profile of its own, watched from its first page on. */
  openBrowser(): Promise<Page>
  /** A link as a first start prints it: it signs the operator in, once. */
  createOperatorLink(email: string): Promise<string>
  /** Keeps a picture of the page for whoever wants to look at it. */
  keepPicture(page: Page, name: string): Promise<void>
}

/** The plan of new organizations: so few requests a minute that a person reaches the limit. */
const PLAN = 'story'
export const REQUESTS_PER_MINUTE = 6
const TERMS = { version: '2026-11-01', url: 'https://example.com/terms' }
const PICTURES = new URL('../../../.stack/story/', import.meta.url).pathname
/** A busy machine is no failure of a page. */
export const PATIENCE_MS = 30_000

export async function openBench(): Promise<Bench> {
  await using starting = new AsyncDisposableStack()
  const mail = starting.use(await startMailServer())
  const dns = starting.use(await startDnsServer())
  const web = starting.use(
    await openWeb({
      worker: true,
      valkey: 'own',
      plans: { [PLAN]: planOfStory() },
      sections: { default_plan: PLAN },
      environment: { HEADRACE_SMTP_URL: mail.url },
      console: {
        sign_up: 'waiting',
        email_from: 'Headrace <no-reply@example.com>',
        require_second_factor: 'none',
        terms: TERMS,
        private_issuer_hosts: ['127.0.0.1', 'localhost'],
        dns_servers: [dns.address],
      },
    }),
  )
  const provider = starting.use(await startIdentityProvider())
  await mkdir(PICTURES, { recursive: true })
  const watched = { violations: [], pageErrors: [] }
  const running = starting.move()
  let pictures = 0
  return {
    web,
    mail,
    dns,
    provider,
    ...watched,
    openBrowser: () => openWatched(web, watched),
    createOperatorLink: (email) => createOperatorLink(web, email),
    async keepPicture(page, name) {
      pictures += 1
      const path = `${PICTURES}${String(pictures).padStart(2, '0')}-${name}.png`
      await page.screenshot({ path, fullPage: true })
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function planOfStory() {
  return {
    models: [DEMO_MODEL],
    credentials: ['api_key', 'playground'],
    billing: 'postpaid',
    limits: limitsOf({
      requests_per_minute: REQUESTS_PER_MINUTE,
      requests_per_day: 5_000,
      tokens_per_minute: 40_000,
      tokens_per_day: 1_000_000,
    }),
  } as const
}

type Watched = { readonly violations: string[]; readonly pageErrors: string[] }

async function openWatched(web: Web, { violations, pageErrors }: Watched): Promise<Page> {
  const page = await web.openPage({ viewport: { width: 1280, height: 900 } })
  page.setDefaultTimeout(PATIENCE_MS)
  const context = page.context()
  await context.exposeBinding('reportViolation', ({ page: where }, what: string) => {
    violations.push(`${where.url()}: ${what}`)
  })
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) => {
    reportViolation(event.effectiveDirective + ' ' + event.blockedURI + ' ' + event.sample)
  })`)
  context.on('weberror', (error) => {
    const { message } = error.error()
    pageErrors.push(`${error.page()?.url()}: ${message}`)
  })
  // React reports here what broke a page; a refused call is reported here too, and is none.
  page.on('console', (message) => {
    if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return
    pageErrors.push(`${page.url()}: ${message.text()}`)
  })
  return page
}

async function createOperatorLink({ origin, environment }: Web, email: string): Promise<string> {
  const { database } = environment.postgres
  const { accountId } = await openPerson(environment.postgres, { platformRole: 'operator' })
  await database.updateTable('accounts').set({ email }).where('id', '=', accountId).execute()
  const { token, hash } = createToken()
  const link = { kind: 'sign_in', accountId, endsAt: linkEndsAt(), network: null } as const
  await createMailToken(database, { hash, ...link })
  return `${origin}/sign-in#token=${token}`
}

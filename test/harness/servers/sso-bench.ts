import assert from 'node:assert/strict'
import {
  ask,
  PUBLIC_URL,
  startConsole,
  type Answer,
  type Headers,
  type Person,
  type TestConsole,
} from '../processes/console.ts'
import { startDnsServer, type DnsServer } from './dns.ts'
import { startIdentityProvider, type IdentityProvider } from './oidc.ts'

/** An organization with an identity provider and a verified domain. */
export type SsoOrganization = {
  readonly organizationId: string
  readonly owner: Person
  readonly domain: string
  readonly connection: string
  /** Of the routes of the organization. */
  readonly path: string
}

/** What the browser has when it is sent to the provider. */
export type StartedSso = { readonly url: string; readonly cookie: string }

/** The path where the sign-in ends, and the caller with its session. */
export type FinishedSso = { readonly to: string; readonly as: Headers | null }

/** The console with an identity provider and a DNS server, and a client that acts as a browser. */
export type SsoBench = AsyncDisposable & {
  readonly console_: TestConsole
  readonly dns: DnsServer
  readonly provider: IdentityProvider
  setUp(): Promise<SsoOrganization>
  connect(path: string, as: Headers, changes?: object): Promise<Answer>
  /** Adds a domain, publishes its record and verifies it. */
  verify(path: string, as: Headers, domain: string): Promise<Answer>
  start(connection: string, body?: object, as?: Headers): Promise<StartedSso>
  finish(callback: string, cookie: string): Promise<FinishedSso>
  signIn(connection: string, login: string, body?: object): Promise<FinishedSso>
  /** The accounts of an address, one row for each membership. */
  accountsOf(email: string): ReturnType<typeof accountsOf>
  /** Reads something of the organization. */
  enter(path: string, as: Headers | null): Promise<Answer>
}

export async function startSsoBench(
  options?: Parameters<typeof startIdentityProvider>[0],
): Promise<SsoBench> {
  await using starting = new AsyncDisposableStack()
  const dns = starting.use(await startDnsServer())
  const provider = starting.use(await startIdentityProvider(options))
  const console_ = starting.use(
    await startConsole((config) => ({
      ...config,
      console: {
        ...config.console,
        private_issuer_hosts: ['127.0.0.1', 'localhost'],
        dns_servers: [dns.address],
      },
    })),
  )
  const started = starting.move()
  const parts = { console_, dns, provider }
  const { root } = console_
  return {
    ...parts,
    setUp: () => setUp(parts),
    connect: (path, as, changes) => connect(parts, path, as, changes),
    verify: (path, as, domain) => verify(parts, path, as, domain),
    start: (connection, body, as) => start(root, connection, body, as),
    finish: (callback, cookie) => finish(root, callback, cookie),
    async signIn(connection, login, body) {
      const { url, cookie } = await start(root, connection, body)
      return finish(root, await provider.signIn(url, login), cookie)
    },
    accountsOf: (email) => accountsOf(console_, email),
    enter: (path, as) => ask(root, 'GET', `${path}/keys`, { as: as ?? {} }),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

export function assertRefused(finished: FinishedSso, failure: string): void {
  assert.deepEqual(finished, { to: `/sign-in?sso_error=${failure}`, as: null })
}

type Parts = Pick<SsoBench, 'console_' | 'dns' | 'provider'>

async function connect(
  { console_, provider }: Parts,
  path: string,
  as: Headers,
  changes: object = {},
): Promise<Answer> {
  const { issuer, clientId: client_id, clientSecret: client_secret } = provider
  const body = { name: 'Provider', issuer, client_id, client_secret, ...changes }
  const answer = await ask(console_.root, 'POST', `${path}/sso-connections`, { as, body })
  if (answer.body['issuer'] === issuer)
    provider.redirectUris.add(String(answer.body['redirect_uri']))
  if (answer.status === 201)
    provider.logoutUris.add(`${console_.root}/sso/${answer.body.id}/backchannel-logout`)
  return answer
}

async function verify(
  { console_, dns }: Parts,
  path: string,
  as: Headers,
  domain: string,
): Promise<Answer> {
  const added = await ask(console_.root, 'POST', `${path}/domains`, { as, body: { domain } })
  assert.equal(added.status, 201, added.text)
  const { name, value } = added.body['record'] as { name: string; value: string }
  dns.records.set(name, [value])
  return ask(console_.root, 'POST', `${path}/domains/${added.body.id}/verify`, { as, body: {} })
}

let serial = 0

async function setUp(parts: Parts): Promise<SsoOrganization> {
  const { console_ } = parts
  const organization = await console_.openOrganization()
  const owner = await console_.openPerson({ organizationId: organization.id, role: 'owner' })
  const path = `/organizations/${organization.id}`
  serial += 1
  const domain = `acme-${serial}.example`
  const connected = await connect(parts, path, owner.as)
  assert.equal(connected.status, 201, connected.text)
  const verified = await verify(parts, path, owner.as, domain)
  assert.equal(verified.status, 200, verified.text)
  return { organizationId: organization.id, owner, domain, connection: connected.body.id, path }
}

async function start(
  root: string,
  connection: string,
  body: object = {},
  as: Headers = {},
): Promise<StartedSso> {
  const answer = await fetch(`${root}/sso/${connection}/start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: PUBLIC_URL, ...as },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  const [whole = ''] = answer.headers.getSetCookie()
  assert.match(whole, /; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/)
  const cookie = cookiesOf(answer).get('__Host-headrace_sso') ?? ''
  return { url: (JSON.parse(text) as { location: string }).location, cookie }
}

async function finish(root: string, callback: string, cookie: string): Promise<FinishedSso> {
  const { pathname, search } = new URL(callback)
  const answer = await fetch(`${new URL(root).origin}${pathname}${search}`, {
    redirect: 'manual',
    headers: { cookie },
  })
  assert.equal(answer.status, 303, await answer.text())
  const session = cookiesOf(answer).get('__Host-headrace_session')
  const location = answer.headers.get('location') ?? ''
  assert.ok(location.startsWith(`${PUBLIC_URL}/`), location)
  const as = session === undefined ? null : { cookie: session, origin: PUBLIC_URL }
  return { to: location.slice(PUBLIC_URL.length), as }
}

function cookiesOf(answer: Response): Map<string, string> {
  const pairs = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '')
  return new Map(pairs.map((pair) => [pair.split('=')[0] ?? '', pair]))
}

async function accountsOf({ postgres }: TestConsole, email: string) {
  return postgres.database
    .selectFrom('accounts')
    .leftJoin('memberships', 'memberships.account_id', 'accounts.id')
    .select(['accounts.id', 'accounts.state', 'accounts.name', 'accounts.registered_at'])
    .select(['memberships.organization_id', 'memberships.role'])
    .where('accounts.email', '=', email)
    .execute()
}

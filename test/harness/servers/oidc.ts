import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider, type Configuration } from 'oidc-provider'

/** What the provider says about a person, whose login is the key and the subject. */
export type PersonClaims = {
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
}

/** An OpenID Connect provider in this process, with one client. */
export type IdentityProvider = AsyncDisposable & {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly people: Map<string, PersonClaims>
  /** Registered addresses of the client, compared as a whole. */
  readonly redirectUris: Set<string>
  /** Addresses that are told when somebody signs out. */
  readonly logoutUris: Set<string>
  /** Whether the provider refuses the client's secret, as it does when one has expired. */
  secretExpired: boolean
  /** Signs in without a browser; returns the callback's address. Cookies are forgotten after. */
  signIn(authorizationUrl: string, login: string): Promise<string>
  /** Signs out of the latest sign-in, on the provider's page. Returns what it told and to whom. */
  signOut(login: string): Promise<readonly ToldLogout[]>
}

/** A logout token that the provider sent, and the status of the answer. */
export type ToldLogout = {
  readonly uri: string
  readonly token: string
  readonly status: number
}

type ProviderOptions = {
  /** Put the email address into the user info only, as the specification allows. */
  readonly emailInUserInfo?: boolean
  /** Leave `iss` out of answers to the browser, as providers without RFC 9207 do. */
  readonly withoutIss?: boolean
}

const CLIENT_ID = 'headrace'
const CLIENT_SECRET = 'secret-of-the-client'
const HOPS_MAX = 10

// The provider says at every start that its memory and its keys are for development.
for (const level of ['info', 'warn'] as const) {
  const print = console[level].bind(console)
  console[level] = (text: unknown, ...rest: unknown[]) => {
    if (!String(text).startsWith('oidc-provider ')) print(text, ...rest)
  }
}

export async function startIdentityProvider(
  options: ProviderOptions = {},
): Promise<IdentityProvider> {
  const people: IdentityProvider['people'] = new Map()
  const redirectUris = new Set<string>()
  const logoutUris = new Set<string>()
  const browsers: Browsers = new Map()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const issuer = `http://localhost:${port}`
  const told: ToldLogout[] = []
  const provider = new Provider(issuer, configurationOf(options, people, told))
  provider.Client.prototype.redirectUriAllowed = (uri) => redirectUris.has(uri)
  const state = { secretExpired: false }
  Object.assign(provider.Client.prototype, {
    compareClientSecret: (secret: string) => !state.secretExpired && secret === CLIENT_SECRET,
  })
  tellAll(provider, logoutUris)
  if (options.withoutIss === true) leaveOutIss(provider)
  const answer = provider.callback()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith('/interaction/') === true)
      void interact(provider, request, response)
    else void answer(request, response)
  })
  return {
    issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    people,
    redirectUris,
    logoutUris,
    get secretExpired() {
      return state.secretExpired
    },
    set secretExpired(expired) {
      state.secretExpired = expired
    },
    signIn: (url, login) => signIn(url, login, redirectUris, browsers),
    async signOut(login) {
      told.length = 0
      await signOut(issuer, browsers.get(login) ?? new Map())
      return [...told]
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function configurationOf(
  { emailInUserInfo }: ProviderOptions,
  people: IdentityProvider['people'],
  told: ToldLogout[],
): Configuration {
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        // The library wants one; `redirectUris` decides.
        redirect_uris: ['https://unused.example/'],
        token_endpoint_auth_method: 'client_secret_post',
        // The same: `logoutUris` decides.
        backchannel_logout_uri: 'https://unused.example/',
        backchannel_logout_session_required: true,
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: emailInUserInfo === true,
    findAccount: (_context, login) => ({
      accountId: login,
      claims: () => ({ sub: login, email: login, email_verified: true, ...people.get(login) }),
    }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    // Nobody is asked for consent.
    async loadExistingGrant(context) {
      const { client, session, provider } = context.oidc
      if (client === undefined || session?.accountId === undefined) return undefined
      const grant = new provider.Grant({
        clientId: client.clientId,
        accountId: session.accountId,
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    async fetch(url, init) {
      const { method, headers, body } = init as Required<RequestInit>
      // Without the dispatcher of the library, which refuses addresses of this machine.
      const response = await fetch(url, { method, headers, body })
      const token = body instanceof URLSearchParams ? body.get('logout_token') : null
      told.push({ uri: response.url, token: token ?? '', status: response.status })
      return response
    },
    cookies: { keys: ['a key for tests'] },
    ttl: { AccessToken: 60, AuthorizationCode: 60, IdToken: 60, Interaction: 600, Session: 600 },
  }
}

/** Each connection is a client of its own at a real provider; here they share one. */
function tellAll({ Client }: Provider, uris: ReadonlySet<string>): void {
  type Telling = { backchannelLogout: (subject: string, sid: string) => Promise<void> }
  const client = Client.prototype as unknown as Telling
  const tell = client.backchannelLogout
  client.backchannelLogout = async function (this: Telling, subject, sid) {
    for (const backchannelLogoutUri of uris) {
      const one = Object.assign(Object.create(this) as Telling, { backchannelLogoutUri })
      await tell.call(one, subject, sid).catch(() => {})
    }
  }
}

function leaveOutIss(provider: Provider): void {
  provider.use(async (context, next) => {
    await next()
    const { body, response } = context as typeof context & { body: unknown }
    if (context.path.startsWith('/.well-known/'))
      Object.assign(body as object, { authorization_response_iss_parameter_supported: undefined })
    const location = response.get('location')
    if (!URL.canParse(location)) return
    const url = new URL(location)
    url.searchParams.delete('iss')
    response.set('location', url.href)
  })
}

/** A form that asks for the login only. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'text/html')
    response.end('<form method=post><input name=login><button>Sign in</button></form>')
    return
  }
  let body = ''
  for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString()
  const accountId = new URLSearchParams(body).get('login') ?? ''
  await provider.interactionFinished(request, response, { login: { accountId } })
}

type Cookies = Map<string, string>
/** The cookies of the latest browser of each person. */
type Browsers = Map<string, Cookies>

function show(cookies: Cookies): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}

function keep(cookies: Cookies, response: Response): void {
  for (const cookie of response.headers.getSetCookie()) {
    const [pair = ''] = cookie.split(';')
    const at = pair.indexOf('=')
    cookies.set(pair.slice(0, at), pair.slice(at + 1))
  }
}

/** Fills in the page that asks whether to sign out. */
async function signOut(issuer: string, cookies: Cookies): Promise<void> {
  const page = await fetch(`${issuer}/session/end`, { headers: { cookie: show(cookies) } })
  keep(cookies, page)
  const [, xsrf = ''] = /name="xsrf" value="([^"]*)"/.exec(await page.text()) ?? []
  const answer = await fetch(`${issuer}/session/end/confirm`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: show(cookies) },
    body: new URLSearchParams({ xsrf, logout: 'yes' }),
  })
  if (answer.status >= 400) throw new Error(`the provider answered ${answer.status}`)
  await answer.text()
}

async function signIn(
  start: string,
  login: string,
  redirectUris: ReadonlySet<string>,
  browsers: Browsers,
): Promise<string> {
  const cookies = new Map<string, string>()
  browsers.set(login, cookies)
  let url = start
  let form: string | undefined
  for (let hop = 0; hop < HOPS_MAX; hop += 1) {
    if (redirectUris.has(url.split('?')[0] ?? '')) return url
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: show(cookies) },
      ...(form !== undefined && { method: 'POST', body: new URLSearchParams({ login: form }) }),
    })
    form = undefined
    keep(cookies, response)
    const location = response.headers.get('location')
    if (location !== null) url = new URL(location, url).href
    else if (response.status === 200 && form === undefined) form = login
    else throw new Error(`the provider answered ${response.status}: ${await response.text()}`)
  }
  throw new Error('the sign-in does not end')
}

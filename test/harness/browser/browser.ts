import { existsSync } from 'node:fs'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  type Page,
} from 'playwright-core'

/** The shell has no windows, profiles or extensions, and opens a page with a fifth of the work. */
const SHELL = '/usr/bin/chromium-headless-shell'
const CHROMIUM = '/usr/bin/chromium'

export type TestBrowser = AsyncDisposable & {
  /** A page in a browser profile of its own. */
  openPage(): Promise<{ readonly context: BrowserContext; readonly page: Page }>
  /** The same, with the policy of what it visits in force. */
  openStrictPage(options?: BrowserContextOptions): Promise<Page>
}

export function findBrowser(): string {
  return process.env['CHROMIUM'] ?? (existsSync(SHELL) ? SHELL : CHROMIUM)
}

export async function startBrowser(args: readonly string[] = []): Promise<TestBrowser> {
  const browser: Browser = await chromium.launch({
    executablePath: findBrowser(),
    // Chromium does not run as root with its sandbox.
    args: ['--no-sandbox', ...args],
  })
  return {
    async openPage() {
      // Calls are made from pages that the console sends, whose policy forbids scripts.
      const context = await browser.newContext({ bypassCSP: true })
      return { context, page: await context.newPage() }
    },
    async openStrictPage(options = {}) {
      return (await browser.newContext(options)).newPage()
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

/** Gives the page a built-in authenticator that confirms everything. */
export async function addAuthenticator(
  context: BrowserContext,
  page: Page,
  options: { readonly verifiesUser?: boolean } = {},
): Promise<{ readonly session: CDPSession; readonly authenticatorId: string }> {
  const session = await context.newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: options.verifiesUser ?? true,
      isUserVerified: options.verifiesUser ?? true,
      automaticPresenceSimulation: true,
    },
  })
  return { session, authenticatorId }
}

/** Runs `navigator.credentials.create` or `get` in the page with options in their JSON form. */
export async function callAuthenticator(
  page: Page,
  method: 'create' | 'get',
  options: unknown,
): Promise<unknown> {
  const parser =
    method === 'create' ? 'parseCreationOptionsFromJSON' : 'parseRequestOptionsFromJSON'
  // A text, because the type checker does not know the browser's globals.
  const script = `(async () => {
    const publicKey = PublicKeyCredential.${parser}(${JSON.stringify(options)})
    return (await navigator.credentials.${method}({ publicKey })).toJSON()
  })()`
  return page.evaluate(script)
}

export type PageAnswer = {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Calls the management API as a script of the page does, with the cookies of its browser. */
export async function callFromPage(
  page: Page,
  method: string,
  path: string,
  body: unknown = {},
): Promise<PageAnswer> {
  const options = {
    method,
    ...(method !== 'GET' && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  }
  const script = `(async () => {
    const answer = await fetch('/management/v1${path}', ${JSON.stringify(options)})
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
  })()`
  return page.evaluate(script)
}

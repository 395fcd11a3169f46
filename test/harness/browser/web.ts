import { existsSync } from 'node:fs'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { startBrowser, type TestBrowser } from './browser.ts'
import { findFreePort } from '../processes/console-process.ts'
import { openPerson, type Person, type PersonFacts } from '../processes/console.ts'
import { startEnvironment, type Environment, type EnvironmentOptions } from '../environment.ts'
import type { HeadraceProcess } from '../processes/process.ts'

/** The whole service as processes, with the built web app, in a real browser. */
export type Web = AsyncDisposable & {
  readonly environment: Environment
  readonly api: HeadraceProcess
  readonly console: HeadraceProcess
  /** `http://localhost:…`, because browsers treat it as secure. */
  readonly origin: string
  /** Where pages call the data plane. */
  readonly apiRoot: string
  readonly browser: TestBrowser
  /** A page in a browser profile of its own, under the policy of the console. */
  openPage(options?: BrowserContextOptions): Promise<Page>
  openPerson(facts?: PersonFacts): Promise<Person>
}

export type WebOptions = EnvironmentOptions & {
  /** Settings of the section `console`. */
  readonly console?: object
  /** Whether usage is posted while the test runs. */
  readonly worker?: boolean
}

const BUILT = new URL('../../../web/dist/index.html', import.meta.url)

/** Starts API, console and browser. The web app must have been built. */
export async function openWeb({ console: settings, worker, ...options }: WebOptions = {}) {
  if (!existsSync(BUILT)) throw new Error('the web app is not built: run npm run build')
  await using starting = new AsyncDisposableStack()
  const [port, apiPort] = [await findFreePort(), await findFreePort()]
  const origin = `http://localhost:${port}`
  const apiRoot = `http://127.0.0.1:${apiPort}/compat/v1`
  const section = { port, health_port: 0, public_url: origin, api_url: apiRoot, ...settings }
  const sections = { ...options.sections, console: section }
  // A browser comes from 127.0.0.1, as others do, and Valkey counts the failures of a network.
  const environment = starting.use(await startEnvironment({ valkey: 'own', ...options, sections }))
  const api = await environment.startApi({ HEADRACE_API_PORT: String(apiPort) })
  const consoleProcess = await environment.startConsole()
  if (worker === true) await environment.startWorker()
  const browser = starting.use(await startBrowser())
  const running = starting.move()
  const web: Web = {
    environment,
    api,
    console: consoleProcess,
    origin,
    apiRoot,
    browser,
    openPage: (contextOptions = {}) => browser.openStrictPage(contextOptions),
    openPerson: (facts = {}) => openPerson(environment.postgres, facts),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
  return web
}

/** Gives the browser of a page the session of a person. */
export async function signIn(page: Page, { origin }: { origin: string }, { as }: Person) {
  const [name = '', value = ''] = (as['cookie'] ?? '').split('=')
  // Chromium sends Secure cookies to localhost, but accepts them here from an https address only.
  const url = origin.replace('http:', 'https:')
  const cookie = { name, value, url, secure: true, httpOnly: true, sameSite: 'Lax' } as const
  await page.context().addCookies([cookie])
}

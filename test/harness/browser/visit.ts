import type { Page } from 'playwright-core'
import { waitUntil } from '../figures/measure.ts'

/** What went wrong in a page since it was watched. */
export type Watched = {
  /** Violations of the Content-Security-Policy and of Trusted Types, from every document. */
  readonly violations: readonly string[]
  /** Errors of scripts, and what they wrote as errors. */
  readonly errors: readonly string[]
  /** Addresses outside of the allowed origins. */
  readonly foreign: readonly string[]
}

const SETTLE_TIMEOUT_MS = 30_000

/** Grey lines stand where something is still being loaded. */
const LOADING = '[data-shows=loading]'

/** Chromium writes an answer such as 403 as an error too; the page shows it in its own words. */
const FAILED_ANSWER = 'Failed to load resource'

/** Call it before the first visit. */
export async function watchPage(page: Page, origins: readonly string[]): Promise<Watched> {
  const watched = { violations: [] as string[], errors: [] as string[], foreign: [] as string[] }
  await page.exposeFunction('noteViolation', (what: string) => watched.violations.push(what))
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) => {
    noteViolation([event.effectiveDirective, event.blockedURI, event.sample].join(' '))
  })`)
  page.on('pageerror', (error) => watched.errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() !== 'error' || message.text().startsWith(FAILED_ANSWER)) return
    // The event has more about it, but not every violation has an event.
    const isViolation = /Content Security Policy|TrustedHTML|TrustedScript/.test(message.text())
    watched[isViolation ? 'violations' : 'errors'].push(message.text())
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    const isOurs = origins.includes(url.origin) || ['data:', 'blob:'].includes(url.protocol)
    if (!isOurs) watched.foreign.push(request.url())
  })
  return watched
}

/** Opens a page and waits until it shows what it has. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await settled(page)
}

export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ timeout: SETTLE_TIMEOUT_MS })
  const isLoaded = async () => (await page.locator(LOADING).count()) === 0
  await waitUntil(`${page.url()} to be loaded`, isLoaded, SETTLE_TIMEOUT_MS)
}

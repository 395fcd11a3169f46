import type { BrowserContext, Page } from 'playwright-core'

/** An answer of the management API, as it was given the first time. */
export type Recorded = {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/** The time in every browser of this proof, so that "3 minutes ago" stays what it is. */
export type Frozen = {
  readonly at: Date
  /** By visitor and address. */
  readonly answers: Map<string, Recorded>
}

/** An answer: a connection that fails is said on every page, from then on. */
const REFUSED = {
  status: 409,
  contentType: 'application/json',
  body: '{"error":{"type":"invalid_request_error","code":"conflict","message":"Not now."}}',
}

/**
 * Fixes what changes by itself: the clock, and what the management API answers. The first answer
 * to a visitor is repeated to the same visitor; changes and event streams are refused.
 */
export async function freeze(page: Page, { at, answers }: Frozen, visitor: () => string) {
  await page.clock.setFixedTime(at)
  await page.route('**/management/v1/**', async (route) => {
    const request = route.request()
    const isStream = request.headers()['accept'] === 'text/event-stream'
    if (request.method() !== 'GET' || isStream) return route.fulfill(REFUSED)
    const name = `${visitor()} ${request.url()}`
    const known = answers.get(name)
    if (known !== undefined) return route.fulfill(known)
    const answer = await route.fetch()
    const recorded = {
      status: answer.status(),
      contentType: answer.headers()['content-type'] ?? '',
      body: await answer.text(),
    }
    answers.set(name, recorded)
    return route.fulfill(recorded)
  })
}

/** How many requests of a browser are on their way. */
export function countPending(context: BrowserContext): () => number {
  let pending = 0
  context.on('request', () => (pending += 1))
  context.on('requestfinished', () => (pending -= 1))
  context.on('requestfailed', () => (pending -= 1))
  return () => pending
}

import type { Page } from 'playwright-core'
import { DEMO_MODEL } from '../harness/environment.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { visit } from '../harness/browser/visit.ts'
import type { Web } from '../harness/browser/web.ts'
import { useMinute, type Demo } from './seed.ts'

const LONG = [{ role: 'user', content: 'Sum up this page. '.repeat(760) }]
const SENT_MAX = 20
const LISTED_TIMEOUT_MS = 60_000
/** What the demo organization used of the minute when the pictures are taken. */
export const USED = { requests: 33, tokens: 11_000 }

/** The minute refills while a busy machine answers, so it may take more than one. */
export async function refusedRequest(web: Web, { key, organizationId }: Demo): Promise<string> {
  for (let sent = 0; sent < SENT_MAX; sent += 1) {
    await useMinute(web, organizationId, USED.requests, USED.tokens)
    const response = await fetch(`${web.apiRoot}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key.text}` },
      body: JSON.stringify({ model: DEMO_MODEL, stream: true, max_tokens: 400, messages: LONG }),
    })
    await response.body?.cancel()
    if (response.status === 429) return response.headers.get('x-request-id') ?? ''
  }
  throw new Error('no request was refused')
}

/** A refusal is listed a moment later. */
export async function showRefused(page: Page, address: string): Promise<void> {
  const isKept = async () => {
    await visit(page, address)
    return (await page.locator('h1').innerText()).includes('Refused')
  }
  await waitUntil('the refused request to be listed', isKept, LISTED_TIMEOUT_MS)
}

// Writes the pictures of the web app that README and docs show: `npm run screenshots`.
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { DEMO_MODEL } from '../harness/environment.ts'
import { waitUntil } from '../harness/measure.ts'
import { settled, visit } from '../harness/visit.ts'
import { openWeb, signIn, type Web } from '../harness/web.ts'
import { PLAN, seedDemo, SLUG, useMinute, type Demo } from './seed.ts'

const FOLDER = fileURLToPath(new URL('../../docs/pictures/console/', import.meta.url))
const SIZE = { width: 1280, height: 800 }
const THEMES = ['light', 'dark'] as const
const ANSWER_TIMEOUT_MS = 60_000
const QUESTION = 'What is the weather in Paris?'
const RESULT = '{"city": "Paris", "temperature": 18, "condition": "cloudy"}'
const TOOL = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}
const SETTINGS = new URLSearchParams({
  model: DEMO_MODEL,
  tools: JSON.stringify([TOOL]),
  temperature: '0',
  max_completion_tokens: '400',
})
const LONG = [{ role: 'user', content: 'Sum up this page. '.repeat(760) }]
const SENT_MAX = 20
/** What the demo organization used of the minute when the pictures are taken. */
const USED = { requests: 33, tokens: 11_000 }

/** The minute refills while a busy machine answers, so it may take more than one. */
async function refusedRequest(web: Web, { key, organizationId }: Demo): Promise<string> {
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

/** A question, the model's tool call, its result by hand, and the answer. */
async function converse(page: Page): Promise<void> {
  const message = page.getByLabel('Message', { exact: true })
  await message.fill(QUESTION)
  await message.press('Enter')
  const result = page.getByLabel('Result of get_weather')
  await result.waitFor({ timeout: ANSWER_TIMEOUT_MS })
  await result.fill(RESULT)
  await result.press('Control+Enter')
  const answer = page.locator('[data-shows=answer]').nth(1)
  await answer.getByText('Finish').waitFor({ timeout: ANSWER_TIMEOUT_MS })
  await answer.getByRole('button', { name: /Reason/ }).click()
}

/** A refusal is listed a moment later. */
async function showRefused(page: Page, address: string): Promise<void> {
  const isKept = async () => {
    await visit(page, address)
    return (await page.locator('h1').innerText()).includes('Refused')
  }
  await waitUntil('the refused request to be listed', isKept, ANSWER_TIMEOUT_MS)
}

async function takeAll(page: Page, web: Web, demo: Demo, theme: string): Promise<void> {
  const home = `${web.origin}/o/${SLUG}`
  const take = async (name: string) => {
    await settled(page)
    await page.screenshot({ path: `${FOLDER}${name}-${theme}.png` })
  }
  const refused = await refusedRequest(web, demo)
  await showRefused(page, `${home}/requests/${refused}`)
  await take('request')
  await useMinute(web, demo.organizationId, 0, 0)
  await visit(page, `${home}/playground?${SETTINGS.toString()}`)
  await converse(page)
  await take('playground')
  await visit(page, `${home}/keys`)
  await take('keys')
  await visit(page, `${home}/usage?period=7`)
  await take('usage')
  await visit(page, home)
  await useMinute(web, demo.organizationId, USED.requests, USED.tokens)
  await page.reload()
  await take('overview')
}

mkdirSync(FOLDER, { recursive: true })
await using web = await openWeb({ worker: true, valkey: 'own', plans: { team: PLAN } })
const demo = await seedDemo(web)
for (const theme of THEMES) {
  const options = { viewport: SIZE, colorScheme: theme, reducedMotion: 'reduce' } as const
  const page = await web.openPage({ ...options, locale: 'en-GB', timezoneId: 'UTC' })
  await signIn(page, web, demo.owner)
  await takeAll(page, web, demo, theme)
  await page.context().close()
}
console.log(`The pictures are in ${FOLDER}`)

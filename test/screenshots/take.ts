// Writes the pictures of the web app that README and docs show: `npm run screenshots`.
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { settled, visit } from '../harness/browser/visit.ts'
import { openWeb, signIn, type Web } from '../harness/browser/web.ts'
import { refusedRequest, showRefused, USED } from './refused.ts'
import { PLAN, seedDemo, SLUG, useMinute, type Demo } from './seed.ts'
import { QUESTION, RESULT, SETTINGS } from './weather.ts'

const FOLDER = fileURLToPath(new URL('../../docs/pictures/console/', import.meta.url))
const SIZE = { width: 1280, height: 800 }
const THEMES = ['light', 'dark'] as const
const ANSWER_TIMEOUT_MS = 60_000

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

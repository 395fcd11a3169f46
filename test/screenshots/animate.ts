// Films the playground and the explanation of a refused request: `npm run animation`.
// Chromium takes the pictures and encodes their WebP; write-webp.ts puts them into one file, so no
// encoder is installed. The console and the engine are real. The demo engine answers faster than
// one can read, so the network of the page is slow while an answer arrives.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { settled, visit } from '../harness/browser/visit.ts'
import { openWeb, signIn, type Web } from '../harness/browser/web.ts'
import { openFilm, type Film } from './film.ts'
import { refusedRequest, showRefused } from './refused.ts'
import { PLAN, seedDemo, SLUG, useMinute, type Demo } from './seed.ts'
import { QUESTION, RESULT, SETTINGS } from './weather.ts'

const FILE = fileURLToPath(new URL('../../docs/pictures/console/tour.webp', import.meta.url))
const SIZE = { width: 1280, height: 800 }
const BYTES_MAX = 2_000_000
const ANSWER_TIMEOUT_MS = 60_000
/** Bytes per second: an answer of 5 kB arrives in one to two seconds. */
const SLOW_BYTES = 4_000
const STEP_MS = 120
const READ_MS = 3_500
const EMAILS_PER_STEP = 3

async function type(page: Page, label: string, text: string, film: Film): Promise<void> {
  const field = page.getByLabel(label, { exact: true })
  await field.waitFor({ timeout: ANSWER_TIMEOUT_MS })
  for (let end = EMAILS_PER_STEP; end < text.length + EMAILS_PER_STEP; end += EMAILS_PER_STEP) {
    await field.fill(text.slice(0, end))
    await film.shoot(STEP_MS)
  }
}

/** Films until the condition holds, with what the network allows. */
async function filmAnswer(page: Page, film: Film, isDone: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + ANSWER_TIMEOUT_MS
  while (!(await isDone())) {
    if (Date.now() > end) throw new Error('the playground shows no answer')
    await film.shoot(STEP_MS)
  }
  await settled(page)
}

async function filmPlayground(page: Page, film: Film): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const slow = (downloadThroughput: number) =>
    session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput,
      uploadThroughput: -1,
    })
  await film.shoot(1_000)
  await type(page, 'Message', QUESTION, film)
  await slow(SLOW_BYTES)
  await page.getByLabel('Message', { exact: true }).press('Enter')
  const result = page.getByLabel('Result of get_weather')
  await filmAnswer(page, film, () => result.isVisible())
  await slow(-1)
  await film.shoot(1_000)
  await type(page, 'Result of get_weather', RESULT, film)
  await slow(SLOW_BYTES)
  await result.press('Control+Enter')
  const finish = page.locator('[data-shows=answer]').nth(1).getByText('Finish')
  await filmAnswer(page, film, () => finish.isVisible())
  await slow(-1)
  await film.shoot(READ_MS)
}

async function filmRefusal(page: Page, film: Film, web: Web, demo: Demo): Promise<void> {
  const refused = await refusedRequest(web, demo)
  await showRefused(page, `${web.origin}/o/${SLUG}/requests/${refused}`)
  await settled(page)
  await film.shoot(READ_MS * 2)
}

await using web = await openWeb({ worker: true, valkey: 'own', plans: { team: PLAN } })
const demo = await seedDemo(web)
const options = { viewport: SIZE, colorScheme: 'light', reducedMotion: 'reduce' } as const
const page = await web.openPage({ ...options, locale: 'en-GB', timezoneId: 'UTC' })
await signIn(page, web, demo.owner)
await useMinute(web, demo.organizationId, 0, 0)
await visit(page, `${web.origin}/o/${SLUG}/playground?${SETTINGS.toString()}`)
const film = await openFilm(page, await web.openPage(), SIZE)
await filmPlayground(page, film)
await filmRefusal(page, film, web, demo)
const file = film.write()
if (file.length > BYTES_MAX) throw new Error(`the animation has ${file.length} bytes`)
writeFileSync(FILE, file)
console.log(`${FILE}: ${film.lengthMs()} ms, ${file.length} bytes`)

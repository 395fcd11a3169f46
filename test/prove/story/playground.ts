import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { playground as words } from '../../../web/src/words/playground.ts'
import { openPageOf, type People } from './people.ts'
import { REQUESTS_PER_MINUTE, type Bench } from './bench.ts'
import { exhaust } from './keys.ts'
import { openSdk } from './sdk.ts'

/** What the demo model was trained to call, and to repeat. */
const TOOL = {
  name: 'get_weather',
  description: 'Get the weather of a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', description: 'The city' } },
    required: ['city'],
    additionalProperties: false,
  },
}
const QUESTION = 'What is the weather in Paris?'
const RESULT = 'sunny, 21 degrees'
const TOO_MANY = 429
/** Role, reasoning, text and the end are never in one event; tokens of one kind may be. */
const EVENTS_MIN = 4
const [REASONED = ''] = words.reasoned('*', null).split('*')
/** On a slow machine the wait may be over soon; the next message that passes begins another. */
const ROUNDS_MAX = 20
const WAIT_MS_MIN = 3_000
const COUNTDOWN = new RegExp(words.againIn(0).replace('0', '\\d+'))
/** An answer that is over says how it ended. */
const ENDED = new RegExp(`${words.finish}|${words.ended.refused(TOO_MANY)}`)

/** Asks with a tool: reasoning, a call, its result by hand, and an answer that contains it. */
export async function talkWithTool(bench: Bench, { owner }: People): Promise<string> {
  const { page } = owner
  await openPageOf(bench, owner, '/playground')
  await page.getByRole('button', { name: words.setup.addTool }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(words.json.text).fill(JSON.stringify(TOOL))
  await dialog.getByRole('button', { name: words.json.save }).click()
  await send(page, QUESTION)
  const first = answers(page).first()
  const call = first.getByRole('region', { name: TOOL.name })
  await call.getByLabel(words.call.resultOf(TOOL.name)).fill(RESULT)
  assert.match((await call.textContent()) ?? '', /"city":\s*"Paris"/)
  const reasoned = await openReasoning(first)
  assert.ok(reasoned.length > 0, 'no reasoning was shown')
  await bench.keepPicture(page, 'playground-call')
  await first.getByRole('button', { name: words.call.send }).click()
  const second = answers(page).nth(1)
  const cost = second.getByRole('link', { name: /\d/ })
  await cost.waitFor()
  assert.match((await second.textContent()) ?? '', /sunny/i)
  await checkStream(page)
  await bench.keepPicture(page, 'playground-answer')
  return reasoned
}

/** Uses up the requests of the minute: the next message is refused, with a countdown. */
export async function meetLimit(bench: Bench, { owner }: People, key: string): Promise<string> {
  const { page } = owner
  const sdk = await openSdk(bench.web.apiRoot, key)
  await openPageOf(bench, owner, '/playground')
  await page.getByLabel(words.composer.label, { exact: true }).waitFor()
  const refused = await exhaust(sdk, REQUESTS_PER_MINUTE * ROUNDS_MAX)
  assert.equal(refused.status, TOO_MANY, refused.message)
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    const answered = page.waitForResponse((answer) => answer.url().endsWith('/chat/completions'))
    await send(page, 'Hello')
    const answer = await answered
    const waitMs = Number(await answer.headerValue('retry-after-ms'))
    // One that may be over before it was looked at is not the one to look at.
    if (answer.status() === TOO_MANY && waitMs >= WAIT_MS_MIN) {
      await watchCountdown(bench, page, waitMs)
      return (await answer.headerValue('x-request-id')) ?? ''
    }
    await answers(page).last().getByText(ENDED).first().waitFor()
  }
  throw new Error('no message was refused for long enough')
}

/** The button counts down and then sends the message again, which is answered. */
async function watchCountdown(bench: Bench, page: Page, waitMs: number): Promise<void> {
  const alert = answers(page).last().getByRole('alert')
  await alert.getByText(words.ended.refused(TOO_MANY)).waitFor()
  const counting = alert.getByRole('button', { name: COUNTDOWN })
  const shown = Number(/\d+/.exec((await counting.textContent()) ?? '')?.[0])
  assert.ok(shown >= 1 && shown <= Math.ceil(waitMs / 1000), `it counts down from ${shown} s`)
  await bench.keepPicture(page, 'playground-429')
  await alert.getByRole('button', { name: words.again, exact: true }).click()
  await answers(page).last().getByText(words.finish).waitFor()
}

function answers(page: Page): Locator {
  return page.getByRole('article', { name: words.assistant })
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel(words.composer.label, { exact: true }).fill(text)
  await page.getByRole('button', { name: words.composer.send, exact: true }).click()
}

/** The line of the reasoning is a button that shows it. */
async function openReasoning(answer: Locator): Promise<string> {
  const before = (await answer.textContent()) ?? ''
  await answer.getByRole('button', { name: REASONED }).click()
  const after = (await answer.textContent()) ?? ''
  return after.slice(0, after.length - before.length)
}

/** Reasoning, then text, then the end, in events of their own. */
async function checkStream(page: Page): Promise<void> {
  const marks = [words.marks.reasoning, words.marks.text, words.marks.complete]
  const [reasoning = NaN, text = NaN, end = NaN] = await Promise.all(
    marks.map((mark) => secondsTo(page, mark)),
  )
  // A busy browser reads several events at once, so that they have the same time.
  assert.ok(reasoning <= text && text <= end, `not in order: ${reasoning}, ${text}, ${end}`)
  const tab = await page.getByRole('tab', { name: words.tabs.events }).textContent()
  const events = Number(/\d+/.exec(tab ?? '')?.[0])
  assert.ok(events >= EVENTS_MIN, `only ${events} events`)
}

/** Seconds from sending to a mark of the newest request, as the timeline lists them. */
async function secondsTo(page: Page, mark: string): Promise<number> {
  const line = page.getByRole('tabpanel').getByRole('listitem').filter({ hasText: mark })
  return Number(/[\d.]+/.exec((await line.first().textContent()) ?? '')?.[0])
}

// The playground and what a real engine does not do on demand: floods, errors, broken connections.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import type { Page } from 'playwright-core'
import { limitsOf } from '../harness/environment.ts'
import { chunk, ending, ROLE } from '../harness/fake-engine/events.ts'
import { begin, flush, startFakeEngine } from '../harness/fake-engine/server.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { openPlayground } from '../harness/browser/playground-page.ts'
import { openWeb } from '../harness/browser/web.ts'
import { findActive } from '../prove/web-security/find-active.ts'
import { VECTORS } from '../prove/web-security/vectors.ts'

const EVENTS = 5_000
/**
 * The aim is no task over 50 ms. The first paragraph of an answer takes about 110 ms of CPU time on
 * two cores: the first parse, render and layout. What follows must not grow with the answer.
 */
const TASK_CPU_MS_MAX = 500
const SLOW_MS = 50
const SLOW_TASKS_MAX = 8
/** Few, so that none is refilled while a slow machine types. */
const REQUESTS_PER_MINUTE = 3
const PARAGRAPH = ['Some **bold** text', ' with `code`', ' and more', ' words.', '\n\n- item\n\n']
const PRICE = { input: 0.6, cached_input: 0.12, output: 2.4 }

const engine = await startFakeEngine(async ({ body, response }) => {
  const asked = JSON.stringify(body['messages'])
  begin(response)
  await flush(response, ROLE + chunk({ content: 'Begun. ' }))
  if (asked.includes('fail')) return void response.destroy()
  if (asked.includes('hang')) return
  if (asked.includes('hostile'))
    for (const { text } of VECTORS) {
      response.write(chunk({ reasoning_content: `${text}\n\n` }))
      await flush(response, chunk({ content: `${text}\n\n` }))
    }
  if (asked.includes('flood'))
    for (let sent = 0; sent < EVENTS; sent += 1)
      response.write(chunk({ content: PARAGRAPH[sent % PARAGRAPH.length] }))
  response.end(ending({ prompt: 200, completion: 500, cached: 100 }))
})
const web = await openWeb({
  engines: [{ name: 'one', url: engine.url }],
  models: [{ id: 'test/one', engines: ['one'], context_length: 8_000, max_output_tokens: 2_000 }],
  plans: {
    slow: {
      models: 'all',
      limits: limitsOf({ requests_per_minute: REQUESTS_PER_MINUTE }),
      credentials: ['api_key', 'playground'],
    },
    paid: {
      models: 'all',
      limits: limitsOf(),
      credentials: ['api_key', 'playground'],
      billing: 'postpaid',
      prices: { 'test/one': PRICE },
    },
  },
})
endWithFile(web, engine)

type TraceEvent = {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** The longest tasks of any page's main thread, in milliseconds of CPU time. */
async function longestTasksMs(page: Page, work: () => Promise<void>): Promise<number[]> {
  const browser = page.context().browser()!
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] })
  await work()
  const trace = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[]
  }
  const threads = new Set(
    trace.traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}/${tid}`),
  )
  const tasks = trace.traceEvents.filter(
    ({ name, pid, tid }) => name.endsWith('RunTask') && threads.has(`${pid}/${tid}`),
  )
  assert.ok(tasks.length > 0, 'the trace has no tasks')
  return tasks
    .map(({ tdur = 0 }) => tdur / 1_000)
    .toSorted((a, b) => b - a)
    .slice(0, 10)
}

test(`${EVENTS} events do not block the page`, async () => {
  const { page, send } = await openPlayground(web)
  const longest = await longestTasksMs(page, async () => {
    await send('flood')
    // By the list alone: a search through the whole answer would be the longest task.
    await page.locator('[data-shows=marks] li', { hasText: '[DONE]' }).waitFor({ timeout: 60_000 })
  })
  // What is parsed after the end is parsed in turns too.
  const isShown = async () =>
    (await page.locator('[data-shows=markdown] [data-shows=plain]').count()) === 0
  await waitUntil('the whole answer to be formatted', isShown, 60_000)
  const text = await page.locator('[data-shows=markdown]').innerText()
  assert.equal(text.split('Some bold text').length - 1, EVENTS / PARAGRAPH.length)
  assert.ok((longest[0] ?? 0) < TASK_CPU_MS_MAX, `${longest.join(' ')} ms`)
  const slow = longest.filter((tookMs) => tookMs >= SLOW_MS)
  assert.ok(slow.length <= SLOW_TASKS_MAX, `${slow.length} slow tasks: ${longest.join(' ')} ms`)
  // How many: the service joins pieces for a reader that is slower than the engine.
  await page.getByRole('tab', { name: /Events/ }).click()
  const label = await page.getByRole('tab', { name: /Events/ }).innerText()
  const events = Number(/Events ([\d,]+)/.exec(label)?.[1]?.replaceAll(',', ''))
  assert.ok(events > 2 && events <= EVENTS + 10, label)
  assert.ok(
    (await page.locator('[data-shows=events] tbody tr').count()) < 100,
    'all rows are elements',
  )
  await page.context().close()
})

test('the cost is exact at the end, and below what the page said before', async () => {
  const { page, send } = await openPlayground(web, { plan: 'paid' })
  const most = await page.getByText(/^At most [\d.]+ USD$/).innerText()
  await send('Hello')
  // 100 × 0.6 + 100 × 0.12 + 500 × 2.4, per million.
  await page.getByRole('link', { name: '0.001272 USD' }).waitFor()
  assert.ok(Number(/[\d.]+/.exec(most)?.[0]) > 0.001272, most)
  await page.context().close()
})

test('whatever a model sends stays text in the playground', async () => {
  const { page, send } = await openPlayground(web)
  await send('hostile')
  await page.getByText('Complete: [DONE]').waitFor()
  for (const { mark } of VECTORS)
    assert.ok(
      (await page.locator('[data-shows=markdown]').allInnerTexts()).join().includes(mark),
      mark,
    )
  for (const tab of ['Events', 'Code', 'Headers']) {
    await page.getByRole('tab', { name: new RegExp(tab) }).click()
    assert.deepEqual(await findActive(page), [], tab)
  }
  await page.context().close()
})

test('an error event is shown as one, with what came before it', async () => {
  const { page, send } = await openPlayground(web)
  await send('fail')
  const alert = page.getByRole('alert')
  await alert.getByText('The service ended the answer with an error.').waitFor()
  assert.match(await page.locator('[data-shows=markdown]').innerText(), /Begun/)
  await page.getByText('Ended with an error').waitFor()
  await page.context().close()
})

test('a 429 counts down to Retry-After, then the request passes', async () => {
  const { page, send, key } = await openPlayground(web, { plan: 'slow' })
  const headers = { authorization: `Bearer ${key}` }
  for (let status = 200; status === 200;)
    status = (await fetch(`${web.apiRoot}/models`, { headers })).status
  await send('Hello')
  const button = page.getByRole('button', { name: /^Send again in \d+ s$/ })
  await button.waitFor()
  const seconds = Number(/\d+/.exec(await button.innerText())?.[0])
  assert.ok(seconds <= 60 / REQUESTS_PER_MINUTE, `${seconds} s`)
  await page.getByRole('tab', { name: 'Headers' }).click()
  await page.getByText('retry-after', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Send again', exact: true }).click()
  await page.getByText('Begun.').waitFor()
  await page.context().close()
})

test('the credential is in no storage, no address and no snippet', async () => {
  const { page, send } = await openPlayground(web, { search: '?temperature=0.5' })
  const sent = page.waitForRequest(`${web.apiRoot}/chat/completions`)
  await send('Hello')
  const { authorization = '' } = await (await sent).allHeaders()
  const credential = authorization.replace('Bearer ', '')
  assert.match(credential, /_pg_/)
  await page.getByText('Complete: [DONE]').waitFor()
  await page.getByRole('tab', { name: 'Code' }).click()
  for (const language of ['Python', 'TypeScript', 'curl']) {
    await page.getByRole('tab', { name: language }).click()
    const code = await page.locator('[data-shows=code] pre').innerText()
    assert.match(code, /HEADRACE_API_KEY/)
    assert.match(code, /temperature"?[=:] ?0.5/)
  }
  const kept = await page.evaluate(
    '[document.documentElement.outerHTML, location.href, JSON.stringify({ ...localStorage }), ' +
      'JSON.stringify({ ...sessionStorage }), JSON.stringify(history.state)].join()',
  )
  assert.ok(!String(kept).includes(credential), 'the credential is in the page')
  await page.context().close()
})

/** The status of one request without the browser. */
async function ask(key: string): Promise<number> {
  const response = await fetch(`${web.apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test/one', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await response.text()
  return response.status
}

test('a broken connection is shown as one, and the message can be sent again', async () => {
  const { page, send, key } = await openPlayground(web)
  await send('hang')
  await page.getByText('Begun.').waitFor()
  await web.api.kill()
  await page.getByText('The connection broke before the answer was complete.').waitFor()
  await web.api.start()
  // The killed process holds the only slot of the engine until its lease has expired.
  await waitUntil('the slot to be free', async () => (await ask(key)) === 200, 30_000)
  await page.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('Begun.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Stopped by you').waitFor()
  await page.context().close()
})

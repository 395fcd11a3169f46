// Walk 4 of the console: the playground on a real llama-server.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import { promisify } from 'node:util'
import { ENDLESS, startRealEngine } from '../harness/engines/real-engine.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { openPlayground } from '../harness/browser/playground-page.ts'
import { openWeb } from '../harness/browser/web.ts'

const SLOTS = 2
/** The slot is free within milliseconds; the machine may be busy with other tests. */
const SLOT_FREE_MS_MAX = 10_000
const MODEL = 'headrace/pebble'

const engine = await startRealEngine(SLOTS)
const engines = [{ name: 'real', url: engine.url, slots: SLOTS, model_name: 'pebble' }]
const reasoning = { supported_efforts: ['low', 'high'] }
const model = { id: MODEL, engines: ['real'], context_length: 4_096, reasoning }
const web = await openWeb({ engines, models: [model] })
endWithFile(web, engine)

test('reasoning streams, a tool call is answered by hand, and the model goes on', async () => {
  const { page } = await openPlayground(web, {
    search: '?tool_choice=required&max_completion_tokens=400',
  })
  await page.getByRole('button', { name: /A tool/ }).click()
  await page.getByRole('button', { name: 'Send' }).click()
  const result = page.getByLabel('Result of get_water_level')
  await result.waitFor({ timeout: 60_000 })
  assert.match(await page.locator('[data-shows=tool-call] pre').first().innerText(), /"station"/)
  // The model may only answer now.
  await page.getByLabel('Tool choice').selectOption('none')
  await result.fill('{"level_m": 2.41}')
  await result.press('Control+Enter')
  await page.getByText('Result sent').waitFor()
  const second = page.locator('[data-shows=answer]').nth(1)
  await second.getByText('Finish').waitFor({ timeout: 60_000 })
  await page
    .getByRole('button', { name: /Reason/ })
    .first()
    .click()
  assert.notEqual(await page.locator('[data-shows=thoughts]').first().innerText(), '')
  await page.context().close()
})

test('an answer by a JSON schema is JSON, and its curl command answers too', async () => {
  const { page, key } = await openPlayground(web, { search: '?max_completion_tokens=600' })
  await page.getByRole('button', { name: /JSON schema/ }).click()
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Complete: [DONE]').waitFor({ timeout: 60_000 })
  await page.getByText('Valid against the schema', { exact: true }).waitFor()
  const shown = await page.locator('[data-shows=json] pre').innerText()
  assert.match(shown, /^\{\n {2}"city": /)
  const answer = JSON.parse(shown) as { city: unknown }
  assert.equal(typeof answer.city, 'string')
  await page.getByRole('tab', { name: 'Code' }).click()
  const command = await page.locator('[data-shows=code] pre').innerText()
  const { stdout } = await promisify(execFile)('sh', ['-c', `HEADRACE_API_KEY=${key}\n${command}`])
  assert.match(stdout, new RegExp(`"model":"${MODEL}"`))
  assert.match(stdout, /data: \[DONE\]/)
  await page.context().close()
})

test('Escape stops the answer and frees the slot of the engine', async () => {
  const schema = encodeURIComponent(JSON.stringify(ENDLESS.response_format.json_schema))
  const { page, send } = await openPlayground(web, {
    search: `?format=json_schema&schema=${schema}`,
  })
  await page.getByLabel('Edit the schema').waitFor()
  await send('Count')
  const isBusy = async () => (await engine.inUse()) > 0
  await waitUntil('a slot to be in use', isBusy, SLOT_FREE_MS_MAX)
  await page.keyboard.press('Escape')
  await page.getByText('Stopped by you').waitFor()
  const isFree = async () => (await engine.inUse()) === 0
  await waitUntil('the slot to be free', isFree, SLOT_FREE_MS_MAX)
  await page.context().close()
})

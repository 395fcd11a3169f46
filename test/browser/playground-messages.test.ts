// What people do with single messages in the playground. The engine says what it was asked, so that
// a test can compare it with what the page shows.
// covers: web/src/pages/playground/**
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import type { Locator, Page } from 'playwright-core'
import { createProject } from '../../src/store/tenants/projects.ts'
import { signOutByHand } from './entry-people.ts'
import { limitsOf } from '../harness/environment.ts'
import { chunk, ending, ROLE } from '../harness/fake-engine/events.ts'
import { begin, flush, startFakeEngine } from '../harness/fake-engine/server.ts'
import { openPlayground } from '../harness/browser/playground-page.ts'
import { join, openOrganization } from '../harness/seed/tenants.ts'
import { openWeb } from '../harness/browser/web.ts'

const CHEAP = { input: 0.6, cached_input: 0.12, output: 2.4 }
const CODE = 'const level = 2.41'

let answers = 0

const engine = await startFakeEngine(async ({ body, response }) => {
  const messages = body['messages'] as { readonly role: string; readonly content: string }[]
  const said = messages.map(({ role, content }) => `${role[0]}:${content}`).join(' / ')
  begin(response)
  await flush(response, ROLE + chunk({ content: `No. ${(answers += 1)} for [${said}]` }))
  if (said.includes('hang')) return
  if (said.includes('code')) response.write(chunk({ content: `\n\n\`\`\`ts\n${CODE}\n\`\`\`\n` }))
  response.end(ending({ prompt: 20, completion: 5 }))
})
const bounds = { context_length: 8_000, max_output_tokens: 2_000 }
const priced = {
  models: 'all',
  limits: limitsOf(),
  credentials: ['api_key', 'playground'],
  prices: { 'test/one': CHEAP, 'test/two': { ...CHEAP, output: 4.8 } },
} as const
const web = await openWeb({
  engines: [{ name: 'one', url: engine.url, slots: 4 }],
  models: [
    { id: 'test/one', engines: ['one'], ...bounds },
    { id: 'test/two', engines: ['one'], ...bounds },
  ],
  plans: {
    paid: { ...priced, billing: 'postpaid' },
    prepaid: { ...priced, billing: 'prepaid' },
  },
})
endWithFile(web, engine)

type Talk = {
  readonly page: Page
  /** Sends a message and waits for the end of its answer. */
  readonly say: (text: string) => Promise<void>
  readonly answer: (at: number) => Locator
  readonly mine: (at: number) => Locator
}

async function open(search = '', plan = 'ample'): Promise<Talk> {
  answers = 0
  const { page, send } = await openPlayground(web, { search, plan })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const answer = (at: number) => page.locator('[data-shows=answer]').nth(at)
  return {
    page,
    answer,
    mine: (at) => page.getByRole('article', { name: 'You' }).nth(at),
    say: async (text) => {
      const at = await page.locator('[data-shows=answer]').count()
      await send(text)
      await answer(at).getByText('Finish').waitFor()
    },
  }
}

const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')

test('a message, an answer and a block of code are copied as they were written', async () => {
  const { page, say, answer, mine } = await open()
  await say('some code')
  await mine(0).getByRole('button', { name: 'Copy message' }).click()
  assert.equal(await clipboard(page), 'some code')
  await answer(0).getByRole('button', { name: 'Copy message' }).click()
  assert.match(await clipboard(page), /^No\. 1 for \[u:some code\]\n\n```ts\n/)
  await answer(0).getByRole('button', { name: 'Copy code' }).click()
  assert.equal(await clipboard(page), CODE)
  await page.context().close()
})

test('an answer is generated again in place of what followed, and Undo restores it', async () => {
  const { page, say, answer } = await open()
  await say('first')
  await say('second')
  await answer(0).getByRole('button', { name: 'Regenerate' }).click()
  await page.getByText('No. 3 for [u:first]', { exact: true }).waitFor()
  assert.equal(await page.locator('[data-shows=answer]').count(), 1)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText(/^No\. 2 for \[u:first \/ a:No\. 1 for \[u:first\]/).waitFor()
  assert.equal(await page.getByText('No. 3').count(), 0)
  await page.context().close()
})

test('an edited message is sent in place of the old one and of what followed it', async () => {
  const { page, say, mine } = await open()
  await say('first')
  await say('second')
  await mine(0).getByRole('button', { name: 'Edit message' }).click()
  const field = page.getByLabel('Edited message')
  await field.fill('other')
  await field.press('Escape')
  await mine(0).getByText('first', { exact: true }).waitFor()
  await mine(0).getByRole('button', { name: 'Edit message' }).click()
  await field.fill('other')
  await field.press('Enter')
  await page.getByText('No. 3 for [u:other]', { exact: true }).waitFor()
  assert.equal(await page.getByRole('article', { name: 'You' }).count(), 1)
  await page.context().close()
})

test('a deleted message takes its answer with it, and the model does not see them', async () => {
  const { page, say, mine } = await open()
  await say('first')
  await say('second')
  await mine(0).getByRole('button', { name: 'Delete message' }).click()
  await page.getByText('Deleted.').waitFor()
  assert.equal(await page.locator('[data-shows=answer]').count(), 1)
  await say('third')
  await page.getByText(/^No\. 3 for \[u:second \/ a:No\. 2 .* \/ u:third\]$/).waitFor()
  await page.context().close()
})

test('a branch goes on beside the conversation from the chosen message', async () => {
  const { page, say, answer } = await open()
  await say('first')
  await say('second')
  await answer(0).getByRole('button', { name: 'Branch from here' }).click()
  const columns = page.getByRole('region', { name: 'test/one' })
  await columns.nth(1).waitFor()
  assert.equal(await columns.nth(0).locator('[data-shows=answer]').count(), 2)
  assert.equal(await columns.nth(1).locator('[data-shows=answer]').count(), 1)
  await page.getByLabel('Message', { exact: true }).fill('third')
  await page.getByLabel('Message', { exact: true }).press('Enter')
  const branched = /^No\. \d for \[u:first \/ a:No\. 1 for \[u:first\] \/ u:third\]$/
  await columns.nth(1).getByText(branched).waitFor()
  await columns
    .nth(0)
    .getByText(/ \/ u:second \/ .* \/ u:third\]$/)
    .waitFor()
  await page.context().close()
})

test('Clear is undone, and is disabled while there is nothing to clear', async () => {
  const { page, say } = await open()
  const clear = page.getByRole('button', { name: 'Clear' })
  assert.ok(await clear.isDisabled())
  await say('first')
  await clear.click()
  await page.getByRole('button', { name: /JSON schema/ }).waitFor()
  assert.ok(await clear.isDisabled())
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('No. 1 for [u:first]', { exact: true }).waitFor()
  await page.context().close()
})

test('a conversation that was saved as a file goes on after it is opened', async () => {
  const { page, say } = await open()
  await say('first')
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as file' }).click()
  const buffer = await readFile(await (await saving).path())
  const other = await open()
  await other.say('something else')
  const field = other.page.getByLabel('Open file')
  const file = { name: 'conversation.json', mimeType: 'application/json' }
  await field.setInputFiles({ ...file, buffer: Buffer.from('{"messages": []}') })
  await other.page.getByText(/^This file was not written by/).waitFor()
  await field.setInputFiles({ ...file, buffer })
  await other.page.getByText('No. 1 for [u:first]', { exact: true }).waitFor()
  assert.equal(await other.page.getByText('something else').count(), 0)
  await other.say('second')
  await other.page.getByText(/for \[u:first \/ a:No\. 1 for \[u:first\] \/ u:second\]$/).waitFor()
  await page.context().close()
  await other.page.context().close()
})

test('an answer that was asked for as JSON and is none is called so', async () => {
  const { page, say } = await open('?format=json_object')
  await say('first')
  await page.getByText('Not valid JSON', { exact: true }).waitFor()
  assert.equal(await page.locator('[data-shows=json] pre').innerText(), 'No. 1 for [u:first]')
  await page.context().close()
})

test('two models are compared by name and figures, with the better figure marked', async () => {
  const { page } = await open('?model=test/two&compare=test/one', 'paid')
  await page.getByLabel('Message', { exact: true }).fill('first')
  await page.getByLabel('Message', { exact: true }).press('Enter')
  const table = page.getByRole('table', { name: 'Figures of both models' })
  // 20 × 0.6 + 5 × 4.8 and 20 × 0.6 + 5 × 2.4, per million.
  const cost = table.getByRole('row', { name: /^Cost 0\.000036 USD 0\.000024 USD \(better\)$/ })
  await cost.waitFor()
  const heads = await table.getByRole('columnheader').allInnerTexts()
  assert.deepEqual(heads, ['test/two', 'test/one'])
  await table.getByRole('row', { name: 'Output tokens 5 5' }).waitFor()
  const [left, right] = [await endOf(page, 'test/two'), await endOf(page, 'test/one')]
  // On one scale: as long as the one is to the other, so far are their ends from the beginning.
  // Times on the page are rounded.
  const ratio = left.place / right.place / (left.lasted / right.lasted)
  assert.ok(ratio > 0.75 && ratio < 1.33, JSON.stringify({ left, right }))
  await page.context().close()
})

/** How long the request of a model took, and how far from its beginning the timeline ends. */
async function endOf(page: Page, model: string) {
  const head = page.getByRole('heading', { name: model, exact: true }).locator('..')
  const [, figure = '', unit] = /after ([\d.]+) (ms|s)/.exec(await head.innerText()) ?? []
  const chart = page.getByRole('img', { name: `Timeline of ${model}:` })
  const placeOf = async (line: Locator) => Number(await line.getAttribute('x1'))
  const lines = chart.locator('line')
  const from = await placeOf(lines.first())
  const to = await placeOf(lines.last())
  return { lasted: Number(figure) * (unit === 's' ? 1_000 : 1), place: to - from }
}

test('the project and the organization that were used last are opened again', async () => {
  const { page, slug, organization, person } = await openPlayground(web)
  const { database } = web.environment.postgres
  await createProject(database, organization.id, 'newest')
  const other = await openOrganization(database, 'ample')
  await join(database, other.id, person.accountId)
  const address = `${web.origin}/o/${slug}/playground`
  await page.goto(address)
  // Not the newest one, which may have a limit of its own.
  await page.getByRole('button', { name: 'Project default' }).click()
  await page.getByRole('menuitemradio', { name: 'newest' }).click()
  await page.getByRole('button', { name: 'Project newest' }).waitFor()
  await page.goto(address)
  await page.getByRole('button', { name: 'Project newest' }).waitFor()
  await page.goto(`${web.origin}/`)
  await page.waitForURL(`${web.origin}/o/${slug}`)
  await page.context().close()
})

test('without balance, an owner is led to the billing page and a member to an owner', async () => {
  const owner = await openPlayground(web, { plan: 'prepaid', role: 'owner' })
  await owner.send('first')
  await owner.page.getByText('Refused: 402.').waitFor()
  await owner.page.getByRole('alert').getByRole('link', { name: 'Open billing' }).click()
  await owner.page.waitForURL(`${web.origin}/o/${owner.slug}/billing`)
  await owner.page.context().close()
  const member = await openPlayground(web, { plan: 'prepaid' })
  await member.send('first')
  await member.page.getByText(/Refused: 402\..* Ask an owner or an admin of /).waitFor()
  assert.equal(await member.page.getByRole('link', { name: 'Open billing' }).count(), 0)
  await member.page.context().close()
})

test('closing or reloading the tab asks while there is a conversation, and only then', async () => {
  const { page, say } = await open()
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  await page.getByLabel('Message', { exact: true }).fill('a draft')
  await page.reload()
  assert.deepEqual(asked, [])
  await say('first')
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
  await page.reload()
  assert.deepEqual(asked, ['beforeunload'])
  await page.context().close()
})

test('signing out does not ask, even while an answer is running', async () => {
  const { page } = await open()
  page.on('dialog', (dialog) => assert.fail(`it asked: ${dialog.type()}`))
  await page.getByLabel('Message', { exact: true }).fill('hang')
  await page.getByLabel('Message', { exact: true }).press('Enter')
  await page.getByText('No. 1 for [u:hang]').waitFor()
  await signOutByHand(page)
  await page.context().close()
})

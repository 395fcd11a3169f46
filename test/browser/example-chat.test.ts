// The chat page of examples/ in Chromium, with its server and the real service.
// covers: examples/chat/**
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startBrowser, type TestBrowser } from '../harness/browser/browser.ts'
import { DEMO_MODEL, startEnvironment, type Environment } from '../harness/environment.ts'
import { openCaller } from '../harness/seed/tenants.ts'

const SERVER = new URL('../../examples/chat/server.mjs', import.meta.url).pathname
const started: ChildProcess[] = []
let environment: Environment
let browser: TestBrowser
let apiRoot: string

before(async () => {
  environment = await startEnvironment()
  ;({ apiRoot } = await environment.startApi())
  browser = await startBrowser()
})
after(async () => {
  for (const child of started) child.kill()
  await browser[Symbol.asyncDispose]()
  await environment[Symbol.asyncDispose]()
})

async function openChat(root: string, key: string): Promise<{ page: Page; address: string }> {
  const settings = { HEADRACE_BASE_URL: root, HEADRACE_API_KEY: key, HEADRACE_MODEL: DEMO_MODEL }
  const child = spawn(process.execPath, [SERVER], { env: { ...settings, PORT: '0' } })
  started.push(child)
  const [address] = (await once(createInterface(child.stdout), 'line')) as [string]
  const page = await browser.openStrictPage({ viewport: { width: 390, height: 800 } })
  await page.goto(address)
  return { page, address }
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(question)
  await page.getByRole('button', { name: 'Send' }).click()
}

test('the answer of the model appears, and the key is on no page', async () => {
  const { key } = await openCaller(environment.postgres.database, 'ample')
  const { page } = await openChat(apiRoot, key)
  await ask(page, 'What is the capital of France?')
  const answer = page.getByRole('listitem').nth(1)
  await answer.filter({ hasText: 'Paris' }).waitFor()
  await page.getByRole('button', { name: 'Send' }).waitFor()
  assert.equal(await page.getByRole('alert').textContent(), '')
  assert.ok(!(await page.content()).includes(key))
  await page.context().close()
})

test('a refusal is shown in its words with the request id, and one can ask again', async () => {
  const { page } = await openChat(apiRoot, 'headrace_sk_wrong')
  await ask(page, 'Hello')
  const problem = page.getByRole('alert').filter({ hasText: /Request id: [0-9a-f-]{36}/ })
  await problem.waitFor()
  await page.getByRole('button', { name: 'Send' }).waitFor()
  assert.equal(await page.getByRole('listitem').count(), 1)
  await page.context().close()
})

test('Stop ends the request at the service, before or in the answer, and keeps it', async () => {
  const asked = Promise.withResolvers<void>()
  const left = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let requests = 0
  // A service that still reads the first question, and is in the middle of its second answer.
  const service = createServer((_request, response) => {
    response.on('close', () => left[requests - 1]?.resolve())
    requests += 1
    if (requests === 1) return asked.resolve()
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'one' })
    response.write('data: {"choices":[{"index":0,"delta":{"content":"Once upon"}}]}\n\n')
  })
  await once(service.listen(0, '127.0.0.1'), 'listening')
  const { port } = service.address() as AddressInfo
  const { page } = await openChat(`http://127.0.0.1:${port}`, 'any')
  const stop = page.getByRole('button', { name: 'Stop' })
  await ask(page, 'Hello')
  await asked.promise
  await stop.click()
  await left[0]?.promise
  await ask(page, 'Tell a story.')
  await page.getByRole('listitem').filter({ hasText: 'Once upon' }).waitFor()
  await stop.click()
  await left[1]?.promise
  await page.getByRole('button', { name: 'Send' }).waitFor()
  assert.equal(await page.getByRole('listitem').last().textContent(), 'Once upon')
  assert.equal(await page.getByRole('alert').textContent(), '')
  await page.context().close()
  service.close()
})

test('a page of another site cannot use the key', async () => {
  const { address, page } = await openChat(apiRoot, 'any')
  const headers = { origin: 'https://evil.example', 'content-type': 'application/json' }
  const body = JSON.stringify({ messages: [] })
  const { status } = await fetch(`${address}/chat`, { method: 'POST', headers, body })
  assert.equal(status, 404)
  await page.context().close()
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startEnvironment, type Environment } from '../harness/environment.ts'
import { startFakeEngine } from '../harness/fake-engine/server.ts'
import { openLine } from '../harness/clients/http-client.ts'
import { startRealEngine } from '../harness/engines/real-engine.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { createRenamedModel, UNUSUAL_TOKENS } from '../harness/engines/renamed-model.ts'

const TIMEOUT_MS = 60_000
const PROBE = { HEADRACE_API_PROBE_ENGINES: 'true' }

const model = await createRenamedModel()
const engine = await startRealEngine(2, { model: model.file })
const open: AsyncDisposable[] = [engine, model]
after(async () => {
  for (const each of open) await each[Symbol.asyncDispose]()
})

async function start(url: string, settings: object = {}) {
  const lines: string[] = []
  const environment = await startEnvironment({
    engines: [{ name: 'one', url, model_name: 'pebble' }],
    models: [{ id: 'test/one', engines: ['one'], ...settings }],
    environment: PROBE,
    onLog: (line) => void lines.push(line),
  })
  open.unshift(environment)
  const unknown = () => lines.filter((line) => line.includes('"msg":"control tokens '))
  return { ...environment, unknown }
}

async function promptTokens(environment: Environment, text: string): Promise<number> {
  const { apiRoot } = await environment.startApi()
  const { key } = await environment.openCaller()
  await using line = openLine(apiRoot, 1)
  const messages = [{ role: 'user', content: text }]
  const sent = { model: 'test/one', messages, max_completion_tokens: 1 }
  const answer = await line.chat(key, sent)
  assert.equal(answer.status, 200, answer.text)
  return (JSON.parse(answer.text) as { usage: { prompt_tokens: number } }).usage.prompt_tokens
}

test('the first request of a process cannot use a token that only its engine knows', async () => {
  const text = UNUSUAL_TOKENS.join('')
  const off = await start(engine.url, { neutralise_control_tokens: false })
  const parsed = await promptTokens(off, text)
  const on = await start(engine.url)
  // One token each if they are parsed, several if they are text.
  assert.ok((await promptTokens(on, text)) >= parsed + 4 * UNUSUAL_TOKENS.length)
  assert.deepEqual(on.unknown(), [])
})

test('a model whose tokens nobody reports is named in the log, unless it has a file', async () => {
  await using silent = await startFakeEngine(({ response }) => {
    response.writeHead(500).end()
  })
  const without = await start(silent.url)
  await without.startApi()
  const found = () => without.unknown().length > 0
  await waitUntil('the model to be named in the log', found, TIMEOUT_MS)
  assert.match(without.unknown()[0] ?? '', /"model":"test\/one","msg":"control tokens unknown"/)
  const given = await start(silent.url, { control_tokens_file: model.file })
  await given.startApi()
  assert.deepEqual(given.unknown(), [])
})

test('a file that is no vocabulary prevents the start', async () => {
  const broken = await start(engine.url, { control_tokens_file: '/dev/null' })
  await assert.rejects(broken.startApi(), /exited early: 78/)
})

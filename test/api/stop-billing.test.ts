import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { modelOn, startEnvironment } from '../harness/environment.ts'
import { begin, startFakeEngine } from '../harness/fake-engine/server.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { readUsage } from '../harness/seed/usage-records.ts'

const PROMPT_TOKENS = 7
const TIMEOUT_MS = 30_000
const CLOSING_MS = 500

test('a prompt is billed although its client and then the process left', async () => {
  let isAsked = false
  let counts = 0
  const counted = Promise.withResolvers<void>()
  await using engine = await startFakeEngine(
    ({ response }) => {
      isAsked = true
      begin(response).flushHeaders()
    },
    {
      promptTokens: async () => {
        if (!isAsked) return PROMPT_TOKENS
        counts += 1
        await counted.promise
        return PROMPT_TOKENS
      },
    },
  )
  await using environment = await startEnvironment({ engines: [{ name: 'one', url: engine.url }] })
  const api = await environment.startApi()
  const { key, organizationId } = await environment.openCaller()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const sent = request(`${api.apiRoot}/chat/completions`, { method: 'POST', agent: false, headers })
  sent.end(
    JSON.stringify({ model: modelOn('one'), messages: [{ role: 'user', content: 'Hello' }] }),
  )
  await waitUntil('the engine to be asked', () => isAsked, TIMEOUT_MS)
  sent.once('error', () => {}).destroy()
  await waitUntil('the engine to count the prompt', () => counts === 1, TIMEOUT_MS)
  const exited = once(api.child, 'exit')
  api.child.kill('SIGTERM')
  const isClosed = () =>
    fetch(`${api.apiRoot}/models`).then(
      () => false,
      () => true,
    )
  await waitUntil('no new connection to be accepted', isClosed, TIMEOUT_MS)
  // time is under test: a process that closes its engines now does so before they have counted.
  await pause(CLOSING_MS)
  counted.resolve()
  await exited
  const [record] = await readUsage(environment.valkey, { organizationId })
  assert.deepEqual(
    [record?.outcome, record?.basis, record?.promptTokens],
    ['abandoned', 'engine_partial', PROMPT_TOKENS],
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import { modelOn, startEnvironment } from '../harness/environment.ts'
import { chunk, ending, ROLE } from '../harness/fake-engine/events.ts'
import { begin, startFakeEngine } from '../harness/fake-engine/server.ts'
import { createClient } from './client.ts'
import { until } from './start.ts'

/** In everything that a client or an engine can write. */
const CANARY = 'canary7f3a'
const MODEL = modelOn('one')
const MESSAGES = [{ role: 'user', content: `Hello ${CANARY}` }]
const USER_AGENT = { 'user-agent': CANARY, 'x-forwarded-for': CANARY, cookie: CANARY }

const lines: Record<string, unknown>[] = []

const engine = await startFakeEngine(({ body, response }) => {
  const { messages } = body as { messages: { content: string }[] }
  if (messages.at(-1)?.content.startsWith('Fail') === true) {
    response.writeHead(500, { 'x-header': CANARY }).end(CANARY)
    return
  }
  begin(response)
  if (messages.at(-1)?.content.startsWith('Wait') === true) response.write(ROLE)
  else response.end(ROLE + chunk({ content: CANARY }) + ending({ prompt: 10, completion: 4 }))
})
const environment = await startEnvironment({
  engines: [{ name: 'one', url: engine.url }],
  sections: { api: { access_log: true, probe_engines: false } },
  environment: { HEADRACE_API_LOG_LEVEL: 'info' },
  onLog: (line) => void lines.push(JSON.parse(line)),
})
const caller = await environment.openCaller()
const organizationId = caller.organizationId
const apiRoot = (await environment.startApi()).apiRoot
const client = createClient({ apiRoot }, caller.key)

endWithFile(client, environment, engine)

/** The line of a request, without what differs from run to run. */
async function lineOf(requestId: string | undefined) {
  const find = () =>
    lines.find((line) => line['msg'] === 'request ended' && line['requestId'] === requestId)
  await until('the line is written', () => find() !== undefined)
  const { level, time, msg, requestId: _id, durationMs, ...rest } = find() ?? {}
  assert.equal(level, 30)
  assert.ok(typeof time === 'number' && typeof msg === 'string')
  assert.ok(typeof durationMs === 'number' && durationMs >= 0 && durationMs < 60_000)
  return rest
}

function withoutTimes({ queuedMs, firstTokenMs, ...rest }: Record<string, unknown>) {
  assert.ok(typeof queuedMs === 'number' && queuedMs >= 0)
  if (firstTokenMs !== null) assert.ok(Number(firstTokenMs) >= queuedMs)
  return { ...rest, hasFirstToken: firstTokenMs !== null }
}

const COUNTS = { promptTokens: 10, cachedTokens: 0, completionTokens: 4, reasoningTokens: 0 }
const NOTHING = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 }
/** The fields of a request that never had a slot. */
const UNSERVED = {
  model: null,
  engine: null,
  attempts: null,
  outcome: null,
  queuedMs: null,
  firstTokenMs: null,
  promptTokens: null,
  cachedTokens: null,
  completionTokens: null,
  reasoningTokens: null,
}
const CHAT = { operation: 'POST /chat/completions' }
const SERVED = { ...CHAT, model: MODEL, engine: 'one', attempts: 1 }

test('a completion: who, where, how long, how many tokens', async () => {
  const { status, headers } = await client.chat(
    { model: MODEL, messages: MESSAGES },
    { headers: USER_AGENT },
  )
  assert.equal(status, 200)
  assert.deepEqual(withoutTimes(await lineOf(headers['x-request-id'])), {
    ...SERVED,
    ...COUNTS,
    organizationId,
    status: 200,
    code: null,
    ended: 'whole',
    outcome: 'completed',
    hasFirstToken: true,
  })
})

test('a refused request: its code, and no model that is not served', async () => {
  const { headers } = await client.chat({ model: CANARY, messages: MESSAGES })
  assert.deepEqual(await lineOf(headers['x-request-id']), {
    ...UNSERVED,
    ...CHAT,
    organizationId,
    status: 404,
    code: 'model_not_found',
    ended: 'whole',
  })
})

test('an unknown key: no organization', async () => {
  const { headers } = await client.get(`/${CANARY}?q=${CANARY}`, { key: CANARY })
  assert.deepEqual(await lineOf(headers['x-request-id']), {
    ...UNSERVED,
    organizationId: null,
    operation: null,
    status: 401,
    code: 'invalid_api_key',
    ended: 'whole',
  })
})

test('a failed engine: the code, the engine and what it counted', async () => {
  const messages = [{ role: 'user', content: `Fail ${CANARY}` }]
  const { headers } = await client.chat({ model: MODEL, messages })
  assert.deepEqual(withoutTimes(await lineOf(headers['x-request-id'])), {
    ...SERVED,
    ...NOTHING,
    organizationId,
    status: 502,
    code: 'upstream_unavailable',
    ended: 'whole',
    outcome: 'failed',
    hasFirstToken: false,
  })
})

test('a client that leaves: broken, with the outcome and no error', async () => {
  const messages = [{ role: 'user', content: `Wait ${CANARY}` }]
  const { key } = await environment.openCaller()
  const leaving = new AbortController()
  const asked = fetch(`${apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages, stream: true }),
    signal: leaving.signal,
  })
  await until('the engine has it', () => engine.running > 0)
  leaving.abort()
  await assert.rejects(asked)
  const isBroken = (line: Record<string, unknown>) => line['ended'] === 'broken'
  await until('the line is written', () => lines.some(isBroken))
  const { code, outcome, engine: of } = lines.find(isBroken) ?? {}
  assert.deepEqual({ code, outcome, of }, { code: null, outcome: 'abandoned', of: 'one' })
})

test('nothing of a client or an engine is in any line', () => {
  const written = lines.filter(({ msg }) => msg === 'request ended')
  assert.equal(written.length, 5)
  for (const line of lines) assert.ok(!JSON.stringify(line).includes(CANARY), JSON.stringify(line))
  for (const line of written) assert.ok(!JSON.stringify(line).includes('127.0.0.1'))
})

test('without the setting there is no line', async () => {
  const quiet: string[] = []
  await using other = await startEnvironment({
    engines: [{ name: 'one', url: engine.url }],
    environment: { HEADRACE_API_LOG_LEVEL: 'info' },
    onLog: (line) => void quiet.push(line),
  })
  const api = await other.startApi()
  const { key } = await other.openCaller()
  await using own = createClient(api, key)
  assert.equal((await own.get('/models')).status, 200)
  await api[Symbol.asyncDispose]()
  assert.ok(quiet.length > 0)
  assert.ok(!quiet.some((line) => line.includes('request ended')))
})

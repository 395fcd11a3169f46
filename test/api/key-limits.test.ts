import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { raiseVersion } from '../../src/store/limits/raise-version.ts'
import { changeAccount } from '../../src/store/tenants/accounts.ts'
import { changeApiKey, type KeyChanges } from '../../src/store/tenants/api-keys.ts'
import type { Changed } from '../../src/store/tenants/changes.ts'
import { rotateApiKey } from '../../src/store/tenants/rotate-api-key.ts'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import { createApiKey } from '../../src/tenancy/api-key.ts'
import { limitsOf, modelOn, startEnvironment } from '../harness/environment.ts'
import { chunk, ending, ROLE } from '../harness/fake-engine/events.ts'
import { begin, startFakeEngine } from '../harness/fake-engine/server.ts'
import { codeOf, openLine, type Exchange, type Line } from '../harness/clients/http-client.ts'
import type { HeadraceProcess } from '../harness/processes/process.ts'
import { join, openAccount, openKey, type Key, type KeyOptions } from '../harness/seed/tenants.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
/** In micro-units per token; the worst case of a request is its context and its output. */
const PRICE = { input: 1, output: 1 }
const CONTEXT = 256
const USED = { prompt: 10, completion: 90 }
const COST = 100
const WORST = CONTEXT + USED.completion
const [ONE, TWO, OUTSIDE] = [modelOn('one'), modelOn('two'), modelOn('outside')] as const

const engine = await startFakeEngine(
  ({ response }) => void begin(response).end(ROLE + chunk({ content: 'text' }) + ending(USED)),
  { promptTokens: USED.prompt },
)
const environment = await startEnvironment({
  engines: [{ name: 'one', url: engine.url }],
  models: [ONE, TWO, OUTSIDE].map((id) => ({
    id,
    engines: ['one'],
    context_length: CONTEXT,
    price: PRICE,
  })),
  plans: { postpaid: { models: [ONE, TWO], billing: 'postpaid', limits: limitsOf() } },
  valkey: 'own',
})
const apis = await environment.startApis(3)
const lines = apis.map(({ apiRoot }) => openLine(apiRoot, 32))
after(async () => {
  for (const each of [...lines, environment, engine]) await each[Symbol.asyncDispose]()
})
const { database } = environment.postgres
const line = lines[0]!

async function open(options: KeyOptions = {}): Promise<Key> {
  const { projectId } = await environment.openCaller('postpaid')
  return openKey(database, projectId, options)
}

/** As a use case does it: known to Valkey before it returns. */
async function announce<Value>({ value, raised }: Changed<Value>): Promise<Value> {
  for (const each of raised) await raiseVersion(environment.valkey, each)
  return value
}

async function change(key: Key, changes: KeyChanges): Promise<void> {
  await announce(await changeApiKey(database, key, changes))
}

function chat(to: Line, { text }: Pick<Key, 'text'>, model: string = ONE): Promise<Exchange> {
  const messages = [{ role: 'user', content: 'Hello' }]
  return to.chat(text, { model, max_tokens: USED.completion, messages })
}

function messageOf({ text }: Exchange): string {
  return (JSON.parse(text) as { error: { message: string } }).error.message
}

function modelIdsOf({ text }: Exchange): string[] {
  return (JSON.parse(text) as { data: { id: string }[] }).data.map(({ id }) => id)
}

test('404: a key can use the models that it and the plan allow', async () => {
  const all = await open()
  assert.deepEqual(modelIdsOf(await line.models(all.text)), [ONE, TWO])
  // Its budget does not cover a request, which must not be told about a model it cannot use.
  const key = await open({ models: [TWO, OUTSIDE, 'gone'], spendingLimit: 1 })
  assert.deepEqual(modelIdsOf(await line.models(key.text)), [TWO])
  for (const model of [ONE, OUTSIDE]) {
    const answer = await chat(line, key, model)
    assert.deepEqual([answer.status, codeOf(answer)], [404, 'model_not_found'])
    const authorization = `Bearer ${key.text}`
    const path = `/models/${encodeURIComponent(model)}`
    assert.equal((await line.send({ method: 'GET', path, authorization })).status, 404)
  }
  assert.equal((await chat(line, key, TWO)).status, 402)
})

test('429: the requests per minute of a key hold over several processes', async () => {
  const perMinute = 5
  const key = await open({ requestsPerMinute: perMinute })
  const begunMs = performance.now()
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, at) => lines[at % lines.length]!.models(key.text)),
  )
  const elapsedMs = performance.now() - begunMs
  const admitted = answers.filter(({ status }) => status === 200).length
  const bound = perMinute * (1 + elapsedMs / MINUTE_MS)
  assert.ok(admitted >= perMinute && admitted <= bound, `${admitted} of ${bound}`)
  const refused = answers.find(({ status }) => status === 429)
  assert.ok(refused !== undefined)
  assert.equal(codeOf(refused), 'rate_limit_exceeded')
  assert.match(messageOf(refused), /^This API key reached its rate limit of 5 requests per minute/)
  const seconds = Number(refused.headers['retry-after'])
  assert.ok(seconds >= 1 && seconds <= MINUTE_MS / 1000 / perMinute, `${seconds} s`)
  assert.ok(Number(refused.headers['retry-after-ms']) <= seconds * 1000)
  assert.equal(refused.headers['x-should-retry'], undefined)
  // The headers describe the organization, whose other keys are not affected.
  assert.equal(
    Number(refused.headers['x-ratelimit-limit-requests']),
    limitsOf().requests_per_minute,
  )
  const none = await open({ requestsPerMinute: 0 })
  const never = await line.models(none.text)
  assert.deepEqual([never.status, never.headers['x-should-retry']], [429, 'false'])
})

test('402: the budget of a rotated pair is one, over several processes', async () => {
  const budget = 10 * COST + WORST
  const old = await open({ spendingLimit: budget })
  const text = createApiKey('headrace')
  await announce(await rotateApiKey(database, old, text, { overlapMs: HOUR_MS }))
  const keys = [old, { text }]
  const send = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, at) => chat(lines[at % lines.length]!, keys[at % 2]!)),
    )
  let served = 0
  for (let round = 0; round < 30; round += 1) {
    const answers = await send(6)
    served += answers.filter(({ status }) => status === 200).length
    const refused = answers.filter(({ status }) => status === 402)
    for (const each of refused) {
      assert.equal(codeOf(each), 'insufficient_balance')
      assert.match(messageOf(each), /API key's monthly budget/)
      assert.equal(each.headers['x-should-retry'], 'false')
      assert.equal(each.headers['x-ratelimit-limit-requests'], undefined)
    }
    assert.equal(
      answers.length - refused.length,
      answers.filter((each) => each.status === 200).length,
    )
    if (refused.length === answers.length) break
  }
  // As long as a worst case is left a request is served, so eleven are.
  assert.equal(served, 11)
  // Once it is used up, every process refuses from what Valkey has stored.
  for (const each of lines)
    for (const key of keys) assert.equal((await chat(each, key)).status, 402)
})

test('a change of a key takes effect at the next request in every process', async () => {
  const key = await open()
  const statuses = () => Promise.all(lines.map(async (each) => (await chat(each, key)).status))
  assert.deepEqual(await statuses(), [200, 200, 200])
  await change(key, { spendingLimit: COST })
  assert.deepEqual(await statuses(), [402, 402, 402])
  await change(key, { spendingLimit: null, models: [TWO] })
  assert.deepEqual(await statuses(), [404, 404, 404])
  await change(key, { models: [ONE], requestsPerMinute: 0 })
  assert.deepEqual(await statuses(), [429, 429, 429])
  await change(key, { requestsPerMinute: null, expiresAt: new Date(Date.now() - 1) })
  assert.deepEqual(await statuses(), [401, 401, 401])
  // A process that knows the key as expired must notice that it is not any more.
  await change(key, { expiresAt: null })
  assert.deepEqual(await statuses(), [200, 200, 200])
})

test('a rejected caller is accepted at the next request after the change', async () => {
  const { organizationId, projectId } = await environment.openCaller('postpaid')
  const accountId = await openAccount(database)
  await join(database, organizationId, accountId)
  const key = await openKey(database, projectId, { accountId })
  const statuses = () => Promise.all(lines.map(async (each) => (await chat(each, key)).status))
  for (const [state, status] of [
    ['restricted', 403],
    ['active', 200],
    ['waiting', 403],
    ['active', 200],
  ] as const) {
    await announce(await changeAccount(database, accountId, { state }))
    assert.deepEqual(await statuses(), [status, status, status], state)
  }
  // Valkey may have forgotten the version: one read stores it again.
  await announce(await changeAccount(database, accountId, { state: 'restricted' }))
  assert.deepEqual(await statuses(), [403, 403, 403])
  const { version } = organizationKeys(organizationId)
  await environment.valkey.call('DEL', [version])
  assert.deepEqual(await statuses(), [403, 403, 403])
  assert.equal(await environment.valkey.call('EXISTS', [version]), 1)
})

test('a rotated key ends after its overlap, or at once', async () => {
  const [old, next] = [await open(), createApiKey('headrace')]
  const later = await announce(await rotateApiKey(database, old, next, { overlapMs: HOUR_MS }))
  for (const text of [old.text, next]) assert.equal((await line.models(text)).status, 200)
  const last = createApiKey('headrace')
  await announce(await rotateApiKey(database, later, last, { overlapMs: 0 }))
  for (const each of lines) assert.equal((await each.models(next)).status, 401)
  for (const text of [old.text, last]) assert.equal((await line.models(text)).status, 200)
})

function shiftedClock(byMs: number): Record<string, string> {
  const code = `const now = Date.now; Date.now = () => now() + ${byMs}`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

/** The headers of the interface, without what differs between any two answers. */
function interfaceHeaders({ headers }: Exchange): string[] {
  return Object.keys(headers).filter((name) => name.startsWith('x-') || name.startsWith('service-'))
}

test('401: a process whose clock is behind does not serve an expired key', async () => {
  const behind: HeadraceProcess = await environment.startApi(shiftedClock(-HOUR_MS))
  await using late = openLine(behind.apiRoot, 4)
  const key = await open({ expiresAt: new Date(Date.now() + HOUR_MS) })
  assert.equal((await late.models(key.text)).status, 200)
  await change(key, { expiresAt: new Date(Date.now() - 1) })
  const expected = await line.models(key.text)
  for (const answer of [await late.models(key.text), await chat(late, key)]) {
    assert.deepEqual([answer.status, codeOf(answer)], [401, 'invalid_api_key'])
    assert.equal(messageOf(answer), messageOf(expected))
    assert.deepEqual(interfaceHeaders(answer), ['x-request-id'])
  }
})

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigError, type Config } from '../../src/config/load.ts'
import { chunk, ending, ROLE } from '../harness/fake-engine/events.ts'
import { begin, startFakeEngine } from '../harness/fake-engine/server.ts'
import { startService, type Service } from '../harness/processes/service.ts'
import { readOpen } from '../harness/seed/stored-limits.ts'
import { grantFunds } from '../harness/seed/tenants.ts'
import { connectValkey } from '../harness/servers/valkey.ts'
import { createClient, type Client } from './client.ts'
import { until } from './start.ts'

type Engine = Config['engines'][number]
type Model = Config['models'][number]

const MODEL = 'test/one'
const COUNTS = { prompt: 10, completion: 2 }
const TIMEOUT_MS = 60_000

/** An engine that answers at once with its name, or when it is released. */
async function startNamed(name: string) {
  const held: ServerResponse[] = []
  let answered = 0
  const engine = await startFakeEngine(({ body, response }) => {
    answered += 1
    begin(response).write(ROLE + chunk({ content: name }))
    if (JSON.stringify(body['messages']).includes('hold')) held.push(response)
    else response.end(ending(COUNTS))
  })
  return {
    name,
    get answered() {
      return answered
    },
    get held() {
      return held.length
    },
    settings: (change: Partial<Engine> = {}): Engine => ({
      name,
      kind: 'llama-server',
      url: engine.url,
      slots: 4,
      prompt_cache: 'none',
      ...change,
    }),
    release: () => held.splice(0).forEach((response) => response.end(ending(COUNTS))),
    die: () => engine.die(),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  }
}

function modelOf(config: Config, change: Partial<Model>): Model {
  const [model] = config.models
  assert.ok(model)
  const { reasoning: _, price: __, ...plain } = model
  return { ...plain, id: MODEL, ...change }
}

function serving(engines: readonly Engine[], ...models: readonly Partial<Model>[]) {
  return (config: Config): Config => ({
    ...config,
    plans: { ample: config.plans['ample']! },
    default_plan: 'ample',
    engines,
    models: models.map((change) => modelOf(config, change)),
  })
}

async function open(change: (config: Config) => Config) {
  const service = await startService(change)
  const { key } = await service.createCaller()
  const client = createClient(service, key)
  return {
    service,
    client,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

async function ask(client: Client, content: string, change: object = {}) {
  const messages = [{ role: 'user', content }]
  const { status, text } = await client.chat({ model: MODEL, max_tokens: 4, messages, ...change })
  const { error, model, choices } = JSON.parse(text) as {
    error?: { code: string }
    model?: string
    choices?: { message: { content: string } }[]
  }
  return { status, code: error?.code, model, by: choices?.[0]?.message.content }
}

async function statusOf({ healthAddress }: Service) {
  const status = (await (await fetch(`${healthAddress}/status`)).json()) as {
    configuration: string
    reload?: { count: number; result: string; problems: string[] }
  }
  return { configuration: status.configuration, ...status.reload }
}

test('reload: requests use the new engines, and a stream on an old one ends whole', async () => {
  await using one = await startNamed('one')
  await using two = await startNamed('two')
  await using api = await open(serving([one.settings()], { engines: ['one'] }))
  const { client, service } = api
  const running = ask(client, 'hold')
  await until('the stream runs', () => one.held === 1, TIMEOUT_MS)
  await service.reload(serving([two.settings()], { engines: ['two'] }))
  assert.deepEqual(await ask(client, 'next'), {
    status: 200,
    code: undefined,
    model: MODEL,
    by: 'two',
  })
  one.release()
  assert.equal((await running).by, 'one')
  assert.equal(one.answered, 1)
})

test('reload: a model is added, another is removed with 404, limits follow', async () => {
  await using one = await startNamed('one')
  const before = serving([one.settings()], { engines: ['one'] })
  await using api = await open(before)
  const { client, service } = api
  const after = (config: Config) => {
    const next = serving([one.settings()], { id: 'test/two', engines: ['one'] })(config)
    const ample = next.plans['ample']!
    return {
      ...next,
      plans: { ample: { ...ample, limits: { ...ample.limits, tokens_per_day: 0 } } },
    }
  }
  assert.equal((await ask(client, 'first', { model: 'test/two' })).status, 404)
  await service.reload((config) => {
    const { models } = after(config)
    return { ...before(config), models }
  })
  assert.equal((await ask(client, 'removed')).code, 'model_not_found')
  assert.equal((await ask(client, 'added', { model: 'test/two' })).status, 200)
  await service.reload(after)
  assert.equal((await ask(client, 'limited', { model: 'test/two' })).status, 429)
})

test('reload: a rejected configuration changes nothing, and says why', async () => {
  await using one = await startNamed('one')
  const before = serving([one.settings()], { engines: ['one'] })
  await using api = await open(before)
  const { client, service } = api
  const { configuration } = await statusOf(service)
  await service.reload((config) => {
    const next = serving([one.settings()], { id: 'test/two', engines: ['one'] })(config)
    return { ...next, currency: 'EUR', api: { ...next.api, port: 1 } }
  })
  assert.deepEqual(await statusOf(service), {
    configuration,
    count: 1,
    at: ((await statusOf(service)) as { at?: string }).at,
    result: 'rejected',
    problems: [
      'api.port has changed, which needs a restart',
      'currency has changed, which needs a restart',
    ],
  })
  await service.reload(() => {
    throw new ConfigError(['headrace.yaml:3 models is missing'])
  })
  await service.reload(
    serving([one.settings()], { engines: ['one'], control_tokens_file: '/none' }),
  )
  const { problems = [], count, configuration: kept } = await statusOf(service)
  assert.match(problems[0] ?? '', /control_tokens_file cannot be read \(ENOENT\)/)
  assert.deepEqual([count, kept], [3, configuration])
  assert.equal((await ask(client, 'still')).status, 200)
  const page = await (await fetch(`${service.healthAddress}/metrics`)).text()
  assert.match(page, /^headrace_reloads_total\{result="rejected"\} 3$/m)
  assert.match(page, /^headrace_reloads_total\{result="applied"\} 0$/m)
})

test('an alias is the model itself: answers have its id, and the list has it once', async () => {
  await using one = await startNamed('one')
  const model = { engines: ['one'], aliases: ['test/latest', 'test/old'] }
  await using api = await open(serving([one.settings()], model))
  const { client } = api
  assert.equal((await ask(client, 'by alias', { model: 'test/latest' })).model, MODEL)
  const list = JSON.parse((await client.get('/models')).text) as { data: { id: string }[] }
  assert.deepEqual(
    list.data.map(({ id }) => id),
    [MODEL],
  )
  const shown = JSON.parse((await client.get('/models/test/old')).text) as { id: string }
  assert.equal(shown.id, MODEL)
})

test('503: a model whose source was never readable, until it is', async () => {
  await using one = await startNamed('one')
  const folder = await mkdtemp(join(tmpdir(), 'headrace-reload-'))
  const path = join(folder, 'engines.yaml')
  const { url, ...group } = one.settings({ discover: { scheme: 'http', file: { path } } })
  await using api = await open(serving([group], { engines: ['one'] }))
  const { client, service } = api
  assert.deepEqual(await ask(client, 'too early'), {
    status: 503,
    code: 'model_availability_unavailable',
    model: undefined,
    by: undefined,
  })
  await writeFile(path, `engines: [{ url: '${url}' }]`)
  await until(
    'the engine is known',
    async () => (await ask(client, 'now')).status === 200,
    TIMEOUT_MS,
  )
  await rm(folder, { recursive: true })
  type Report = { discovery: Record<string, { readable: boolean; engines: number }> }
  const report = async () =>
    ((await (await fetch(`${service.healthAddress}/engines`)).json()) as Report).discovery['one']
  await until('the loss is seen', async () => (await report())?.readable === false, TIMEOUT_MS)
  assert.equal((await report())?.engines, 1)
  assert.equal((await ask(client, 'last known')).status, 200)
})

test('fallback: another model answers under its own name and price', async () => {
  await using one = await startNamed('one')
  await using two = await startNamed('two')
  const context = { context_length: 1_000, max_output_tokens: 100, default_parameters: {} }
  const price = { input: 1, output: 1 }
  const dear = { input: 100, output: 100 }
  const change = (config: Config): Config => {
    const next = serving(
      [one.settings(), two.settings()],
      { ...context, engines: ['one'], price, fallback: ['test/small', 'test/two'] },
      { ...context, id: 'test/small', engines: ['two'], price, max_output_tokens: 2 },
      { ...context, id: 'test/two', engines: ['two'], price: dear },
    )(config)
    const ample = next.plans['ample']!
    const paid = { ...ample, billing: 'prepaid' as const }
    return { ...next, plans: { ...next.plans, paid, narrow: { ...ample, models: [MODEL] } } }
  }
  await using api = await open(change)
  const { service } = api
  await using valkey = await connectValkey(service.config.valkey_urls)
  const paying = await service.createCaller('paid')
  await grantFunds(service.postgres.database, paying.organizationId, 1_000_000_000)
  await using client = createClient(service, paying.key)
  assert.deepEqual(await ask(client, 'first'), {
    status: 200,
    code: undefined,
    model: MODEL,
    by: 'one',
  })
  one.die()
  const narrow = await service.createCaller('narrow')
  await using narrowClient = createClient(service, narrow.key)
  // Refused connections eject the engine.
  await until('ejected', async () => (await ask(client, 'again')).by === 'two', TIMEOUT_MS)
  const held = ask(client, 'hold')
  await until('it runs', () => two.held === 1, TIMEOUT_MS)
  const opened = () => readOpen(valkey, paying.organizationId)
  // Earlier requests are settled after their answer.
  await until('only it is open', async () => (await opened()).length === 1, TIMEOUT_MS)
  const [record] = await opened()
  assert.equal(record?.model, 'test/two')
  // The answer costs at most the worst case of the model that gives it.
  assert.ok((record?.reserved ?? 0) >= 100 * (10 + 4), `${record?.reserved}`)
  two.release()
  assert.deepEqual(await held, { status: 200, code: undefined, model: 'test/two', by: 'two' })
  assert.equal((await ask(narrowClient, 'not allowed')).by, undefined)
})

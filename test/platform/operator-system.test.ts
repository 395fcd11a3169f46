import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import type { Config } from '../../src/config/load.ts'
import { fingerprintOf } from '../../src/config/fingerprint.ts'
import { serveApi } from '../../src/start/serve-api.ts'
import { serveWorker } from '../../src/start/serve-worker.ts'
import { ask, startConsole } from '../harness/processes/console.ts'

const urls: string[] = []

async function serve(listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const CHUNK = 'x'.repeat(65_536)

/** One that takes connections and never answers, and one that answers without end. */
const silent = await serve(() => {})
const endless = await serve((_, response) => {
  const write = () => {
    while (!response.destroyed && response.write(CHUNK));
  }
  response.on('drain', write)
  write()
})
const console_ = await startConsole((config) => ({
  ...config,
  console: { ...config.console, api_health_urls: urls },
}))
const other: Config = { ...console_.config, default_plan: 'ample' }
const api = await serveApi(console_.config)
const worker = await serveWorker({ ...other, worker: { ...other.worker, health_port: 0 } })
const gone = await serve(() => {})
const goneUrl = urlOf(gone)
gone.close()
urls.push(api.healthAddress, worker.healthAddress, goneUrl, urlOf(silent), urlOf(endless))
const support = await console_.openPerson({ platformRole: 'support' })
after(async () => {
  await api.stop()
  await worker.stop()
  await console_[Symbol.asyncDispose]()
  for (const server of [silent, endless]) {
    server.closeAllConnections()
    server.close()
  }
})

type Shown = {
  readonly url: string | null
  readonly reachable: boolean
  readonly status: { readonly kind: string; readonly configuration: string } | null
  readonly differs: boolean
}

test('processes are listed with kind and configuration, hostile ones too', async () => {
  const answer = await ask(console_.root, 'GET', '/operator/processes', { as: support.as })
  assert.equal(answer.status, 200, answer.text)
  const processes = answer.body['data'] as unknown as Shown[]
  const kinds = processes.map(({ url, reachable, status }) => [url, reachable, status?.kind])
  assert.deepEqual(kinds, [
    [null, true, 'console'],
    [urls[0], true, 'api'],
    [urls[1], true, 'worker'],
    [urls[2], false, undefined],
    [urls[3], false, undefined],
    [urls[4], true, undefined],
  ])
  assert.deepEqual(
    processes.map(({ differs }) => differs),
    [false, false, true, false, false, false],
  )
})

test('the configuration is shown without secrets, with the processes that differ', async () => {
  const answer = await ask(console_.root, 'GET', '/operator/configuration', { as: support.as })
  // The addresses were not known when the processes began.
  const settings = { ...console_.config.console, api_health_urls: [] }
  const fingerprint = fingerprintOf({ ...console_.config, console: settings })
  assert.equal(answer.body['fingerprint'], fingerprint)
  assert.deepEqual(answer.body['differing'], [urls[1]])
  const { signing_key: signingKey, content_key: contentKey, engines } = console_.config
  for (const secret of [signingKey, contentKey, engines[0]?.api_key]) {
    assert.ok(secret)
    assert.ok(!answer.text.includes(secret))
  }
})

test('the overview knows the engines if a process told of them', async () => {
  const answer = await ask(console_.root, 'GET', '/operator/overview', { as: support.as })
  const { known, unhealthy } = answer.body['engines'] as { known: boolean; unhealthy: object[] }
  assert.deepEqual([known, unhealthy], [true, []])
})

test('the overview sums what processes have done, refusals by their code', async () => {
  const traffic = async () => {
    const answer = await ask(console_.root, 'GET', '/operator/overview', { as: support.as })
    return answer.body['traffic'] as {
      processes: number
      requests: number
      refusals: Record<string, number>
    }
  }
  const first = await traffic()
  for (let sent = 0; sent < 3; sent += 1)
    assert.equal((await fetch(`${api.apiRoot}/models`)).status, 401)
  const last = await traffic()
  assert.equal(last.processes, 1)
  assert.equal(last.requests - first.requests, 3)
  const counts = Object.keys(last.refusals).map(
    (code) => (last.refusals[code] ?? 0) - (first.refusals[code] ?? 0),
  )
  assert.deepEqual(
    counts.filter((count) => count > 0),
    [3],
  )
})

test('engines are shown as each process sees them', async () => {
  const answer = await ask(console_.root, 'GET', '/operator/engines', { as: support.as })
  type Seen = {
    readonly engines: readonly { readonly name: string; readonly state: { since?: string } }[]
    readonly pools: Readonly<Record<string, object>>
  }
  const [first, ...others] = answer.body['data'] as unknown as Seen[]
  assert.deepEqual(
    first?.engines.map(({ name }) => name),
    console_.config.engines.map(({ name }) => name),
  )
  const { slots } = console_.config.engines[0] ?? { slots: 0 }
  const { since, ...state } = first?.engines[0]?.state ?? {}
  assert.ok(typeof since === 'string')
  assert.deepEqual(state, {
    state: 'ready',
    reason: '',
    level: 0,
    faults: {},
    probed_at: null,
    found: slots,
    leased: slots,
    healthy: true,
    slots,
    slots_in_use: 0,
    ejections: 0,
    excess_tokens: 0,
    capacity: slots,
    first_token_ms: null,
    tokens_per_second: null,
    prefill_tokens_per_second: null,
    cached_share: null,
  })
  assert.deepEqual(first?.pools[console_.config.models[0]?.id ?? ''], {
    waiting: 0,
    running: 0,
    expected_wait_seconds: 0,
    refusals: { queue_full: 0, too_long: 0, timed_out: 0 },
    tokens: 0,
    heaviest: [],
  })
  assert.deepEqual(answer.body['orders'], [])
  assert.deepEqual(
    others.map(({ engines }) => engines),
    [[], [], [], []],
  )
})

test('the heaviest organizations are named, and what is no id of one is not', async (t) => {
  const { id } = await console_.openOrganization()
  const refusals = { queue_full: 0, too_long: 0, timed_out: 0 }
  const heaviest = [id, 'not-an-id', crypto.randomUUID()].map((each) => ({
    organization_id: each,
    tokens: 1,
  }))
  const pool = { waiting: 0, running: 0, expected_wait_seconds: 0, refusals, tokens: 3, heaviest }
  const busy = await serve((_, response) => {
    response.end(JSON.stringify({ engines: {}, pools: { m: pool } }))
  })
  urls.push(urlOf(busy))
  t.after(() => {
    urls.pop()
    busy.close()
  })
  const answer = await ask(console_.root, 'GET', '/operator/engines', { as: support.as })
  const { name } = await console_.postgres.database
    .selectFrom('organizations')
    .select('name')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  assert.deepEqual(answer.body['organizations'], { [id]: name })
})

test('plans are shown with their models and prices', async () => {
  const answer = await ask(console_.root, 'GET', '/operator/plans', { as: support.as })
  const plans = answer.body['data'] as unknown as { name: string; models: string[] }[]
  assert.deepEqual(
    plans.map(({ name }) => name),
    Object.keys(console_.config.plans),
  )
  const ample = plans.find(({ name }) => name === 'ample')
  assert.deepEqual(
    ample?.models,
    console_.config.models.map(({ id }) => id),
  )
})

test('people without a platform role learn nothing of the service', async () => {
  const organization = await console_.openOrganization()
  const owner = await console_.openPerson({ organizationId: organization.id, role: 'owner' })
  for (const path of ['processes', 'engines', 'plans', 'configuration'])
    assert.equal((await ask(console_.root, 'GET', `/operator/${path}`, owner)).status, 403)
})

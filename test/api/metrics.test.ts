import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { ERRORS } from '../../src/contract/error.ts'
import { ENGINE_STATES } from '../../src/contract/management/operator-system.ts'
import { TASKS } from '../../src/worker/run-jobs.ts'
import { ENGINE_ERROR_KINDS } from '../../src/engines/adapters/engine.ts'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import { modelOn, startEnvironment } from '../harness/environment.ts'
import { scriptedModel, type ScriptName } from '../harness/fake-engine/scripts.ts'
import { readMetrics, risesOf, type Metrics } from '../harness/figures/metrics-page.ts'
import { startService } from '../harness/processes/service.ts'
import { startValkey } from '../harness/servers/valkey.ts'
import { createClient, readStream } from './client.ts'
import { request, startApi, until } from './start.ts'

const MODEL = 'headrace/pebble'
const ENGINE = 'local'
const KINDS = ['input', 'cached', 'output', 'reasoning']
const BOUNDS = ['0.05', '0.1', '0.25', '0.5', '1', '2', '5', '10', '20', '30', '60']
const ENGINE_GAUGES = ['slots', 'slots_in_use', 'healthy', 'capacity', 'leased', 'waiting_inside']
const ENGINE_METRICS = [...ENGINE_GAUGES, 'ejections_total', 'excess_tokens_total']
/** The default timeout of a scrape is 10 s. */
const SCRAPE_MS_MAX = 5_000
const MORE_BOUNDS = ['120', '300', '600', '+Inf']

function seriesOfHistogram(name: string): string[] {
  const of = `{model="${MODEL}"}`
  const buckets = [...BOUNDS, ...MORE_BOUNDS].map(
    (le) => `${name}_bucket{model="${MODEL}",le="${le}"}`,
  )
  return [...buckets, `${name}_sum${of}`, `${name}_count${of}`]
}

/** Every series of a new process that serves one model on one engine. */
function expectedSeries(hash: string): string[] {
  const statuses = [200, ...new Set(Object.values(ERRORS).map(({ status }) => status))]
  return [
    ...statuses.map((status) => `headrace_requests_total{status="${status}",ended="whole"}`),
    'headrace_requests_total{status="200",ended="failed"}',
    'headrace_requests_total{status="200",ended="broken"}',
    ...['time_to_first_token', 'queue', 'generation'].flatMap((name) =>
      seriesOfHistogram(`headrace_${name}_seconds`),
    ),
    `headrace_generations_total{model="${MODEL}"}`,
    ...KINDS.map((kind) => `headrace_tokens_total{model="${MODEL}",kind="${kind}"}`),
    ...['', MODEL].flatMap((model) =>
      Object.keys(ERRORS).map((code) => `headrace_refusals_total{model="${model}",code="${code}"}`),
    ),
    ...ENGINE_ERROR_KINDS.map(
      (kind) => `headrace_engine_errors_total{engine="${ENGINE}",kind="${kind}"}`,
    ),
    ...ENGINE_METRICS.map((name) => `headrace_engine_${name}{engine="${ENGINE}"}`),
    ...ENGINE_STATES.map((state) => `headrace_engine_state{engine="${ENGINE}",state="${state}"}`),
    ...['waiting', 'expected_wait_seconds'].map(
      (name) => `headrace_pool_${name}{model="${MODEL}"}`,
    ),
    ...['queue_full', 'too_long', 'timed_out'].map(
      (reason) => `headrace_pool_refusals_total{model="${MODEL}",reason="${reason}"}`,
    ),
    `headrace_model_engines_healthy{model="${MODEL}"}`,
    'headrace_slots_in_use',
    'headrace_prompt_caches_in_use',
    'headrace_body_bytes',
    'headrace_content_dropped_records_total',
    'headrace_usage_unacknowledged_records_total',
    'headrace_trace_spans_dropped_total',
    'headrace_usage_lost_total',
    ...['applied', 'rejected'].map((result) => `headrace_reloads_total{result="${result}"}`),
    'headrace_last_reload_applied',
    'headrace_ready',
    `headrace_config_info{hash="${hash}"}`,
    'headrace_event_loop_busy_ratio',
  ]
}

async function hashOf(healthAddress: string): Promise<string> {
  const status = await (await fetch(`${healthAddress}/status`)).json()
  return (status as { configuration: string }).configuration
}

test('every series exists before the first request, and every counter is 0', async () => {
  await using service = await startService((config) => ({
    ...config,
    models: config.models.filter(({ id }) => id === MODEL),
  }))
  const { healthAddress } = service
  const metrics = await readMetrics(healthAddress)
  const hash = await hashOf(healthAddress)
  assert.deepEqual([...metrics.keys()].toSorted(), expectedSeries(hash).toSorted())
  const counted = [...metrics].filter(([series]) => /_(total|bucket|sum|count)\b/.test(series))
  for (const [series, value] of counted) assert.equal(value, 0, series)
  const [{ slots } = { slots: 0 }] = service.config.engines
  for (const [series, value] of Object.entries({
    [`headrace_engine_slots{engine="${ENGINE}"}`]: slots,
    [`headrace_engine_healthy{engine="${ENGINE}"}`]: 1,
    [`headrace_engine_capacity{engine="${ENGINE}"}`]: slots,
    [`headrace_engine_state{engine="${ENGINE}",state="ready"}`]: 1,
    [`headrace_engine_state{engine="${ENGINE}",state="ejected"}`]: 0,
    [`headrace_model_engines_healthy{model="${MODEL}"}`]: 1,
    [`headrace_config_info{hash="${hash}"}`]: 1,
    headrace_ready: 1,
  }))
    assert.equal(metrics.get(series), value, series)
  const busy = metrics.get('headrace_event_loop_busy_ratio') ?? Number.NaN
  assert.ok(busy > 0 && busy <= 1, `${busy}`)
})

const api = await startApi()
after(() => api[Symbol.asyncDispose]())

describe('metrics', () => {
  /** What rose, apart from times, which differ. */
  async function risesFrom(run: () => Promise<void>): Promise<Record<string, number>> {
    const { healthAddress } = api.service
    const earlier = await readMetrics(healthAddress)
    await run()
    const rises = Object.entries(risesOf(earlier, await readMetrics(healthAddress)))
    const gauges = /busy_ratio|slots_in_use|leased|engine_state|body_bytes|caches_in_use/
    const isCount = (name: string) => !gauges.test(name) && !/_(bucket|sum)\b/.test(name)
    return Object.fromEntries(rises.filter(([series]) => isCount(series)))
  }

  async function ask(body: object, status: number) {
    const answer = await api.client.chat(body)
    assert.equal(answer.status, status, answer.text)
    return answer
  }

  const histogramsOf = (model: string) =>
    Object.fromEntries(
      ['time_to_first_token', 'queue', 'generation'].map((name) => [
        `headrace_${name}_seconds_count{model="${model}"}`,
        1,
      ]),
    )

  test('a completion counts its tokens as the answer has them, and its times', async () => {
    let usage = { prompt_tokens: 0, completion_tokens: 0 }
    const rises = await risesFrom(async () => {
      const { text } = await ask(request({ max_completion_tokens: 5 }), 200)
      usage = (JSON.parse(text) as { usage: typeof usage }).usage
    })
    const cached = `headrace_tokens_total{model="${MODEL}",kind="cached"}`
    const reasoning = `headrace_tokens_total{model="${MODEL}",kind="reasoning"}`
    const { [cached]: _cached, [reasoning]: _reasoning, ...rest } = rises
    assert.deepEqual(rest, {
      'headrace_requests_total{status="200",ended="whole"}': 1,
      ...histogramsOf(MODEL),
      [`headrace_generations_total{model="${MODEL}"}`]: 1,
      [`headrace_tokens_total{model="${MODEL}",kind="input"}`]: usage.prompt_tokens,
      [`headrace_tokens_total{model="${MODEL}",kind="output"}`]: usage.completion_tokens,
    })
  })

  test('a refused request is counted by its code and model', async () => {
    const rises = await risesFrom(async () => {
      await ask(request({ temperature: 9 }), 400)
    })
    assert.deepEqual(rises, {
      'headrace_requests_total{status="400",ended="whole"}': 1,
      [`headrace_refusals_total{model="${MODEL}",code="invalid_value"}`]: 1,
    })
  })

  test('a model that is not served is on no page', async () => {
    const rises = await risesFrom(async () => {
      await ask(request({ model: 'canary-of-a-client' }), 404)
    })
    assert.deepEqual(rises, {
      'headrace_requests_total{status="404",ended="whole"}': 1,
      'headrace_refusals_total{model="",code="model_not_found"}': 1,
    })
    const page = await (await fetch(`${api.service.healthAddress}/metrics`)).text()
    assert.ok(!page.includes('canary'))
  })

  test('an unknown key is refused without a model', async () => {
    const rises = await risesFrom(async () => {
      await api.client.get('/models', { key: 'nonsense' })
    })
    assert.deepEqual(rises, {
      'headrace_requests_total{status="401",ended="whole"}': 1,
      'headrace_refusals_total{model="",code="invalid_api_key"}': 1,
    })
  })

  test('an engine error is counted by engine and kind, and its answer as 502', async () => {
    const kinds = { fails: 'status', 'resets-first': 'connection', 'sends-garbage': 'protocol' }
    for (const [script, kind] of Object.entries(kinds)) {
      const model = scriptedModel(script as ScriptName)
      const { [`headrace_time_to_first_token_seconds_count{model="${model}"}`]: _none, ...times } =
        histogramsOf(model)
      const rises = await risesFrom(async () => {
        await ask(request({ model }), 502)
      })
      assert.deepEqual(rises, {
        'headrace_requests_total{status="502",ended="whole"}': 1,
        [`headrace_refusals_total{model="${model}",code="upstream_unavailable"}`]: 1,
        [`headrace_engine_errors_total{engine="${script}",kind="${kind}"}`]: 1,
        [`headrace_generations_total{model="${model}"}`]: 1,
        ...times,
      })
    }
  })

  test('a stream that ends with an error event is counted as failed, not as refused', async () => {
    const model = scriptedModel('errs-later')
    const rises = await risesFrom(async () => {
      const { errors } = readStream(await ask(request({ model, stream: true }), 200))
      assert.equal(errors.length, 1)
    })
    assert.deepEqual(rises, {
      'headrace_requests_total{status="200",ended="failed"}': 1,
      'headrace_engine_errors_total{engine="errs-later",kind="status"}': 1,
      [`headrace_generations_total{model="${model}"}`]: 1,
      ...histogramsOf(model),
    })
  })
})

test('a usage record that Valkey does not accept is counted as lost', async () => {
  const log: string[] = []
  const onLog = (line: string) => void log.push(line)
  await using environment = await startEnvironment({ valkey: 'own', onLog })
  const { apiRoot, healthAddress } = await environment.startApi()
  const { key, organizationId } = await environment.openCaller()
  await environment.valkey.call('SET', [organizationKeys(organizationId).usage, 'not a stream'])
  const earlier = await readMetrics(healthAddress)
  await using client = createClient({ apiRoot }, key)
  assert.equal((await client.chat(request())).status, 200)
  const rises = risesOf(earlier, await readMetrics(healthAddress))
  assert.equal(rises['headrace_usage_lost_total'], 1)
  const dropped = () => log.filter((line) => line.includes('"usage record dropped"')).length
  await until('the log says so', () => dropped() > 0)
  assert.equal(dropped(), 1)
})

test('an ejected engine is not healthy, and its model has no engine', async () => {
  const engines = [{ name: 'gone', url: 'http://127.0.0.1:9' }]
  await using environment = await startEnvironment({ engines, valkey: 'own' })
  const { apiRoot, healthAddress } = await environment.startApi()
  const { key } = await environment.openCaller()
  await using client = createClient({ apiRoot }, key)
  const stateOf = (metrics: Metrics) => [
    metrics.get('headrace_engine_healthy{engine="gone"}'),
    metrics.get(`headrace_model_engines_healthy{model="${modelOn('gone')}"}`),
    metrics.get('headrace_engine_ejections_total{engine="gone"}'),
    metrics.get('headrace_engine_state{engine="gone",state="ejected"}'),
  ]
  assert.deepEqual(stateOf(await readMetrics(healthAddress)), [1, 1, 0, 0])
  await client.chat(request({ model: modelOn('gone') }))
  const isEjected = async () => stateOf(await readMetrics(healthAddress)).join() === '0,0,1,1'
  await until('it is ejected', isEjected)
})

test('while Valkey hangs, the page is answered and the process is not ready', async () => {
  await using valkey = await startValkey()
  await using environment = await startEnvironment({ valkey: [valkey.url] })
  // No other process waits longer for Valkey.
  const { healthAddress } = await environment.startWorker()
  const isReady = async () => (await readMetrics(healthAddress)).get('headrace_ready') === 1
  await until('it is ready', isReady)
  valkey.freeze()
  const startMs = performance.now()
  const metrics = await readMetrics(healthAddress)
  valkey.thaw()
  assert.equal(metrics.get('headrace_ready'), 0)
  assert.ok(performance.now() - startMs < SCRAPE_MS_MAX)
})

test('the worker and the console have readiness, configuration and load as well', async () => {
  await using environment = await startEnvironment({ valkey: 'own' })
  const [worker, console] = [await environment.startWorker(), await environment.startConsole()]
  for (const { healthAddress } of [worker, console]) {
    const isReady = async () => (await readMetrics(healthAddress)).get('headrace_ready') === 1
    await until('it is ready', isReady)
    const metrics = await readMetrics(healthAddress)
    const hash = await hashOf(healthAddress)
    assert.equal(metrics.get(`headrace_config_info{hash="${hash}"}`), 1)
    assert.ok((metrics.get('headrace_event_loop_busy_ratio') ?? 0) > 0)
  }
  const ofWorker = await readMetrics(worker.healthAddress)
  for (const task of TASKS)
    assert.equal(ofWorker.get(`headrace_job_errors_total{task="${task}"}`), 0, task)
  const earlier = await readMetrics(console.healthAddress)
  for (const task of ['send-alerts', 'check-domains'])
    assert.equal(earlier.get(`headrace_job_errors_total{task="${task}"}`), 0)
  assert.equal(earlier.get('headrace_requests_total{status="500",ended="whole"}'), 0)
  assert.equal((await fetch(`${console.apiRoot}/nothing`)).status, 404)
  const rises = risesOf(earlier, await readMetrics(console.healthAddress))
  assert.equal(rises['headrace_requests_total{status="404",ended="whole"}'], 1)
})

// One trace covers gateway and engine, equals the usage record and contains no content.
// covers: src/lib/tracing/** src/inference/tracing/**
import { modelOn, startEnvironment, type Environment } from '../harness/environment.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import type { HeadraceProcess } from '../harness/processes/process.ts'
import { runProof, type Figures, type ProofRun } from '../harness/proof.ts'
import type { Caller } from '../harness/seed/tenants.ts'
import { buildCollector, startCollector, type Collector } from './trace/collector.ts'
import { measureCost } from './trace/cost.ts'
import { BROKEN, SLOW, SLOW_MS, startTracingEngine, type TracingEngine } from './trace/engine.ts'
import { judgeTrace, type Recorded } from './trace/judge.ts'
import { send } from './trace/requests.ts'

const REQUESTS = 40
const UNSAMPLED = 20
const WITHOUT_COLLECTOR = 20
const TIMEOUT_MS = 20_000
/** Export may take 2 s of it; the rest is for a busy machine. */
const STOP_MS_MAX = 4_000
/** At 1 % sampling, of the processor time of a request. */
const COST_MAX = 0.03
const MODEL = modelOn('one')
const SPANS_PER_TRACE = 5

type Bench = {
  readonly run: ProofRun
  readonly collector: Collector
  readonly engine: TracingEngine
  /** In every message, and in every answer of the engine. */
  readonly mark: string
}

function startTraced({ collector, engine }: Bench, ratio: number, logs: string[] = []) {
  return startEnvironment({
    engines: [{ name: 'one', url: engine.url, kind: 'vllm' }],
    sections: {
      worker: { health_port: 0 },
      tracing: { endpoint: collector.url, sample_ratio: ratio, slow_seconds: SLOW_MS / 2000 },
    },
    // Others that use the stack's server must not find the usage records first.
    valkey: 'own',
    onLog: (line) => void logs.push(line),
  })
}

async function readRecords({ postgres }: Environment): Promise<Recorded[]> {
  const { rows } = await postgres.pool.query<Recorded>(
    `select id, model, engine, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens,
       first_token_ms from usage_records`,
  )
  return rows
}

/** Everything is sampled: each trace is whole and equal to its usage record. */
async function proveTraces(bench: Bench): Promise<{ traces: number; spans: number }> {
  const { run, collector, engine, mark } = bench
  await using environment = await startTraced(bench, 1)
  const { apiRoot } = await environment.startApi()
  await environment.startWorker()
  const caller = await environment.openCaller()
  for (let sent = 0; sent < REQUESTS; sent += 1) {
    const { status } = await send(apiRoot, caller, {
      model: MODEL,
      text: mark,
      stream: sent % 2 === 0,
    })
    if (status !== 200) run.fail(`a request was answered ${status}`)
  }
  const expected = REQUESTS * SPANS_PER_TRACE
  const areCollected = () => collector.spans().length >= expected
  await waitUntil(`${expected} spans`, areCollected, TIMEOUT_MS, {
    seen: () => collector.spans().length,
  })
  let records: Recorded[] = []
  const posted = async () => (records = await readRecords(environment)).length >= REQUESTS
  await waitUntil(`${REQUESTS} usage records`, posted, TIMEOUT_MS, { seen: () => records.length })
  if (records.length !== REQUESTS) run.fail(`${records.length} usage records were posted`)
  const spans = collector.spans()
  for (const record of records) judgeTrace(record, spans).forEach(run.fail)
  if (engine.seen.some((header) => header?.endsWith('-01') !== true))
    run.fail('an engine was not told to sample a sampled request')
  await searchSecrets(bench, environment, caller)
  return { traces: records.length, spans: spans.length }
}

/** Looks for content and for who sent it in every byte that left the collector. */
async function searchSecrets(
  { run, collector, mark }: Bench,
  { postgres }: Environment,
  { organizationId, projectId, key }: Caller,
): Promise<void> {
  const { rows } = await postgres.pool.query<{ slug: string; name: string; key: string }>(
    `select slug, organizations.name, api_keys.id as key from organizations
     join projects on organization_id = organizations.id
     join api_keys on project_id = projects.id where organizations.id = $1`,
    [organizationId],
  )
  const [row] = rows
  if (row === undefined) throw new Error('the organization has no key')
  const secrets = { mark, key, organizationId, projectId, slug: row.slug, name: row.name }
  const all = collector.received.join('\n')
  for (const [what, text] of Object.entries({ ...secrets, keyId: row.key }))
    if (all.includes(text)) run.fail(`the traces contain the ${what}`)
  if (!all.includes('gen_ai.usage.input_tokens')) run.fail('the search saw no trace')
}

/** Nothing is sampled: only what failed by our fault or was slow is traced. */
async function proveRatioZero(bench: Bench): Promise<number> {
  const { run, collector, engine } = bench
  const before = new Set(collector.spans())
  const seen = engine.seen.length
  await using environment = await startTraced(bench, 0)
  const { apiRoot } = await environment.startApi()
  const caller = await environment.openCaller()
  for (let sent = 0; sent < UNSAMPLED; sent += 1)
    await send(apiRoot, caller, { model: MODEL, text: 'quick' })
  const refused = await send(apiRoot, caller, { model: 'test/none', text: 'quick' })
  const unknown = await send(apiRoot, { key: 'wrong' }, { model: MODEL, text: 'quick' })
  const failed = await send(apiRoot, caller, { model: MODEL, text: BROKEN })
  const slow = await send(apiRoot, caller, { model: MODEL, text: SLOW })
  const statuses = [refused, unknown, failed, slow].map(({ status }) => status).join(' ')
  if (statuses !== '404 401 502 200') run.fail(`the statuses were ${statuses}`)
  const newSpans = () => collector.spans().slice(before.size)
  const kept = () => new Set(newSpans().map(({ traceId }) => traceId))
  const areKept = () => kept().size >= 2
  await waitUntil('the traces of the failed and the slow request', areKept, TIMEOUT_MS)
  const expected = [failed, slow].map(({ id }) => id.replaceAll('-', ''))
  if (JSON.stringify([...kept()].toSorted()) !== JSON.stringify(expected.toSorted()))
    run.fail(`traced were ${[...kept()].join(' ')}, not ${expected.join(' ')}`)
  if (newSpans().some(({ service }) => service === 'engine'))
    run.fail('an engine traced what was not sampled')
  if (engine.seen.slice(seen).some((header) => header?.endsWith('-00') !== true))
    run.fail('an engine was not told that a request is not sampled')
  const failure = newSpans().find((span) => span.name === 'POST /chat/completions' && span.failed)
  if (failure?.attributes['error.type'] !== 'upstream_unavailable')
    run.fail(`the failure is of type ${String(failure?.attributes['error.type'])}`)
  return kept().size
}

/** The collector is gone: requests go on, and the process neither ends nor stops late. */
async function proveAbsence(bench: Bench): Promise<{ stop_ms: string; dropped: number }> {
  const { run, collector, mark } = bench
  const logs: string[] = []
  await using environment = await startTraced(bench, 1, logs)
  const api = await environment.startApi()
  const caller = await environment.openCaller()
  await send(api.apiRoot, caller, { model: MODEL, text: mark })
  await collector.stop()
  for (let sent = 0; sent < WITHOUT_COLLECTOR; sent += 1) {
    const { status } = await send(api.apiRoot, caller, { model: MODEL, text: mark })
    if (status !== 200) run.fail(`without a collector a request was answered ${status}`)
  }
  const dropped = () => api.metric('headrace_trace_spans_dropped_total')
  await waitUntil('dropped spans', async () => (await dropped()) > 0, TIMEOUT_MS)
  const count = await dropped()
  // These spans are still queued when the process is told to stop.
  await send(api.apiRoot, caller, { model: MODEL, text: mark })
  const stopMs = await stop(api)
  if (stopMs > STOP_MS_MAX) run.fail(`a stop without a collector took ${stopMs} ms`)
  if (api.child.exitCode !== 0) run.fail(`the process exited with ${api.child.exitCode}`)
  const warnings = logs.filter((line) => line.includes('trace spans dropped'))
  if (warnings.length !== 1) run.fail(`${warnings.length} log lines about dropped spans`)
  if (logs.some((line) => line.includes(mark))) run.fail('content is in the log')
  return { stop_ms: stopMs.toFixed(0), dropped: count }
}

/** The time until it has exited. */
function stop(api: HeadraceProcess): Promise<number> {
  api.child.kill('SIGTERM')
  return waitUntil('the process to exit', () => !api.isRunning(), TIMEOUT_MS)
}

async function proveCost(run: ProofRun): Promise<Figures> {
  await using collector = await startCollector()
  const { off, one_percent: some, all } = await measureCost(collector.url)
  if (some > off * (1 + COST_MAX)) run.fail(`1 % sampling costs ${(some / off - 1) * 100} %`)
  const added = (cost: number) => `${((cost / off - 1) * 100).toFixed(1)}%`
  return { off_us: off.toFixed(1), one_percent: added(some), all: added(all) }
}

async function prove(run: ProofRun): Promise<Figures> {
  buildCollector()
  if (run.values['cost'] !== undefined) return proveCost(run)
  const mark = `canary${run.random.between(1e9, 2e9)}x`
  await using collector = await startCollector()
  await using engine = await startTracingEngine(mark, collector.url)
  const bench = { run, collector, engine, mark }
  const traced = await proveTraces(bench)
  const kept = await proveRatioZero(bench)
  const absent = await proveAbsence(bench)
  return { ...traced, kept_at_ratio_0: kept, ...absent }
}

await runProof('trace', prove, { cost: { type: 'boolean' } })

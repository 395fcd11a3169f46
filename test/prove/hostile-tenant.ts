// Whatever a tenant sends, memory stays within its budget, others are served, nothing is left.
// covers: src/http/** src/contract/** src/lib/json/** src/inference/**
import { setTimeout as pause } from 'node:timers/promises'
import { limitsOf, modelOn, startEnvironment, type Environment } from '../harness/environment.ts'
import { forkEngines } from '../harness/fake-engine/forked.ts'
import { codeOf, durationMs, openLine, type Line } from '../harness/clients/http-client.ts'
import { startLoad } from '../harness/load/load.ts'
import { percentile, timeUntil } from '../harness/figures/measure.ts'
import type { HeadraceProcess } from '../harness/processes/process.ts'
import { runProof, type Figures, type ProofRun } from '../harness/proof.ts'
import { grantFunds } from '../harness/seed/tenants.ts'
import { KINDS, type Setting } from './hostile-tenant/failing-requests.ts'
import { countFailing, judgeGrown, NOISE_BYTES } from './hostile-tenant/judge-grown.ts'
import { findLeft } from './hostile-tenant/left-behind.ts'
import { MEBIBYTE, mebibytes, untilQuiet, watchPeak } from './hostile-tenant/memory.ts'
import { openSlowClients, type SlowEnd } from './hostile-tenant/slow-clients.ts'
import { flood, holdChunked, type Refusal } from './hostile-tenant/uploads.ts'

const BODY_BYTES = 10 * MEBIBYTE
const BUDGET_BYTES = 48 * MEBIBYTE
/** What the service may use besides: for one body that is being parsed, and for connections. */
const PARSED_BYTES = 8 * BODY_BYTES
const CONNECTION_BYTES = 64 * 1024

const CONNECTIONS = 2_000
const FLOOD_BYTES_PER_SECOND = 50_000_000
const FLOOD_BYTES = 800 * MEBIBYTE
/** The share of the uploads that must have been refused by then. */
const REFUSED_MIN = 0.5
/** Below the timeout of a request. */
const FLOOD_MS_MAX = 45_000
/** Far enough beyond the bound to see that it does not hold, before the machine suffers. */
const FLOOD_STOP_BYTES = 200 * MEBIBYTE
/** The second while Valkey does not respond in time, which happens on a busy machine. */
const REFUSAL_CODES: readonly unknown[] = [
  'infrastructure_rate_limit_exceeded',
  'rate_limit_unavailable',
]
const RECOVERY_MS_MAX = 60_000

const CONTROL_MS = 5_000
const OTHERS = 4
const OTHERS_PAUSE_MS = 50
const P99_RATIO_MAX = 2
/** On a shared machine the p99 of an idle service varies by this much. */
const P99_MS_FLOOR = 250

/** Half a million chunks of each size: more would take a busy machine longer than the timeout. */
const CHUNKED = [
  { chunkBytes: 1, bodies: 2, bodyBytes: MEBIBYTE / 4 },
  { chunkBytes: 16, bodies: 4, bodyBytes: 2 * MEBIBYTE },
]
const SOAK_BODIES_FACTOR = 4
const SOAK_FLOODS = 10

const SLOW_CLIENTS = 200
/** The timeouts of src/http/server.ts, and time for a busy machine to notice. */
const SLOW_MS_MAX = { head: 10_000 + 60_000, body: 60_000 + 60_000 }

const AT_ONCE = 24
const LEFT_TIMEOUT_MS = 30_000

const [WIDE, NARROW, BROKEN] = ['wide', 'narrow', 'broken'] as const
const CONTEXT = 1_024
const OUTPUT = 64

async function startHostile(urls: readonly string[]): Promise<Environment> {
  const slots = { [WIDE]: 512, [NARROW]: 1, [BROKEN]: 512 }
  const price = { input: 1, output: 1 }
  const plan = { models: 'all', limits: limitsOf() } as const
  return startEnvironment({
    engines: [WIDE, NARROW, BROKEN].map((name, index) => ({
      name,
      url: urls[index] ?? '',
      slots: slots[name],
    })),
    models: [WIDE, NARROW, BROKEN].map((name) => ({
      id: modelOn(name),
      engines: [name],
      context_length: CONTEXT,
      max_output_tokens: OUTPUT,
      price,
    })),
    plans: {
      prepaid: { ...plan, billing: 'prepaid' },
      denied: { ...plan, credentials: ['playground'] },
      limited: { ...plan, limits: limitsOf({ requests_per_minute: 5 }) },
    },
    environment: { HEADRACE_API_BODY_BUDGET_BYTES: String(BUDGET_BYTES) },
    valkey: 'own',
  })
}

/** What the chunk sizes cost, with nothing else in memory. */
async function proveChunks(run: ProofRun, api: HeadraceProcess, key: string): Promise<Figures> {
  const figures: Record<string, string> = {}
  for (const { chunkBytes, bodies, bodyBytes } of CHUNKED) {
    const target = { apiRoot: api.apiRoot, key }
    const count = run.soak ? bodies * SOAK_BODIES_FACTOR : bodies
    const hold = () => holdChunked(target, bodyBytes, chunkBytes)
    const holdAll = () => Promise.all(Array.from({ length: count }, hold))
    // The first time brings the heap to the size that reading such chunks needs.
    for (const socket of await holdAll()) socket.destroy()
    await untilQuiet(api)
    const before = api.residentBytes()
    const held = await holdAll()
    await untilQuiet(api)
    const grown = api.residentBytes() - before
    const sent = count * bodyBytes
    if (grown > 2 * sent + NOISE_BYTES)
      run.fail(`${sent} bytes in chunks of ${chunkBytes} take ${grown}`)
    figures[`chunks_${chunkBytes}`] = `${sent / MEBIBYTE}→${mebibytes(grown)}MiB`
    for (const socket of held) socket.destroy()
    await untilQuiet(api)
  }
  return figures
}

type Others = { readonly line: Line; readonly key: string }

/** Requests of another tenant while something else happens. */
async function serveOthers({ line, key }: Others, during: Promise<unknown>) {
  const body = { model: modelOn(WIDE), messages: [{ role: 'user', content: 'Hello' }] }
  const load = startLoad(OTHERS, OTHERS_PAUSE_MS, () => line.chat(key, body))
  await during
  await load.stop()
  const refused = load.exchanges.filter(({ status }) => status !== 200).length
  const times = load.exchanges.map(durationMs)
  const failed = refused + load.broken.length
  return { count: times.length, failed, p99: percentile(times, 0.99) }
}

function judgeRefusals(run: ProofRun, refusals: readonly Refusal[]): void {
  if (refusals.length < REFUSED_MIN * CONNECTIONS)
    run.fail(`only ${refusals.length} uploads were refused`)
  const wrong = refusals.filter(
    ({ status, head, body }) =>
      status !== 503 ||
      !/^retry-after: 1$/im.test(head) ||
      !/^retry-after-ms: 1000$/im.test(head) ||
      !REFUSAL_CODES.includes(codeOf({ text: body })),
  )
  const [first] = wrong
  if (first) run.fail(`${wrong.length} refusals are wrong: ${first.status} ${first.body}`)
}

async function proveFlood(
  run: ProofRun,
  api: HeadraceProcess,
  key: string,
  others: Others,
): Promise<Figures> {
  // time is under test: what others get in this time without a flood.
  const control = await serveOthers(others, pause(CONTROL_MS))
  const idle = api.residentBytes()
  const allowed = 2 * BUDGET_BYTES + PARSED_BYTES + CONNECTIONS * CONNECTION_BYTES
  using peak = watchPeak(api)
  const flooding = flood(
    { apiRoot: api.apiRoot, key },
    {
      connections: CONNECTIONS,
      bodyBytes: BODY_BYTES,
      bytesPerSecond: FLOOD_BYTES_PER_SECOND,
      bytes: FLOOD_BYTES,
      durationMs: FLOOD_MS_MAX,
      refusals: REFUSED_MIN * CONNECTIONS,
      enough: () => peak.bytes > idle + allowed + FLOOD_STOP_BYTES,
    },
  )
  const served = await serveOthers(others, flooding)
  const flooded = await flooding
  const { refusals, sentBytes } = flooded
  const grown = peak.bytes - idle
  flooded.close()
  if (grown > allowed) run.fail(`the flood takes ${grown} bytes, allowed are ${allowed}`)
  judgeRefusals(run, refusals)
  // A machine that is too busy for Valkey's timeout makes requests fail before the flood too.
  if (served.failed > 0 && control.failed === 0)
    run.fail(`${served.failed} requests of others failed`)
  const p99Max = Math.max(P99_RATIO_MAX * control.p99, P99_MS_FLOOR)
  if (!run.short && served.p99 > p99Max)
    run.fail(`others waited ${served.p99} ms, before ${control.p99} ms`)
  const isBack = () => api.residentBytes() < idle + allowed / 2
  if ((await timeUntil(isBack, RECOVERY_MS_MAX)) === null)
    run.fail(`after the flood ${api.residentBytes()} bytes are left, before ${idle}`)
  return {
    connections: CONNECTIONS,
    sent_mib: mebibytes(sentBytes),
    refused: refusals.length,
    grown_mib: mebibytes(grown),
    allowed_mib: mebibytes(allowed),
    left_mib: mebibytes(api.residentBytes() - idle),
    others: served.count,
    others_p99_ms: Math.round(served.p99),
    idle_p99_ms: Math.round(control.p99),
  }
}

async function proveNested(run: ProofRun, { line, key }: Others): Promise<void> {
  const called = { name: 'f', arguments: '['.repeat(7_000) + ']'.repeat(7_000) }
  const call = { id: 'call_1', type: 'function', function: called }
  const messages = [
    { role: 'user', content: 'x' },
    { role: 'user', content: 'y' },
    { role: 'assistant', tool_calls: [call] },
  ]
  const { status, text } = await line.chat(key, { model: modelOn(WIDE), messages })
  const named = text.includes('"param":"messages[2].tool_calls[0].function.arguments"')
  if (status !== 400 || !named) run.fail(`nested arguments: ${status} ${text}`)
}

function judgeSlow(run: ProofRun, part: 'head' | 'body', ends: readonly SlowEnd[]): number {
  const late = ends.filter(({ afterMs }) => afterMs > SLOW_MS_MAX[part]).length
  const wrong = ends.filter(({ status }) => status !== 408 && status !== 0).length
  if (late > 0) run.fail(`${late} connections with a slow ${part} were closed late`)
  if (wrong > 0) run.fail(`${wrong} connections with a slow ${part} got another answer than 408`)
  return Math.max(...ends.map(({ afterMs }) => Math.round(afterMs / 1000)))
}

async function sendFailing(run: ProofRun, setting: Setting, total: number): Promise<void> {
  const kinds = Object.entries(KINDS)
  let sent = 0
  const work = async () => {
    while (sent < total) {
      const [name, kind] = kinds[sent % kinds.length] as (typeof kinds)[number]
      sent += 1
      const status = await kind.send(setting).catch((error: unknown) => String(error))
      const expected: readonly unknown[] = kind.statuses
      if (!expected.includes(status)) run.fail(`${name}: ${status}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

async function prove(run: ProofRun): Promise<Figures> {
  const running: number[] = []
  const script = new URL('hostile-tenant/engine.ts', import.meta.url)
  await using engines = await forkEngines(script, 3, (report) => {
    if (report.report === 'running')
      running[report['engine'] as number] = report['running'] as number
  })
  await using environment = await startHostile(engines.urls)
  const api = await environment.startApi()
  await using line = openLine(api.apiRoot, AT_ONCE)
  const plans = ['ample', 'prepaid', 'prepaid', 'denied', 'limited', 'ample']
  const callers = await Promise.all(plans.map((plan) => environment.openCaller(plan)))
  const [ample, priced, poor, denied, limited, other] = callers.map(({ key }) => key)
  await grantFunds(environment.postgres.database, callers[1]?.organizationId ?? '', 1e12)
  const others = { line, key: other ?? '' }
  const hostile = { apiRoot: api.apiRoot, key: ample ?? '' }

  // Slow clients need a minute to be disconnected, so they are there all the time.
  const slow = (['head', 'body'] as const).map((part) =>
    openSlowClients(hostile, part, SLOW_CLIENTS),
  )
  const chunks = await proveChunks(run, api, hostile.key)
  let flooded: Figures = {}
  for (let round = run.soak ? SOAK_FLOODS : 1; round > 0; round -= 1)
    flooded = await proveFlood(run, api, hostile.key, others)
  await proveNested(run, others)
  const before = api.residentBytes()
  const keys = { ample, priced, poor, denied, limited } as Setting['keys']
  const models = {
    model: modelOn(WIDE),
    narrowModel: modelOn(NARROW),
    failingModel: modelOn(BROKEN),
  }
  const setting = { apiRoot: api.apiRoot, line, keys, random: run.random, ...models }
  const failing = countFailing(run)
  await sendFailing(run, setting, Math.floor(failing / 2))
  const afterHalf = api.residentBytes()
  await sendFailing(run, setting, Math.ceil(failing / 2))
  const [head = [], body = []] = await Promise.all(slow)
  const slowest = { head: judgeSlow(run, 'head', head), body: judgeSlow(run, 'body', body) }
  let left = ''
  const look = async () => {
    const sum = () => running.reduce((all, each) => all + each, 0)
    left = await findLeft(environment, { api, running: sum }, callers)
    return left === ''
  }
  if ((await timeUntil(look, LEFT_TIMEOUT_MS)) === null) run.fail(`left behind: ${left}`)
  const after = api.residentBytes()
  const grown = { failing, all: after - before, secondHalf: after - afterHalf }
  judgeGrown(run, grown)
  return {
    ...chunks,
    ...flooded,
    slow_head_s: slowest.head,
    slow_body_s: slowest.body,
    failing,
    left: left === '' ? 0 : left.replaceAll(' ', ','),
    failing_grown_mib: mebibytes(grown.all),
    second_half_mib: mebibytes(grown.secondHalf),
  }
}

await runProof('hostile-tenant', prove, { failing: { type: 'string' } })

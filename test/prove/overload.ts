// At five times its capacity the service does as much work as ever and rejects the rest at once.
// covers: src/inference/** src/engines/fleet/queue/** src/http/**
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { modelOn, startEnvironment } from '../harness/environment.ts'
import { forkEngines } from '../harness/fake-engine/forked.ts'
import { openLine, type Exchange, type Line } from '../harness/clients/http-client.ts'
import { percentile } from '../harness/figures/measure.ts'
import { runProof, type Figures, type ProofRun } from '../harness/proof.ts'
import type { Random } from '../harness/figures/random.ts'

const SLOTS = 8
const SERVICE_MS = 200
const CAPACITY_PER_SECOND = (SLOTS * 1000) / SERVICE_MS
const OVERLOAD = 5
const MODEST = 9
/** The load of all modest callers together, as a share of the capacity. */
const MODEST_SHARE = 0.4
/** Enough to keep every slot busy, so that the peak is measured. */
const PEAK_WORKERS = 2 * SLOTS
const PEAK_MS = 6_000
const WARM_MS = 1_000
const FAST_MS = 20_000
const SHORT_MS = 8_000
const SOAK_MS = 600_000
const LISTS_PER_SECOND = 20
const CONNECTIONS = 400
/** How often the clients check which requests are due. */
const TICK_MS = 2

const GOODPUT_MIN = 0.95
/** A busy machine takes work away from the engine as well. */
const SHORT_GOODPUT_MIN = 0.7
const REFUSAL_MS_MAX = 20
const MODEST_SUCCESS_MIN = 0.99

const ENGINE = 'exact'
const BODY = { model: modelOn(ENGINE), messages: [{ role: 'user', content: 'Work.' }] }

/** Lists are admitted and never wait: their time shows what the machine itself adds. */
type Kind = 'greedy' | 'modest' | 'list'

type Caller = { readonly key: string; readonly perSecond: number; readonly kind: Kind }

type Answered = Exchange & { readonly kind: Kind }

/** Completions per second while every slot is busy and nothing is rejected. */
async function measurePeak(line: Line, key: string): Promise<number> {
  const startMs = performance.now() + WARM_MS
  const endMs = startMs + PEAK_MS
  let completed = 0
  const work = async () => {
    while (performance.now() < endMs) {
      const { status, endedMs, text } = await line.chat(key, BODY)
      if (status !== 200) throw new Error(`rejected at capacity: ${status} ${text}`)
      if (endedMs >= startMs && endedMs < endMs) completed += 1
    }
  }
  await Promise.all(Array.from({ length: PEAK_WORKERS }, work))
  return (completed * 1000) / PEAK_MS
}

/** Sends requests when they are due, however slowly the earlier ones are answered. */
async function offer(line: Line, callers: readonly Caller[], durationMs: number, random: Random) {
  const answered: Answered[] = []
  const open: Promise<void>[] = []
  const startMs = performance.now()
  const between = (perSecond: number) => (1000 / perSecond) * (random.between(5, 15) / 10)
  const due = callers.map(({ perSecond }) => startMs + between(perSecond))
  for (let nowMs = startMs; nowMs < startMs + durationMs; nowMs = performance.now()) {
    for (const [index, { key, perSecond, kind }] of callers.entries()) {
      for (let at = due[index] ?? nowMs; at <= nowMs; at += between(perSecond)) {
        const asked = kind === 'list' ? line.models(key) : line.chat(key, BODY)
        open.push(asked.then((exchange) => void answered.push({ ...exchange, kind })))
        due[index] = at + between(perSecond)
      }
    }
    // pacing: requests are sent when they are due.
    await pause(TICK_MS)
  }
  await Promise.all(open)
  return { answered, startMs }
}

function tookMs(exchanges: readonly Exchange[], share: number): number {
  const times = exchanges.map(({ begunMs, endedMs }) => endedMs - begunMs)
  return percentile(times, share)
}

type Measured = { readonly startMs: number; readonly durationMs: number; readonly peak: number }

function judge(run: ProofRun, answered: readonly Answered[], measured: Measured): Figures {
  const { startMs, durationMs, peak } = measured
  const ofKind = (wanted: Kind) => answered.filter(({ kind }) => kind === wanted)
  const asked = answered.filter(({ kind }) => kind !== 'list')
  const completed = asked.filter(
    ({ status, endedMs }) =>
      status === 200 && endedMs >= startMs + WARM_MS && endedMs < startMs + durationMs,
  )
  const goodput = (completed.length * 1000) / (durationMs - WARM_MS) / peak
  const refusals = asked.filter(({ status }) => status === 503 || status === 429)
  const others = answered.filter(({ status }) => ![200, 429, 503].includes(status)).length
  const withoutDelay = refusals.filter(({ headers }) => !(Number(headers['retry-after']) >= 1))
  const modestAsked = ofKind('modest')
  const modestSuccess =
    modestAsked.filter(({ status }) => status === 200).length / modestAsked.length
  const p99 = tookMs(refusals, 0.99)
  if (goodput < (run.short ? SHORT_GOODPUT_MIN : GOODPUT_MIN))
    run.fail('less work was done than at the peak')
  if (refusals.length === 0) run.fail('nothing was rejected')
  if (!run.short && !(p99 <= REFUSAL_MS_MAX)) run.fail(`rejecting took ${p99.toFixed(1)} ms`)
  if (withoutDelay.length > 0) run.fail(`${withoutDelay.length} answers without retry-after`)
  if (others > 0) run.fail(`${others} answers with other statuses`)
  if (modestSuccess < MODEST_SUCCESS_MIN) run.fail('modest callers did not get through')
  return {
    peak: `${peak.toFixed(1)}/s`,
    offered: asked.length,
    goodput: `${(100 * goodput).toFixed(1)}%`,
    refusals: refusals.length,
    refusal_p50: `${tookMs(refusals, 0.5).toFixed(1)}ms`,
    refusal_p90: `${tookMs(refusals, 0.9).toFixed(1)}ms`,
    refusal_p99: `${p99.toFixed(1)}ms`,
    without_retry_after: withoutDelay.length,
    modest: modestAsked.length,
    modest_success: `${(100 * modestSuccess).toFixed(1)}%`,
    modest_p99: `${tookMs(modestAsked, 0.99).toFixed(0)}ms`,
    others,
    list_p99: `${tookMs(ofKind('list'), 0.99).toFixed(1)}ms`,
  }
}

await runProof('overload', async (run) => {
  const durationMs = run.soak ? SOAK_MS : run.short ? SHORT_MS : FAST_MS
  const script = new URL('overload/exact-engine.ts', import.meta.url)
  const size = { slots: SLOTS, serviceMs: SERVICE_MS }
  await using engine = await forkEngines(script, 1, undefined, size)
  await using environment = await startEnvironment({
    engines: [{ name: ENGINE, url: engine.urls[0] ?? '', slots: SLOTS }],
    // Other tests keep the shared server busy, which would count as our delay.
    valkey: 'own',
  })
  const { apiRoot } = await environment.startApi()
  await using line = openLine(apiRoot, CONNECTIONS)
  const openKeys = Array.from({ length: MODEST + 1 }, () => environment.openCaller())
  const [greedy = '', ...modest] = (await Promise.all(openKeys)).map(({ key }) => key)
  const peak = await measurePeak(line, greedy)
  const greedyPerSecond = CAPACITY_PER_SECOND * (OVERLOAD - MODEST_SHARE)
  const modestPerSecond = (CAPACITY_PER_SECOND * MODEST_SHARE) / MODEST
  const callers: Caller[] = [
    { key: greedy, kind: 'greedy', perSecond: greedyPerSecond },
    ...modest.map((key): Caller => ({ key, kind: 'modest', perSecond: modestPerSecond })),
    { key: modest[0] ?? '', kind: 'list', perSecond: LISTS_PER_SECOND },
  ]
  // The delay of this process would otherwise be blamed on the service.
  const clientDelay = monitorEventLoopDelay({ resolution: 1 })
  clientDelay.enable()
  const { answered, startMs } = await offer(line, callers, durationMs, run.random)
  clientDelay.disable()
  const clientLate = `${(clientDelay.percentile(99) / 1e6).toFixed(1)}ms`
  return { ...judge(run, answered, { startMs, durationMs, peak }), client_late_p99: clientLate }
})

// Engines get as many requests as they hold, and back what a shortage of memory has taken.
// covers: src/engines/fleet/** src/store/fleet/**
import { setTimeout as pause } from 'node:timers/promises'
import { startEnvironment } from '../harness/environment.ts'
import { slottedRequest, startSlottedEngines, sumOf } from '../harness/fake-engine/slotted.ts'
import { openLine } from '../harness/clients/http-client.ts'
import { offer } from '../harness/load/offer.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { startScriptedLoad, tryLoads } from './fleet-adaptive/scripted-load.ts'

/** What each engine holds, and what the configuration says. */
const SLOTS = 10
const SLOTS_TOLD = 16
const SIZES = {
  full: { processes: 8, engines: 8, serviceMs: 2_000, measuredMs: 60_000 },
  short: { processes: 2, engines: 3, serviceMs: 1_000, measuredMs: 10_000 },
} as const
type Size = (typeof SIZES)['full' | 'short']

const LOAD = 1.5
/** Until then the capacity may be found. */
const FOUND_MS = 10_000
const CALLERS = 16
const CONNECTIONS = 1_000

const INSIDE_MAX = 0.05
const GOODPUT_MIN = 0.95
/** One trial of one request more is a large part of a short time. */
const SHORT_INSIDE_MAX = 0.25
const SHORT_GOODPUT_MIN = 0.7

const MODEL = 'test/slotted'

type Request = {
  readonly atMs: number
  readonly ms: number
  readonly process: number
  readonly caller: number
}

function plan(run: ProofRun, { processes, engines, serviceMs, measuredMs }: Size): Request[] {
  const gapMs = serviceMs / (engines * SLOTS * LOAD)
  const requests: Request[] = []
  for (let atMs = 0; atMs < FOUND_MS + measuredMs;) {
    requests.push({
      atMs,
      ms: Math.round((serviceMs * run.random.between(50, 150)) / 100),
      process: run.random.between(0, processes - 1),
      caller: run.random.between(0, CALLERS - 1),
    })
    atMs += (gapMs * run.random.between(50, 150)) / 100
  }
  return requests
}

await runProof('fleet-adaptive', async (run) => {
  const size: Size = run.short ? SIZES.short : SIZES.full
  const { processes, engines: count, measuredMs } = size
  const hold = { slots: SLOTS, onExcess: 'wait' } as const
  await using engines = await startSlottedEngines(count, hold, SLOTS_TOLD)
  await using scripted = await startScriptedLoad()
  await using environment = await startEnvironment({
    engines: [...engines.settings, scripted.settings],
    models: [
      { id: MODEL, engines: engines.settings.map(({ name }) => name) },
      { id: 'test/scripted', engines: [scripted.settings.name] },
    ],
    valkey: 'own',
  })
  await using opened = new AsyncDisposableStack()
  const callers = Array.from({ length: CALLERS }, () => environment.openCaller())
  const keys = (await Promise.all(callers)).map(({ key }) => key)
  const apis = await environment.startApis(processes)
  const lines = apis.map(({ apiRoot }) => opened.use(openLine(apiRoot, CONNECTIONS)))
  const [api] = apis
  if (api === undefined) throw new Error('no process')
  const trying = tryLoads(run, api, scripted)
  const beganMs = performance.now()
  const found = readAfter(FOUND_MS)
  const ended = readAfter(FOUND_MS + measuredMs)
  const answered = await offer(plan(run, size), ({ ms, process, caller }) => {
    const body = slottedRequest(MODEL, { ms, prompt: 100, tokens: 100 })
    return lines[process]!.chat(keys[caller] ?? '', body)
  })
  async function readAfter(ms: number) {
    // time is under test: what happens until then, and from then on.
    await pause(ms)
    return read()
  }
  async function read() {
    const counts = await engines.counts()
    const [begun, excess, busyMs] = (['begun', 'excess', 'busyMs'] as const).map((field) =>
      sumOf(counts, field),
    ) as [number, number, number]
    return { begun, excess, busyMs, atMs: performance.now() - beganMs }
  }
  const [from, to, tried] = await Promise.all([found, ended, trying])
  const inside = (to.excess - from.excess) / (to.begun - from.begun)
  // More is offered than the engines hold, so that one queue would keep every slot busy.
  const goodput = (to.busyMs - from.busyMs) / (count * SLOTS * (to.atMs - from.atMs))
  const failed = answered.filter(({ exchange: { status } }) => status !== 200 && status !== 503)
  if (inside > (run.short ? SHORT_INSIDE_MAX : INSIDE_MAX))
    run.fail(`${(100 * inside).toFixed(1)} % of requests waited inside an engine`)
  if (goodput < (run.short ? SHORT_GOODPUT_MIN : GOODPUT_MIN))
    run.fail(`the goodput was ${(100 * goodput).toFixed(1)} % of one queue`)
  if (failed.length > 0) run.fail(`${failed.length} requests failed`)
  return {
    requests: answered.length,
    inside: `${(100 * inside).toFixed(1)}%`,
    inside_before: `${((100 * from.excess) / from.begun).toFixed(1)}%`,
    goodput: `${(100 * goodput).toFixed(1)}%`,
    ...tried,
  }
})

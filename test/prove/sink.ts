// One of four engines that answers 4xx at once fails next to no request, and comes back.
// covers: src/engines/fleet/** src/inference/fallback/**
import { setTimeout as pause } from 'node:timers/promises'
import { startEnvironment } from '../harness/environment.ts'
import { chunk, ending, ROLE } from '../harness/fake-engine/events.ts'
import { isCheck } from '../harness/fake-engine/prompts.ts'
import { begin, startFakeEngine, type Asked } from '../harness/fake-engine/server.ts'
import { openLine } from '../harness/clients/http-client.ts'
import { startLoad } from '../harness/load/load.ts'
import { timeUntil, waitUntil } from '../harness/figures/measure.ts'
import type { HeadraceProcess } from '../harness/processes/process.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'

const MODEL = 'sink/model'
const ENGINES = 4
const SLOTS = 8
const PROCESSES = 2
/** 60 % of the slots. */
const WORKERS = 19
const WORK_MS = 200
/** Organizations that use the model. */
const CALLERS = 4
const REQUESTS = 1_500
const SHORT_REQUESTS = 300
const FAILED_SHARE_MAX = 0.005
/** Of its few requests, the first at each process may fail. */
const SHORT_FAILED_SHARE_MAX = 0.02
const BACK_MS_MAX = 35_000
/** Checks are 5 s apart, and need the one slot of a warming engine, which others may hold. */
const FOUND_MS_MAX = 30_000
const TIMEOUT_MS = 120_000
/** How the one engine answers, in turn. */
const STATUSES = [404, 401, 400, 422]

/** The engine that is set up wrongly for a while. */
type Sink = {
  /** 200 while it works. */
  status: number
  /** Requests of clients that it got and that it answered. */
  asked: number
  answered: number
}

async function work(sink: Sink | undefined, { body, response }: Asked): Promise<void> {
  const byClient = !isCheck(body)
  if (sink !== undefined && byClient) sink.asked += 1
  if (sink !== undefined && sink.status !== 200)
    return void response.writeHead(sink.status).end('{"error":{"message":"no"}}')
  // pacing: a generation takes a while.
  await pause(WORK_MS)
  begin(response).end(ROLE + chunk({ content: 'word' }) + ending({ prompt: 10, completion: 1 }))
  if (sink !== undefined && byClient) sink.answered += 1
}

type Load = ReturnType<typeof startLoad>

function countFailed({ exchanges, broken }: Load): number {
  return exchanges.filter(({ status }) => status !== 200).length + broken.length
}

async function readState({ healthAddress }: HeadraceProcess): Promise<string | undefined> {
  const page = (await (await fetch(`${healthAddress}/engines`)).json()) as {
    readonly states: Readonly<Record<string, { readonly state: string }>>
  }
  return page.states['sink-0']?.state
}

type Bench = { readonly sink: Sink; readonly load: Load; readonly api: HeadraceProcess }

/** One fault and its repair; returns the figures. */
async function breakAndRepair(run: ProofRun, { sink, load, api }: Bench, status: number) {
  const count = run.short ? SHORT_REQUESTS : REQUESTS
  const [first, failedBefore, askedBefore] = [load.exchanges.length, countFailed(load), sink.asked]
  sink.status = status
  const haveEnded = () => load.exchanges.length >= first + count
  if ((await timeUntil(haveEnded, TIMEOUT_MS)) === null)
    run.fail(`${status}: fewer than ${count} requests ended in time`)
  // It is tried from time to time.
  const isFound = async () => /misconfigured|trial/.test((await readState(api)) ?? '')
  if ((await timeUntil(isFound, FOUND_MS_MAX)) === null)
    run.fail(`${status}: the engine is ${await readState(api)}`)
  const requests = load.exchanges.length - first
  const failed = countFailed(load) - failedBefore
  const asked = sink.asked - askedBefore
  if (asked === 0) run.fail(`${status}: the engine got no request, so nothing was tried`)
  if (failed > requests * (run.short ? SHORT_FAILED_SHARE_MAX : FAILED_SHARE_MAX))
    run.fail(`${status}: ${failed} of ${requests} requests failed, ${asked} went to the engine`)
  const answeredBefore = sink.answered
  sink.status = 200
  const isUsed = () => sink.answered > answeredBefore
  const backMs = await waitUntil('the repaired engine to be used', isUsed, TIMEOUT_MS)
  if (backMs > BACK_MS_MAX) run.fail(`${status}: used again ${backMs} ms after the repair`)
  return { requests, failed, asked, back: `${(backMs / 1000).toFixed(1)} s` }
}

await runProof('sink', async (run) => {
  await using started = new AsyncDisposableStack()
  const sink: Sink = { status: 200, asked: 0, answered: 0 }
  const engines = []
  for (let index = 0; index < ENGINES; index += 1) {
    const own = index === 0 ? sink : undefined
    const engine = started.use(await startFakeEngine((asked) => work(own, asked)))
    engines.push({ name: `sink-${index}`, url: engine.url, kind: 'vllm', slots: SLOTS } as const)
  }
  await using environment = await startEnvironment({
    engines,
    models: [{ id: MODEL, engines: engines.map(({ name }) => name) }],
  })
  const apis = await environment.startApis(PROCESSES)
  const [api] = apis
  if (api === undefined) throw new Error('no process')
  const lines = apis.map(({ apiRoot }) => started.use(openLine(apiRoot, WORKERS)))
  const callers = Array.from({ length: CALLERS }, () => environment.openCaller())
  const keys = (await Promise.all(callers)).map(({ key }) => key)
  let sent = 0
  const load = startLoad(WORKERS, 0, async (worker) => {
    const content = `Request ${run.seed}-${(sent += 1)}`
    const line = lines[worker % lines.length]
    if (line === undefined) throw new Error('no connection')
    return line.chat(keys[sent % keys.length] ?? '', {
      model: MODEL,
      messages: [{ role: 'user', content }],
    })
  })
  await waitUntil('the engine to be used', () => sink.answered > 0, TIMEOUT_MS)
  const figures: Record<string, string | number> = {}
  for (const status of STATUSES) {
    const result = await breakAndRepair(run, { sink, load, api }, status)
    for (const [name, figure] of Object.entries(result)) figures[`${name}_${status}`] = figure
  }
  await load.stop()
  return figures
})

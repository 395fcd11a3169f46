// An engine that crashed with 64 streams is tried by one process, and then takes more step by step.
// covers: src/engines/fleet/** src/store/fleet/**
import { setTimeout as pause } from 'node:timers/promises'
import { startEnvironment, type Environment } from '../harness/environment.ts'
import { chunk, ending, ROLE } from '../harness/fake-engine/events.ts'
import { isCheck, promptOf } from '../harness/fake-engine/prompts.ts'
import {
  begin,
  startFakeEngine,
  type Asked,
  type FakeEngine,
} from '../harness/fake-engine/server.ts'
import { openLine } from '../harness/clients/http-client.ts'
import { startLoad } from '../harness/load/load.ts'
import { timeUntil, waitUntil } from '../harness/figures/measure.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { openChat } from '../harness/clients/stream-client.ts'

const STREAMS = 64
/** Some stay free for organizations that use no model yet. */
const SLOTS = 80
const ORGANIZATIONS = 4
/** The number of api processes, in turn. */
const PROCESSES = [1, 4]
/** How long it is down: short, and longer than the first trials. */
const DOWN_MS = [1_000, 12_000]
const SHORT_DOWN_MS = [1_000]
const BACK_MS_MAX = 6_000
/** On a busy machine. */
const SHORT_BACK_MS_MAX = 30_000
const WORKERS = 12
const WORK_MS = 20
/** Long enough that a second trial would meet the first. */
const CHECK_MS = 100
const SUCCESSES = 5
const TIMEOUT_MS = 120_000

const [MODEL, HELD] = ['half-open/model', 'half-open/held']
const HOLD = 'hold'
const WORD = chunk({ content: 'word' })

/** What an engine has done since it was started. */
type Seen = {
  checks: number
  checksNow: number
  checksAtOnce: number
  running: number
  answered: number
  /** Generations at once beyond those that its successes allow. */
  excess: number
}

function noneSeen(): Seen {
  return { checks: 0, checksNow: 0, checksAtOnce: 0, running: 0, answered: 0, excess: 0 }
}

/** Doubles with every five successes. */
function allowedAt({ answered }: Seen): number {
  return 2 ** Math.floor(answered / SUCCESSES)
}

async function answer(seen: Seen, { body, response }: Asked): Promise<void> {
  if (isCheck(body)) {
    seen.checks += 1
    seen.checksNow += 1
    seen.checksAtOnce = Math.max(seen.checksAtOnce, seen.checksNow)
    // pacing: a check takes so long that a second one would meet it.
    await pause(CHECK_MS)
    seen.checksNow -= 1
  } else if (promptOf(body) === HOLD) {
    begin(response).write(ROLE + WORD)
    return
  } else {
    seen.running += 1
    seen.excess = Math.max(seen.excess, seen.running - allowedAt(seen))
    // pacing: a generation takes a while.
    await pause(WORK_MS)
    seen.running -= 1
    seen.answered += 1
  }
  begin(response).end(ROLE + WORD + ending({ prompt: 10, completion: 1 }))
}

type Bench = {
  readonly run: ProofRun
  readonly environment: Environment
  readonly engine: FakeEngine
  readonly seen: Seen
  readonly processes: number
}

/** 64 streams of several organizations on the engine, which crashes. */
async function crash(bench: Bench, apiRoots: readonly string[], keys: readonly string[]) {
  const { engine, run } = bench
  const target = (index: number) => ({
    apiRoot: apiRoots[index % apiRoots.length] ?? '',
    key: keys[index % keys.length] ?? '',
  })
  const body = { model: HELD, stream: true, messages: [{ role: 'user', content: HOLD }] }
  const chats = Array.from({ length: STREAMS + 1 }, (_, index) => openChat(target(index), body))
  await Promise.all(chats.map(({ begun }) => begun))
  if (engine.running < STREAMS) run.fail(`only ${engine.running} streams ran on the engine`)
  engine.die()
  let ended = 0
  for (const chat of chats) void chat.ended.then(() => (ended += 1))
  await waitUntil(`${STREAMS} streams to end`, () => ended >= STREAMS, TIMEOUT_MS)
  for (const chat of chats) chat.leave()
}

async function prove(bench: Bench, downMs: number): Promise<number> {
  const { run, environment, engine, seen, processes } = bench
  const apis = await environment.startApis(processes)
  const callers = []
  for (let index = 0; index < ORGANIZATIONS; index += 1)
    callers.push(await environment.openCaller())
  const keys = callers.map(({ key }) => key)
  await crash(
    bench,
    apis.map(({ apiRoot }) => apiRoot),
    keys,
  )
  Object.assign(seen, noneSeen())
  await using lines = new AsyncDisposableStack()
  const opened = apis.map(({ apiRoot }) => lines.use(openLine(apiRoot, WORKERS)))
  let sent = 0
  const load = startLoad(WORKERS, 5, async (worker) => {
    const messages = [{ role: 'user', content: `work ${(sent += 1)}` }]
    const line = opened[worker % opened.length]
    if (line === undefined) throw new Error('no connection')
    return line.chat(keys[worker % keys.length] ?? '', { model: MODEL, messages })
  })
  // time is under test: how long the engine is down.
  await pause(downMs)
  await engine.revive()
  const revivedMs = performance.now()
  await waitUntil('the revived engine to be used', () => seen.answered > 0, TIMEOUT_MS)
  const backMs = performance.now() - revivedMs
  if ((await timeUntil(() => allowedAt(seen) >= STREAMS, TIMEOUT_MS)) === null)
    run.fail(`${processes} processes: it did not reach its full capacity`)
  await load.stop()
  return backMs
}

await runProof('half-open', async (run) => {
  const downs = run.short ? SHORT_DOWN_MS : DOWN_MS
  const figures: Record<string, string | number> = {}
  for (const processes of PROCESSES)
    for (const downMs of downs) {
      await using started = new AsyncDisposableStack()
      const seen = noneSeen()
      const engine = started.use(await startFakeEngine((asked) => answer(seen, asked)))
      const other = started.use(await startFakeEngine((asked) => answer(noneSeen(), asked)))
      const spare = started.use(await startFakeEngine((asked) => answer(noneSeen(), asked)))
      const common = { kind: 'vllm', slots: SLOTS, model_name: 'model' } as const
      const settings = [
        { ...common, name: 'crashing', url: engine.url },
        { ...common, name: 'other', url: other.url },
        { ...common, name: 'spare', url: spare.url, slots: 1 },
      ]
      const environment = started.use(
        await startEnvironment({
          engines: settings,
          models: [
            { id: MODEL, engines: ['crashing', 'other'] },
            // It warms up only beside another engine of each model: this one has one slot.
            { id: HELD, engines: ['crashing', 'spare'] },
          ],
        }),
      )
      const bench = { run, environment, engine, seen, processes }
      const backMs = await prove(bench, downMs)
      const what = `${processes} processes, ${downMs} ms down`
      if (backMs > (run.short ? SHORT_BACK_MS_MAX : BACK_MS_MAX))
        run.fail(`${what}: used again after ${Math.round(backMs)} ms`)
      if (seen.checksAtOnce > 1) run.fail(`${what}: ${seen.checksAtOnce} trials at once`)
      if (seen.excess > 0) run.fail(`${what}: ${seen.excess} generations too many`)
      figures[`back_ms_${processes}_${downMs / 1000}s`] = Math.round(backMs)
      figures[`trials_${processes}_${downMs / 1000}s`] = seen.checks
    }
  return figures
})

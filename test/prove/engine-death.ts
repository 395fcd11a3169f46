// When an engine dies before the first byte another one answers; after it the client gets an error.
// engines: llama-server vllm sglang
// covers: src/engines/** src/inference/fallback/**
import { setTimeout as pause } from 'node:timers/promises'
import { startEnvironment } from '../harness/environment.ts'
import {
  openScripted,
  startStreamEngines,
  type StreamEngines,
} from '../harness/fake-engine/stream-engines.ts'
import {
  chosenEngine,
  ENDLESS,
  startRealEngine,
  type RealEngine,
} from '../harness/engines/real-engine.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { isWhole, openChat, saysError, type Chat } from '../harness/clients/stream-client.ts'

/** Models that are tried at the same time, each on engines of its own. */
const MODELS = 4
const ENGINES_EACH = 8
const DEATHS_EACH = 40
const POISON_ENGINES = 5
const POISON_FIRST = MODELS * ENGINES_EACH
const POISONS = 10
const REAL_SLOTS = 4
/** Of a server that starts in less than a second, and of one that needs half a minute. */
const QUICK = { engines: 3, deaths: 24 }
const SLOW = { engines: 2, deaths: 4 }
const SOAK_FACTOR = 10
const SLOTS = 64
/** Other requests on the same model: retries are allowed for a share of them. */
const BYSTANDERS_EACH = 4
const BYSTANDER_PAUSE_MS = 5
/** How long a dead engine refuses connections. */
const DEAD_MS = 15
const TIMEOUT_MS = 20_000
/** Enough for a request to reach an engine that does not read. */
const ARRIVAL_MS = 50
/** Scripted ones; the real ones come on top. */
const KILLS_MIN = 176
const REFILL_MS = 1_000

const [POISON, REAL] = ['death/poison', 'death/real'] as const
const modelName = (index: number) => `death/${index}`

type Tally = {
  before: number
  beforeAnswered: number
  after: number
  afterReported: number
  realKills: number
  /** Generations that ended before their engine was killed. */
  endedFirst: number
  poisonKillsMax: number
  /** Requests that reached no second engine although there was one: the budget was spent. */
  notRetried: number
  bystanders: number
  /** Bystanders whose stream had begun on an engine when it died, and that got an error. */
  bystandersReported: number
  bystandersFailed: number
}

type Setting = {
  readonly target: { readonly apiRoot: string; readonly key: string }
  readonly engines: StreamEngines
  readonly run: ProofRun
  readonly tally: Tally
}

function fail({ run }: Setting, what: string, chat: Chat): void {
  run.fail(`${what}: ${chat.status} ${chat.text.slice(-200).trim()}`)
}

/** Others go on working on the same model all the time. */
async function runBystander(setting: Setting, model: string, stop: AbortSignal): Promise<void> {
  const { target, engines, tally, run } = setting
  while (!stop.aborted) {
    const { id, chat } = openScripted(target, model, { mode: 'quick' })
    await chat.ended
    tally.bystanders += 1
    if (chat.status === 200 && saysError(chat)) tally.bystandersReported += 1
    else if (!isWhole(chat) && chat.status === 502 && engines.seenBy(id).length < 2)
      tally.notRetried += 1
    else if (!isWhole(chat)) {
      tally.bystandersFailed += 1
      fail(setting, 'a bystander', chat)
    }
    // pacing: how long a bystander waits between two requests.
    await pause(run.random.between(0, 2 * BYSTANDER_PAUSE_MS))
  }
}

/** Both return the engine that died. */
async function dieBefore(setting: Setting, model: string): Promise<number | undefined> {
  const { target, engines, run, tally } = setting
  const dies = run.random.pick(['asked', 'begun', 'opened'] as const)
  const { id, chat } = openScripted(target, model, { mode: 'die', dies })
  await chat.ended
  await engines.until('the engine to die', () => engines.deathsBy(id) > 0, TIMEOUT_MS)
  const seenBy = engines.seenBy(id)
  tally.before += 1
  if (isWhole(chat)) tally.beforeAnswered += 1
  else {
    if (seenBy.length === 1) tally.notRetried += 1
    fail(setting, `died when ${dies}, seen by ${seenBy.join(' and ')}`, chat)
  }
  return seenBy[0]
}

async function dieAfter(setting: Setting, model: string): Promise<number | undefined> {
  const { target, engines, tally } = setting
  const { id, chat } = openScripted(target, model, { mode: 'hold' })
  await chat.begun
  const engine = engines.seenBy(id).at(-1)
  if (engine !== undefined && chat.status === 200) await engines.kill(engine)
  await chat.ended
  tally.after += 1
  if (chat.status === 200 && saysError(chat)) tally.afterReported += 1
  else fail(setting, 'died after the first byte', chat)
  return engine
}

/** One model on a few engines, which die and come back one after the other. */
async function killScripted(setting: Setting, model: string, deaths: number): Promise<void> {
  const { engines, run } = setting
  const stop = new AbortController()
  const bystanders = Array.from({ length: BYSTANDERS_EACH }, () =>
    runBystander(setting, model, stop.signal),
  )
  for (let death = 0; death < deaths; death += 1) {
    const engine = await (death % 2 === 0 ? dieBefore : dieAfter)(setting, model)
    // time is under test: how long the engine is dead.
    await pause(DEAD_MS)
    if (engine !== undefined) await engines.revive(engine)
    // pacing: the time between two deaths.
    await pause(run.random.between(0, 100))
  }
  stop.abort()
  await Promise.all(bystanders)
}

/** A request that kills every engine it reaches. */
async function poison(setting: Setting): Promise<void> {
  const { target, engines, tally } = setting
  for (let sent = 0; sent < POISONS; sent += 1) {
    const { id, chat } = openScripted(target, POISON, { mode: 'poison', dies: 'opened' })
    await chat.ended
    // time is under test: a retry after the answer would kill one more.
    await pause(DEAD_MS)
    tally.poisonKillsMax = Math.max(tally.poisonKillsMax, engines.deathsBy(id))
    if (chat.status !== 502) fail(setting, 'poison', chat)
    for (let engine = POISON_FIRST; engine < POISON_FIRST + POISON_ENGINES; engine += 1)
      if (engines.isDead(engine)) await engines.revive(engine)
    // time is under test: the retry budget refills by one a second.
    await pause(500)
  }
}

/** Real engines, frozen before they can answer, or killed mid-stream. */
async function killReal(
  setting: Setting,
  reals: ReadonlyMap<string, RealEngine>,
  deaths: number,
): Promise<void> {
  const { target, tally, run } = setting
  const ask = (content: string, more: object) =>
    openChat(target, { model: REAL, stream: true, messages: [{ role: 'user', content }], ...more })
  while (tally.realKills < deaths && tally.endedFirst <= deaths) {
    const content = `Tell me about number ${run.random.between(0, 1e6)}.`
    const before = tally.realKills % 2 === 0
    // The same beginning goes to the same engine: this request finds out which one.
    const scout = ask(content, { max_tokens: 1 })
    await scout.ended
    const name = await settledOn(scout)
    const engine = reals.get(name)
    if (engine === undefined) throw new Error(`an unknown engine: ${name}`)
    if (before) engine.freeze()
    const chat = before ? ask(content, { max_tokens: 8 }) : ask(content, ENDLESS)
    // time is under test: a frozen engine does not say that a request has reached it.
    if (before) await pause(ARRIVAL_MS)
    else await chat.begun
    await engine.kill()
    await chat.ended
    const retriedMs = performance.now()
    await engine.restart()
    // On a fast machine a generation reaches the end of its context before the signal arrives.
    // Then nothing was killed mid-stream, and another one is.
    if (!before && isWhole(chat)) {
      tally.endedFirst += 1
      continue
    }
    tally.realKills += 1
    const byKilled = name === (await settledOn(chat))
    const reported = chat.status === 200 && saysError(chat) && byKilled
    const held = before ? isWhole(chat) && !byKilled : reported
    tally[before ? 'before' : 'after'] += 1
    if (held) tally[before ? 'beforeAnswered' : 'afterReported'] += 1
    else fail(setting, `a real engine killed ${before ? 'before' : 'after'}`, chat)
    // time is under test: the retry budget, which few others use, refills by one a second.
    if (before) await pause(Math.max(0, REFILL_MS - (performance.now() - retriedMs)))
  }
}

/** The engine that each request was settled on, as the api logs it. */
const engineOf = new Map<string, string>()

function readLog(line: string): void {
  type Line = { readonly msg?: string; readonly requestId?: string; readonly engine?: string }
  const { msg, requestId = '', engine = '' } = JSON.parse(line) as Line
  if (msg === 'settled') engineOf.set(requestId, engine)
}

async function settledOn({ requestId }: Chat): Promise<string> {
  const isSettled = () => engineOf.has(requestId)
  await waitUntil(`request ${requestId} to be settled`, isSettled, TIMEOUT_MS, { pollMs: 5 })
  return engineOf.get(requestId) ?? ''
}

function startTally(): Tally {
  const deaths = {
    before: 0,
    beforeAnswered: 0,
    after: 0,
    afterReported: 0,
    realKills: 0,
    endedFirst: 0,
  }
  const bystanders = { bystanders: 0, bystandersReported: 0, bystandersFailed: 0 }
  return { ...deaths, ...bystanders, poisonKillsMax: 0, notRetried: 0 }
}

await runProof('engine-death', async (run) => {
  const factor = run.soak ? SOAK_FACTOR : 1
  await using engines = await startStreamEngines(POISON_FIRST + POISON_ENGINES)
  await using started = new AsyncDisposableStack()
  const real = chosenEngine() === 'llama-server' ? QUICK : SLOW
  const reals = new Map<string, RealEngine>()
  for (let index = 0; index < real.engines; index += 1)
    reals.set(`real-${index}`, started.use(await startRealEngine(REAL_SLOTS)))
  const scripted = engines.urls.map((url, index) => ({ name: `scripted-${index}`, url }))
  const names = scripted.map(({ name }) => name)
  await using environment = await startEnvironment({
    engines: [
      ...scripted.map((engine) => ({ ...engine, slots: SLOTS })),
      ...[...reals].map(([name, { settings }]) => ({ name, ...settings })),
    ],
    models: [
      ...Array.from({ length: MODELS }, (_, index) => ({
        id: modelName(index),
        engines: names.slice(index * ENGINES_EACH, (index + 1) * ENGINES_EACH),
      })),
      { id: POISON, engines: names.slice(POISON_FIRST) },
      { id: REAL, engines: [...reals.keys()] },
    ],
    environment: { HEADRACE_API_LOG_LEVEL: 'debug' },
    onLog: readLog,
  })
  const { apiRoot } = await environment.startApi()
  const target = { apiRoot, key: (await environment.openCaller()).key }
  const tally = startTally()
  const setting: Setting = { target, engines, run, tally }
  await Promise.all([
    ...Array.from({ length: MODELS }, (_, index) =>
      killScripted(setting, modelName(index), DEATHS_EACH * factor),
    ),
    poison(setting),
    killReal(setting, reals, real.deaths * factor),
  ])
  const killed = engines.deaths + tally.realKills
  if (tally.poisonKillsMax !== 2) run.fail(`poison killed up to ${tally.poisonKillsMax} engines`)
  if (engines.deaths < KILLS_MIN * factor || tally.realKills < real.deaths * factor)
    run.fail(`only ${killed} engines were killed`)
  return {
    killed,
    real: tally.realKills,
    ended_first: tally.endedFirst,
    before: `${tally.beforeAnswered}/${tally.before}`,
    not_retried: tally.notRetried,
    after: `${tally.afterReported}/${tally.after}`,
    poison_kills_max: tally.poisonKillsMax,
    bystanders: tally.bystanders,
    bystanders_reported: tally.bystandersReported,
    bystanders_failed: tally.bystandersFailed,
  }
})

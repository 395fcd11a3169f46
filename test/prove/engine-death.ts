// Engines that die: before the first byte another one answers, after it the client is told so.
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startLlamaServer, type LlamaServer } from '../harness/llama-server.ts'
import { createRandom, type Random } from '../harness/random.ts'
import { isWhole, openChat, saysError, type Chat } from '../harness/stream-client.ts'
import type { Script } from './streams/engine-process.ts'
import { scripted, startEngines, type Engines } from './streams/engines.ts'
import { createWorld, type World } from './streams/world.ts'

const LANES = 4
const ENGINES_EACH = 8
const DEATHS_EACH = 40
const POISON_ENGINES = 5
const POISONS = 10
const REAL_ENGINES = 3
const REAL_SLOTS = 4
const REAL_DEATHS = 24
const SOAK_FACTOR = 10
const SLOTS = 64
/** Requests of others on the same model: what a share of them may be retried comes from them. */
const BYSTANDERS_EACH = 4
const BYSTANDER_PAUSE_MS = 5
/** How long a dead engine refuses connections. */
const DEAD_MS = 15
const TIMEOUT_MS = 20_000
const FAULTS_SHOWN = 5
const BYSTANDER = 'a bystander'
const REAL = 'death/real'
const REAL_PREFIX = 'real-'
/** Enough for a request to get to an engine that does not read. */
const ARRIVAL_MS = 50

/** No generation of the demo model ends by itself within this list. */
const ENDLESS = {
  response_format: {
    type: 'json_schema',
    json_schema: {
      name: 'numbers',
      schema: { type: 'array', items: { type: 'integer' }, minItems: 1_000 },
    },
  },
}

type Tally = {
  before: number
  beforeAnswered: number
  after: number
  afterTold: number
  bystanders: number
  bystandersFailed: number
  /** Requests that no second engine got although there was one: the budget was spent. */
  notRetried: number
  /** Bystanders that had begun on an engine when it died, and were told so. */
  bystandersTold: number
  realKills: number
  poisonKillsMax: number
  shown: number
}

type Scene = {
  readonly target: { readonly apiRoot: string; readonly key: string }
  readonly world: World
  readonly engines: Engines
  readonly random: Random
  readonly tally: Tally
}

let asked = 0

function open({ target }: Scene, model: string, script: Omit<Script, 'id'>) {
  const id = `${(asked += 1)}`
  return { id, chat: openChat(target, scripted(model, { id, ...script })) }
}

function show({ tally }: Scene, what: string, chat: Chat): void {
  tally.shown += 1
  if (tally.shown <= FAULTS_SHOWN || what !== BYSTANDER)
    console.log(`${what}: ${chat.status} ${chat.text.slice(-200).trim()}`)
}

/** Others go on working on the same model all the time. */
async function stand(scene: Scene, model: string, stop: AbortSignal): Promise<void> {
  const { engines, tally, random } = scene
  while (!stop.aborted) {
    const { id, chat } = open(scene, model, { mode: 'quick' })
    await chat.ended
    tally.bystanders += 1
    if (chat.status === 200 && saysError(chat)) tally.bystandersTold += 1
    else if (!isWhole(chat) && chat.status === 502 && engines.seenBy(id).length < 2)
      tally.notRetried += 1
    else if (!isWhole(chat)) {
      tally.bystandersFailed += 1
      show(scene, BYSTANDER, chat)
    }
    await pause(random.between(0, 2 * BYSTANDER_PAUSE_MS))
  }
}

async function dieBefore(scene: Scene, model: string): Promise<number | undefined> {
  const { engines, random, tally } = scene
  const dies = random.pick(['asked', 'begun', 'opened'] as const)
  const { id, chat } = open(scene, model, { mode: 'die', dies })
  await chat.ended
  await engines.until(() => engines.deathsBy(id) > 0, TIMEOUT_MS)
  tally.before += 1
  if (isWhole(chat)) tally.beforeAnswered += 1
  else {
    if (engines.seenBy(id).length === 1) tally.notRetried += 1
    show(scene, `died when ${dies}, seen by ${engines.seenBy(id).join(' and ')}`, chat)
  }
  return engines.seenBy(id)[0]
}

async function dieAfter(scene: Scene, model: string): Promise<number | undefined> {
  const { engines, tally } = scene
  const { id, chat } = open(scene, model, { mode: 'hold' })
  await chat.begun
  const victim = engines.seenBy(id).at(-1)
  if (victim !== undefined && chat.status === 200) await engines.kill(victim)
  await chat.ended
  tally.after += 1
  if (chat.status === 200 && saysError(chat)) tally.afterTold += 1
  else show(scene, 'died after the first byte', chat)
  return victim
}

/** One model on a few engines, of which one after the other dies and comes back. */
async function judgeLane(scene: Scene, model: string, deaths: number): Promise<void> {
  const stop = new AbortController()
  const others = Array.from({ length: BYSTANDERS_EACH }, () => stand(scene, model, stop.signal))
  for (let death = 0; death < deaths; death += 1) {
    const victim = await (death % 2 === 0 ? dieBefore : dieAfter)(scene, model)
    await pause(DEAD_MS)
    if (victim !== undefined) await scene.engines.revive(victim)
    await pause(scene.random.between(0, 100))
  }
  stop.abort()
  await Promise.all(others)
}

/** A request that brings down whatever engine it meets. */
async function judgePoison(scene: Scene, model: string, engineFirst: number): Promise<void> {
  const { engines, tally } = scene
  for (let poison = 0; poison < POISONS; poison += 1) {
    const { id, chat } = open(scene, model, { mode: 'poison', dies: 'opened' })
    await chat.ended
    await pause(DEAD_MS)
    tally.poisonKillsMax = Math.max(tally.poisonKillsMax, engines.deathsBy(id))
    if (chat.status !== 502) show(scene, 'poison', chat)
    for (let index = 0; index < POISON_ENGINES; index += 1)
      if (engines.isDead(engineFirst + index)) await engines.revive(engineFirst + index)
    // The budget for retries comes back by itself, one a second; without it fewer would die.
    await pause(500)
  }
}

/** Real engines, frozen before they can say anything, or killed while they talk. */
async function judgeReal(scene: Scene, llamas: readonly LlamaServer[], deaths: number) {
  const { target, world, tally } = scene
  const ask = (content: string, more: object) =>
    openChat(target, {
      model: REAL,
      stream: true,
      messages: [{ role: 'user', content }],
      ...more,
    })
  while (tally.realKills < deaths) {
    const content = `Tell me about number ${scene.random.between(0, 1e6)}.`
    const before = tally.realKills % 2 === 0
    // The same beginning goes to the same engine: this one finds out which it is.
    const scout = ask(content, { max_tokens: 1 })
    await scout.ended
    const name = await settledOn(world, scout)
    const llama = llamas[Number(name.slice(REAL_PREFIX.length))]
    if (llama === undefined) throw new Error('an engine that nobody started')
    if (before) llama.freeze()
    const chat = before ? ask(content, { max_tokens: 8 }) : ask(content, ENDLESS)
    if (before) await pause(ARRIVAL_MS)
    else await chat.begun
    await llama.kill()
    await chat.ended
    tally.realKills += 1
    judgeRealChat(scene, chat, before, name === (await settledOn(world, chat)))
    await llama.restart()
  }
}

async function settledOn(world: World, { requestId }: Chat): Promise<string> {
  for (let waitedMs = 0; waitedMs < TIMEOUT_MS; waitedMs += 5) {
    const engine = world.engineOf(requestId)
    if (engine !== undefined) return engine
    await pause(5)
  }
  throw new Error('a request that was not settled')
}

function judgeRealChat(scene: Scene, chat: Chat, before: boolean, byVictim: boolean): void {
  const { tally } = scene
  const told = chat.status === 200 && saysError(chat) && byVictim
  const asPromised = before ? isWhole(chat) && !byVictim : told
  tally[before ? 'before' : 'after'] += 1
  if (asPromised) tally[before ? 'beforeAnswered' : 'afterTold'] += 1
  else show(scene, `a real engine killed ${before ? 'before' : 'after'}`, chat)
}

function settingsOf(engines: Engines, llamas: readonly LlamaServer[]) {
  const settings = [
    ...engines.urls.map((url, index) => ({ name: `scripted-${index}`, url, slots: SLOTS })),
    ...llamas.map(({ url }, index) => ({ name: `${REAL_PREFIX}${index}`, url, slots: REAL_SLOTS })),
  ].map((engine) => ({ ...engine, model_name: 'pebble' }))
  const named = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => `scripted-${from + index}`)
  const models = [
    ...Array.from({ length: LANES }, (_, lane) => ({
      id: `death/lane-${lane}`,
      engines: named(lane * ENGINES_EACH, ENGINES_EACH),
    })),
    { id: 'death/poison', engines: named(LANES * ENGINES_EACH, POISON_ENGINES) },
    { id: REAL, engines: llamas.map((_, index) => `${REAL_PREFIX}${index}`) },
  ]
  return { settings, models }
}

function emptyTally(): Tally {
  const killed = { before: 0, beforeAnswered: 0, notRetried: 0, after: 0, afterTold: 0 }
  const others = { bystanders: 0, bystandersFailed: 0, bystandersTold: 0 }
  return { ...killed, ...others, realKills: 0, poisonKillsMax: 0, shown: 0 }
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { seed: { type: 'string' }, soak: { type: 'boolean', default: false } },
  })
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32))
  const factor = values.soak ? SOAK_FACTOR : 1
  console.log(`seed ${seed}; repeat with --seed ${seed}`)
  await using engines = await startEngines(LANES * ENGINES_EACH + POISON_ENGINES)
  await using started = new AsyncDisposableStack()
  const llamas: LlamaServer[] = []
  for (let index = 0; index < REAL_ENGINES; index += 1)
    llamas.push(started.use(await startLlamaServer(REAL_SLOTS)))
  const { settings, models } = settingsOf(engines, llamas)
  await using world = await createWorld(settings, models)
  const { apiRoot } = await world.startApi()
  const tally = emptyTally()
  const target = { apiRoot, key: world.key }
  const scene: Scene = { target, world, engines, random: createRandom(seed), tally }
  await Promise.all([
    ...Array.from({ length: LANES }, (_, lane) =>
      judgeLane(scene, `death/lane-${lane}`, DEATHS_EACH * factor),
    ),
    judgePoison(scene, 'death/poison', LANES * ENGINES_EACH),
    judgeReal(scene, llamas, REAL_DEATHS * factor),
  ])
  const killed = engines.deaths + tally.realKills
  console.log(
    `engine-death: killed=${killed} real=${tally.realKills} ` +
      `before=${tally.beforeAnswered}/${tally.before} not_retried=${tally.notRetried} ` +
      `after=${tally.afterTold}/${tally.after} poison_kills_max=${tally.poisonKillsMax} ` +
      `bystanders=${tally.bystanders} bystanders_told=${tally.bystandersTold} ` +
      `bystanders_failed=${tally.bystandersFailed} seed=${seed}`,
  )
  const answered = tally.beforeAnswered === tally.before && tally.afterTold === tally.after
  const contained = tally.poisonKillsMax === 2 && tally.bystandersFailed === 0
  return answered && contained && killed >= 200 * factor ? 0 : 1
}

process.exitCode = await main()

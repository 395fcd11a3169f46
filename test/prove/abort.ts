// Clients that leave in any phase of a request: their engine is told at once and nothing is left.
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startLlamaServer } from '../harness/llama-server.ts'
import { createRandom, type Random } from '../harness/random.ts'
import { judgeReal } from './abort/judge-real.ts'
import { startRelay } from './abort/relay.ts'
import { openChat, isWhole } from '../harness/stream-client.ts'
import { percentile } from '../harness/measure.ts'
import type { Script } from './streams/engine-process.ts'
import { scripted, startEngines, type Engines } from './streams/engines.ts'
import { createWorld } from './streams/world.ts'

const CLIENTS = 500
const SOAK_FACTOR = 10
const OPEN = 300
/** Clients that are in the same phase at the same time. */
const AT_ONCE = 50
/** Those that stay, those that leave, and some that have just left. */
const SLOTS = OPEN + 2 * AT_ONCE
/** Clients of each group that go through a bare relay, to show what the machine alone costs. */
const RELAYED = 15
/** Clients come one after the other, not all in the same moment. */
const ARRIVAL_MS = 2
/** The time within which as many leave as are in a phase at once. */
const SPREAD_MS = 200
const QUEUE_SLOTS = 25
/** As many may wait for each slot. */
const WAITING = 2 * QUEUE_SLOTS
const REAL_SLOTS = 16

/** What Headrace may add to what the machine itself takes to show a closed connection. */
const P99_MS_MAX = 50
const DELAY_MS_MAX = 250
/** The share of time without a core from which milliseconds say more about others than about us. */
const STARVED_MAX = 0.1
const BUSY_MS_MAX = 1_000
/** Before its first token llama-server looks once a second whether somebody still listens. */
const REAL_IDLE_MS_MAX = 2_500
const TIMEOUT_MS = 20_000

const MANY = 'abort/many'
const MANY_ENGINE = 0
const QUEUE = 'abort/queue'
const QUEUE_ENGINE = 1
const REAL = 'abort/real'

type World = {
  readonly target: { readonly apiRoot: string; readonly key: string }
  readonly engines: Engines
  readonly random: Random
  readonly relayed: { readonly target: World['target'] }
}

type Phase = { readonly name: string; readonly mode: Script['mode']; readonly stream: boolean }

const PHASES: readonly Phase[] = [
  { name: 'before the first byte', mode: 'silent', stream: true },
  { name: 'mid-stream', mode: 'talk', stream: true },
  { name: 'not streamed', mode: 'talk', stream: false },
]

type Left = { readonly delaysMs: number[]; readonly relayedMs: number[]; unseen: number }

function nobodyLeft(): Left {
  return { delaysMs: [], relayedMs: [], unseen: 0 }
}

let opened = 0

function open(
  { target }: Pick<World, 'target'>,
  model: string,
  script: Omit<Script, 'id'>,
  stream = true,
) {
  const id = `${(opened += 1)}`
  return { id, chat: openChat(target, scripted(model, { id, ...script }, stream)) }
}

type Opened = ReturnType<typeof open>

/** Lets them leave one after the other and waits until the engine has seen all of it. */
async function leaveAll(
  { engines, random }: World,
  all: readonly Opened[],
  left: Left,
): Promise<void> {
  const spreadMs = Math.max(1, all.length / AT_ONCE) * SPREAD_MS
  const moments = await Promise.all(
    all.map(async ({ id, chat }) => {
      await pause(random.between(0, spreadMs))
      return { id, atMs: chat.leave() }
    }),
  )
  await engines.until(
    () => moments.every(({ id }) => engines.leftAtMs(id) !== undefined),
    TIMEOUT_MS,
  )
  for (const { id, atMs } of moments) {
    const seenMs = engines.leftAtMs(id)
    if (seenMs === undefined) left.unseen += 1
    else left.delaysMs.push(seenMs - atMs)
  }
}

async function judgePhase(world: World, phase: Phase, clients: number): Promise<Left> {
  const left = nobodyLeft()
  const script = { mode: phase.mode, everyMs: 50 }
  for (let done = 0; done < clients; done += AT_ONCE) {
    const all: Opened[] = []
    for (let index = 0; index < AT_ONCE; index += 1) {
      all.push(open(world, MANY, script, phase.stream))
      await pause(ARRIVAL_MS)
    }
    const control = Array.from({ length: RELAYED }, () => open(world.relayed, MANY, script))
    const isSeen = ({ id }: Opened) => world.engines.seenBy(id).length > 0
    await world.engines.until(() => [...all, ...control].every(isSeen), TIMEOUT_MS)
    if (phase.name === 'mid-stream') await Promise.all(all.map(({ chat }) => chat.begun))
    const controlled = nobodyLeft()
    await Promise.all([leaveAll(world, all, left), leaveAll(world, control, controlled)])
    left.relayedMs.push(...controlled.delaysMs)
  }
  const { delaysMs, unseen } = left
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => percentile(delaysMs, share).toFixed(1))
  console.log(`${phase.name}: ${delaysMs.length} left, p50 ${p50} p99 ${p99} max ${max} ms`)
  if (unseen > 0) console.log(`${phase.name}: ${unseen} were never noticed`)
  return left
}

/**
 * Fills the queue to its bound: one more than has room is refused. Whoever is refused because those
 * who left are not yet gone tries again; if some never go, the queue never fills up.
 */
async function fillQueue(world: World): Promise<Opened[]> {
  const untilMs = performance.now() + TIMEOUT_MS
  const isRefused = ({ chat }: Opened) => chat.status !== 0
  let waiting: Opened[] = []
  while (performance.now() < untilMs) {
    const missing = WAITING + 1 - waiting.length
    waiting.push(...Array.from({ length: missing }, () => open(world, QUEUE, { mode: 'quick' })))
    while (!waiting.some(isRefused) && performance.now() < untilMs) await pause(5)
    waiting = waiting.filter((each) => !isRefused(each))
    if (waiting.length === WAITING) break
  }
  return waiting
}

/**
 * The queue is bounded, so it is full again with the next ones only if those before have really
 * left it. In the end whoever stayed is served, and no engine has met one that left.
 */
async function judgeQueue(world: World, clients: number): Promise<number> {
  const { engines } = world
  const holders = Array.from({ length: QUEUE_SLOTS }, () => open(world, QUEUE, { mode: 'hold' }))
  await Promise.all(holders.map(({ chat }) => chat.begun))
  const gone: Opened[] = []
  let missing = 0
  while (gone.length < clients && missing === 0) {
    const waiting = await fillQueue(world)
    missing += WAITING - waiting.length
    for (const { chat } of waiting) chat.leave()
    gone.push(...waiting)
  }
  const staying = await fillQueue(world)
  missing += WAITING - staying.length
  engines.release(QUEUE_ENGINE)
  const all = [...holders, ...staying]
  await Promise.all(all.map(({ chat }) => chat.ended))
  const unserved = all.filter(({ chat }) => !isWhole(chat)).length
  const met = gone.filter(({ id }) => engines.seenBy(id).length > 0).length
  console.log(
    `queued: ${gone.length} left, ${staying.length} stayed, ${missing} never found a place, ` +
      `${unserved} were not served, ${met} reached an engine after they left`,
  )
  return missing + unserved + met
}

/** Every slot can be taken at once: so none of them is still counted as used. */
async function countFree(
  world: World,
  model: string,
  engine: number,
  slots: number,
): Promise<number> {
  const all = Array.from({ length: slots }, () => open(world, model, { mode: 'hold' }))
  const late = pause(TIMEOUT_MS / 2, undefined, { ref: false })
  await Promise.race([Promise.all(all.map(({ chat }) => chat.begun)), late])
  const begun = all.filter(({ chat }) => chat.status === 200).length
  world.engines.release(engine)
  await Promise.all(all.map(({ chat }) => chat.ended))
  return begun
}

/** Time that a process was ready to run and had no core, which no program can do anything about. */
function starvedMs(pid: number | undefined): number {
  const [, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')
  return Number(waited) / 1e6
}

/** Clients of the relay leave at the same time; what they wait is the machine's doing. */
function isPrompt(delaysMs: readonly number[], relayedMs: readonly number[], busy: boolean) {
  const p99MsMax = busy ? BUSY_MS_MAX : P99_MS_MAX
  const delayMsMax = busy ? BUSY_MS_MAX : DELAY_MS_MAX
  return (
    percentile(delaysMs, 0.99) <= p99MsMax + percentile(relayedMs, 0.99) &&
    percentile(delaysMs, 1) <= delayMsMax + percentile(relayedMs, 1)
  )
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { seed: { type: 'string' }, soak: { type: 'boolean', default: false } },
  })
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32))
  const clients = CLIENTS * (values.soak ? SOAK_FACTOR : 1)
  console.log(`seed ${seed}; repeat with --seed ${seed}`)
  await using engines = await startEngines(2)
  await using llama = await startLlamaServer(REAL_SLOTS)
  const [many = '', queue = ''] = engines.urls
  const setting = { model_name: 'pebble' }
  await using world = await createWorld(
    [
      { ...setting, name: 'many', url: many, slots: SLOTS },
      { ...setting, name: 'queue', url: queue, slots: QUEUE_SLOTS },
      { ...setting, name: 'real', url: llama.url, slots: REAL_SLOTS },
    ],
    [
      { id: MANY, engines: ['many'] },
      { id: QUEUE, engines: ['queue'] },
      { id: REAL, engines: ['real'] },
    ],
  )
  const { apiRoot, child } = await world.startApi()
  const target = { apiRoot, key: world.key }
  await using relay = await startRelay(many)
  const relayed = { target: { apiRoot: relay.url, key: '' } }
  const here: World = { target, engines, random: createRandom(seed), relayed }
  const background = Array.from({ length: OPEN }, () =>
    open(here, MANY, { mode: 'talk', everyMs: 200 }),
  )
  await Promise.all(background.map(({ chat }) => chat.begun))
  // The first requests find a process that has not yet compiled what it runs.
  for (const phase of PHASES) await judgePhase(here, phase, 2 * AT_ONCE)
  console.log('from here on it counts')
  const sinceMs = performance.now()
  const starvedBefore = starvedMs(child.pid)
  const lefts: Left[] = []
  for (const phase of PHASES) lefts.push(await judgePhase(here, phase, clients))
  const starved = (starvedMs(child.pid) - starvedBefore) / (performance.now() - sinceMs)
  const queueFaults = await judgeQueue(here, clients)
  const realIdleMs = await judgeReal(target, REAL, llama, REAL_SLOTS, TIMEOUT_MS)
  const stayed = background.filter(({ id }) => engines.leftAtMs(id) === undefined).length
  const last = nobodyLeft()
  await leaveAll(here, background, last)
  const delaysMs = [...lefts, last].flatMap((left) => left.delaysMs)
  const unseen = [...lefts, last].reduce((sum, left) => sum + left.unseen, 0)
  const free = await countFree(here, MANY, MANY_ENGINE, SLOTS)
  const queueFree = await countFree(here, QUEUE, QUEUE_ENGINE, QUEUE_SLOTS)
  const relayedMs = lefts.flatMap((left) => left.relayedMs)
  const p99Ms = percentile(delaysMs, 0.99)
  const maxMs = percentile(delaysMs, 1)
  const busy = starved > STARVED_MAX
  if (busy) console.log('the machine was too busy to judge milliseconds; seconds are judged')
  console.log(
    `abort: left=${delaysMs.length + unseen + clients} open=${stayed} ` +
      `p50_ms=${percentile(delaysMs, 0.5).toFixed(1)} p99_ms=${p99Ms.toFixed(1)} ` +
      `max_ms=${maxMs.toFixed(1)} relay_p99_ms=${percentile(relayedMs, 0.99).toFixed(1)} ` +
      `relay_max_ms=${percentile(relayedMs, 1).toFixed(1)} ` +
      `api_starved=${(100 * starved).toFixed(0)}% unseen=${unseen} queue_faults=${queueFaults} ` +
      `slots_free=${free + queueFree}/${SLOTS + QUEUE_SLOTS} ` +
      `llama_idle_ms=${realIdleMs.toFixed(0)} seed=${seed}`,
  )
  const prompt = isPrompt(delaysMs, relayedMs, busy) && unseen + queueFaults === 0
  const clean = free === SLOTS && queueFree === QUEUE_SLOTS && stayed === OPEN
  return prompt && clean && realIdleMs <= REAL_IDLE_MS_MAX ? 0 : 1
}

process.exitCode = await main()

// When a client leaves, in any phase of a request, its engine notices at once and nothing is left.
// engines: llama-server vllm sglang
// covers: src/inference/** src/engines/wire/** src/http/**
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { startEnvironment } from '../harness/environment.ts'
import {
  openScripted,
  startStreamEngines,
  type ScriptedChat,
  type StreamEngines,
} from '../harness/fake-engine/stream-engines.ts'
import { ENDLESS, startRealEngine, type RealEngine } from '../harness/engines/real-engine.ts'
import { percentile, timeUntil, waitUntil } from '../harness/figures/measure.ts'
import { runProof, type Figures, type ProofRun } from '../harness/proof.ts'
import type { Random } from '../harness/figures/random.ts'
import { isWhole, openChat, type Chat } from '../harness/clients/stream-client.ts'
import { startRelay } from './abort/relay.ts'

const CLIENTS = 500
const SOAK_FACTOR = 10
/** Streams that stay open all the time. */
const OPEN = 300
/** Clients that are in the same phase at the same time. */
const AT_ONCE = 50
/** For those that stay, those that leave, and some that have just left. */
const SLOTS = OPEN + 2 * AT_ONCE
/** Clients of each group that use a bare relay, to show what the machine alone costs. */
const RELAYED = 15
/** Clients arrive one after the other, not all at the same moment. */
const ARRIVAL_MS = 2
/** The time within which `AT_ONCE` clients leave. */
const SPREAD_MS = 200
/** When clients of the real engine leave before its first token. */
const EARLY_MS = 20
const QUEUE_SLOTS = 25
/** The queue's bound: two may wait for each slot. */
const WAITING = 2 * QUEUE_SLOTS
const REAL_SLOTS = 16

/** What Headrace may add to the time that the machine takes to show a closed connection. */
const P99_MS_MAX = 50
const DELAY_MS_MAX = 250
/** The share of time without a core above which milliseconds say more about other processes. */
const STARVED_MAX = 0.1
const BUSY_MS_MAX = 1_000
/** Before its first token llama-server checks once a second whether its client is connected. */
const REAL_IDLE_MS_MAX = 2_500
const TIMEOUT_MS = 20_000

const [MANY, QUEUE, REAL] = ['abort/many', 'abort/queue', 'abort/real'] as const
/** The scripted engines' numbers. */
const [MANY_ENGINE, QUEUE_ENGINE] = [0, 1] as const

const PHASES = [
  { name: 'before the first byte', mode: 'silent', stream: true },
  { name: 'mid-stream', mode: 'talk', stream: true },
  { name: 'not streamed', mode: 'talk', stream: false },
] as const

/** When clients of the real engine leave. */
const REAL_MOMENTS = ['early', 'mid-stream', 'early', 'mid-stream', 'not streamed', 'not streamed']

type Target = { readonly apiRoot: string; readonly key: string }

type Setting = {
  readonly target: Target
  readonly relay: Target
  readonly engines: StreamEngines
  readonly random: Random
}

/** How long the engine took to notice each that left, Infinity if it never did. */
async function leaveAll(
  { engines, random }: Setting,
  clients: readonly ScriptedChat[],
): Promise<number[]> {
  const spreadMs = Math.max(1, clients.length / AT_ONCE) * SPREAD_MS
  const leaving = clients.map(async ({ id, chat }) => {
    // pacing: clients leave one after the other.
    await pause(random.between(0, spreadMs))
    return { id, atMs: chat.leave() }
  })
  const left = await Promise.all(leaving)
  await timeUntil(() => left.every(({ id }) => engines.leftAtMs(id) !== undefined), TIMEOUT_MS)
  return left.map(({ id, atMs }) => (engines.leftAtMs(id) ?? Infinity) - atMs)
}

type Delays = { readonly ours: number[]; readonly relayed: number[] }

async function leaveInPhase(
  setting: Setting,
  { name, mode, stream }: (typeof PHASES)[number],
  count: number,
): Promise<Delays> {
  const { target, relay, engines } = setting
  const delays: Delays = { ours: [], relayed: [] }
  const script = { mode, everyMs: 50 }
  for (let done = 0; done < count; done += AT_ONCE) {
    const clients: ScriptedChat[] = []
    for (let index = 0; index < AT_ONCE; index += 1) {
      clients.push(openScripted(target, MANY, script, { stream }))
      // pacing: clients arrive one after the other.
      await pause(ARRIVAL_MS)
    }
    const control = Array.from({ length: RELAYED }, () => openScripted(relay, MANY, script))
    const isSeen = ({ id }: ScriptedChat) => engines.seenBy(id).length > 0
    const areSeen = () => [...clients, ...control].every(isSeen)
    await engines.until('every request to reach the engine', areSeen, TIMEOUT_MS)
    if (name === 'mid-stream') await Promise.all(clients.map(({ chat }) => chat.begun))
    const [ours, relayed] = await Promise.all([
      leaveAll(setting, clients),
      leaveAll(setting, control),
    ])
    delays.ours.push(...ours)
    delays.relayed.push(...relayed.filter(Number.isFinite))
  }
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => percentile(delays.ours, share).toFixed(1))
  console.log(`${name}: ${delays.ours.length} left, p50 ${p50} p99 ${p99} max ${max} ms`)
  return delays
}

/**
 * Fills the queue to its bound: one more than fits is rejected. Clients that are rejected because
 * earlier ones have not yet left the queue try again; if some never leave, it never fills up.
 */
async function fillQueue(target: Target): Promise<ScriptedChat[]> {
  const untilMs = performance.now() + TIMEOUT_MS
  const isRejected = ({ chat }: ScriptedChat) => chat.status !== 0
  let waiting: ScriptedChat[] = []
  while (performance.now() < untilMs) {
    const missing = WAITING + 1 - waiting.length
    waiting.push(
      ...Array.from({ length: missing }, () => openScripted(target, QUEUE, { mode: 'quick' })),
    )
    const isOneRejected = () => waiting.some(isRejected)
    const leftMs = untilMs - performance.now()
    await waitUntil('the full queue to reject one more', isOneRejected, leftMs, { pollMs: 5 })
    waiting = waiting.filter((client) => !isRejected(client))
    if (waiting.length === WAITING) break
  }
  return waiting
}

/**
 * The queue is bounded, so it fills up again only if earlier clients have really left it. In the
 * end those that stayed are served, and no engine has seen one that left. Returns the failures.
 */
async function leaveQueue({ target, engines }: Setting, count: number): Promise<number> {
  const holders = Array.from({ length: QUEUE_SLOTS }, () =>
    openScripted(target, QUEUE, { mode: 'hold' }),
  )
  await Promise.all(holders.map(({ chat }) => chat.begun))
  const gone: ScriptedChat[] = []
  let missing = 0
  while (gone.length < count && missing === 0) {
    const waiting = await fillQueue(target)
    missing += WAITING - waiting.length
    for (const { chat } of waiting) chat.leave()
    gone.push(...waiting)
  }
  const staying = await fillQueue(target)
  missing += WAITING - staying.length
  engines.release(QUEUE_ENGINE)
  const served = [...holders, ...staying]
  await Promise.all(served.map(({ chat }) => chat.ended))
  const unserved = served.filter(({ chat }) => !isWhole(chat)).length
  const seen = gone.filter(({ id }) => engines.seenBy(id).length > 0).length
  console.log(
    `queued: ${gone.length} left, ${staying.length} stayed, ${missing} found no place, ` +
      `${unserved} were not served, ${seen} reached an engine after they left`,
  )
  return missing + unserved + seen
}

/** Waits until clients of the real engine are at the moment at which they leave. */
async function comeTo(moment: string, chats: readonly Chat[], engine: RealEngine): Promise<void> {
  if (moment === 'mid-stream') await Promise.all(chats.map(({ begun }) => begun))
  else if (moment === 'not streamed') {
    const areRunning = async () => (await engine.inUse()) === REAL_SLOTS
    await waitUntil('every request to run on the engine', areRunning, TIMEOUT_MS)
  }
  // time is under test: clients leave somewhere before the first token.
  else await pause(EARLY_MS)
}

/** The longest time that the real engine goes on generating after all clients have left. */
async function leaveReal(target: Target, engine: RealEngine): Promise<number> {
  let slowestMs = 0
  for (const moment of REAL_MOMENTS) {
    const messages = [{ role: 'user', content: 'Count.' }]
    const stream = moment !== 'not streamed'
    const chats = Array.from({ length: REAL_SLOTS }, () =>
      openChat(target, { ...ENDLESS, messages, max_tokens: 3_000, model: REAL, stream }),
    )
    await comeTo(moment, chats, engine)
    for (const chat of chats) chat.leave()
    const isIdle = async () => (await engine.inUse()) === 0
    const idleMs = await waitUntil('the engine to be idle', isIdle, TIMEOUT_MS, { pollMs: 10 })
    slowestMs = Math.max(slowestMs, idleMs)
  }
  return slowestMs
}

/** Takes every slot at once: the number that start shows that none is still counted as used. */
async function countFree({ target, engines }: Setting, model: string, engine: number) {
  const slots = engine === MANY_ENGINE ? SLOTS : QUEUE_SLOTS
  const clients = Array.from({ length: slots }, () => openScripted(target, model, { mode: 'hold' }))
  await timeUntil(() => clients.every(({ chat }) => chat.text !== ''), TIMEOUT_MS / 2)
  const begun = clients.filter(({ chat }) => chat.status === 200).length
  engines.release(engine)
  await Promise.all(clients.map(({ chat }) => chat.ended))
  return begun
}

/** How long a process was ready to run and had no core, which no program can influence. */
function starvedMs(pid: number | undefined): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
}

/** Clients of the relay leave at the same time; their delay is the machine's. */
function judgeDelays({ ours, relayed }: Delays, starved: number, run: ProofRun): void {
  const busy = starved > STARVED_MAX
  if (busy) console.log('the machine was too busy to judge milliseconds; seconds are judged')
  const bars = [
    { share: 0.99, maxMs: busy ? BUSY_MS_MAX : P99_MS_MAX },
    { share: 1, maxMs: busy ? BUSY_MS_MAX : DELAY_MS_MAX },
  ]
  for (const { share, maxMs } of bars)
    if (percentile(ours, share) > maxMs + percentile(relayed, share))
      run.fail(`percentile ${100 * share} is more than ${maxMs} ms above the relay's`)
}

await runProof('abort', async (run): Promise<Figures> => {
  const count = CLIENTS * (run.soak ? SOAK_FACTOR : 1)
  await using engines = await startStreamEngines(2)
  await using engine = await startRealEngine(REAL_SLOTS)
  const [many = '', queue = ''] = engines.urls
  await using environment = await startEnvironment({
    engines: [
      { name: 'many', url: many, slots: SLOTS },
      { name: 'queue', url: queue, slots: QUEUE_SLOTS },
      { name: 'real', ...engine.settings },
    ],
    models: [MANY, QUEUE, REAL].map((id) => ({ id, engines: [id.slice('abort/'.length)] })),
  })
  const { apiRoot, child } = await environment.startApi()
  const target = { apiRoot, key: (await environment.openCaller()).key }
  await using relay = await startRelay(many)
  const { random } = run
  const setting = { target, relay: { apiRoot: relay.url, key: '' }, engines, random }

  const background = Array.from({ length: OPEN }, () =>
    openScripted(target, MANY, { mode: 'talk', everyMs: 200 }),
  )
  await Promise.all(background.map(({ chat }) => chat.begun))
  // The process compiles its code during the first requests, so these are not counted.
  for (const phase of PHASES) await leaveInPhase(setting, phase, 2 * AT_ONCE)
  console.log('counted from here')
  const sinceMs = performance.now()
  const starvedBeforeMs = starvedMs(child.pid)
  const delays: Delays = { ours: [], relayed: [] }
  for (const phase of PHASES) {
    const { ours, relayed } = await leaveInPhase(setting, phase, count)
    delays.ours.push(...ours)
    delays.relayed.push(...relayed)
  }
  const starved = (starvedMs(child.pid) - starvedBeforeMs) / (performance.now() - sinceMs)
  const queueFailures = await leaveQueue(setting, count)
  const realIdleMs = await leaveReal(target, engine)
  const stayed = background.filter(({ id }) => engines.leftAtMs(id) === undefined).length
  delays.ours.push(...(await leaveAll(setting, background)))
  const free =
    (await countFree(setting, MANY, MANY_ENGINE)) + (await countFree(setting, QUEUE, QUEUE_ENGINE))

  judgeDelays(delays, starved, run)
  const unseen = delays.ours.filter((delay) => delay === Infinity).length
  if (unseen > 0) run.fail(`${unseen} clients left and no engine noticed`)
  if (queueFailures > 0) run.fail(`${queueFailures} failures in the queue`)
  if (free !== SLOTS + QUEUE_SLOTS) run.fail(`${SLOTS + QUEUE_SLOTS - free} slots are not free`)
  if (stayed !== OPEN) run.fail(`${OPEN - stayed} streams that stayed open were cut`)
  if (realIdleMs > REAL_IDLE_MS_MAX) run.fail(`the engine went on for ${realIdleMs} ms`)
  const ms = (values: readonly number[], share: number) => percentile(values, share).toFixed(1)
  return {
    left: delays.ours.length + count,
    open: stayed,
    p50_ms: ms(delays.ours, 0.5),
    p99_ms: ms(delays.ours, 0.99),
    max_ms: ms(delays.ours, 1),
    relay_p99_ms: ms(delays.relayed, 0.99),
    relay_max_ms: ms(delays.relayed, 1),
    api_starved: `${(100 * starved).toFixed(0)}%`,
    unseen,
    queue_failures: queueFailures,
    slots_free: `${free}/${SLOTS + QUEUE_SLOTS}`,
    engine_idle_ms: realIdleMs.toFixed(0),
  }
})

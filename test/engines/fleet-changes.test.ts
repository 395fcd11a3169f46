import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { test } from 'node:test'
import { EngineError, type Engine } from '../../src/engines/adapters/engine.ts'
import { createFleet, type Fleet } from '../../src/engines/fleet/fleet.ts'
import type { Slot } from '../../src/engines/fleet/slot.ts'
import { openSharing } from '../../src/store/fleet/open-sharing.ts'
import { ValkeyUnavailable, type Valkey } from '../../src/store/valkey/valkey.ts'
import { keepLines } from '../harness/lines.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { createRandom } from '../harness/figures/random.ts'
import { connectValkey, startValkey } from '../harness/servers/valkey.ts'
// Whatever engines and processes do, slots are neither used twice nor lost.

const NAMES = ['one', 'two', 'three']
const SLOTS = 4
const PROCESSES = 4
const RUN_MS = 14_000
const CUT_MS = 6_000
const WAIT_MS = 30_000

/** What runs on the engines of a name, in all processes. */
const running = new Map<string, number>()
let excess = 0

function engineOf(name: string, server: string, modelName: string): Engine {
  const generate = () => Promise.reject(new EngineError('model', name, 'unknown model'))
  const readLoad = async () => ({ running: 0, waiting: 0 })
  const close = () => undefined
  const own = { name, server, modelName, slots: SLOTS, promptCache: 'none' }
  return { ...own, generate, readLoad, close } as unknown as Engine
}

type Process = { readonly fleet: Fleet; isCut: boolean }

function openProcess(valkey: Pick<Valkey, 'call'>): Process {
  const shared = openSharing(valkey, crypto.randomUUID())
  const exchange = async (report: object) => {
    if (opened.isCut) throw new ValkeyUnavailable('cut')
    return shared.exchange(report)
  }
  const sharing = { ...shared, exchange }
  const fleet = createFleet(new Map(), { log: keepLines().log, queueMs: 1_000, sharing })
  const opened = { fleet, isCut: false }
  return opened
}

const random = createRandom(20_261_118)

/** Two models; each engine may be absent, moved, or without one of them. */
function randomEngines(): Map<string, Engine[]> {
  const server = (name: string) => `${name}-${random.between(0, 1)}`
  const chosen = NAMES.filter(() => random.chance(0.7)).map((name) => [name, server(name)] as const)
  const engines = (model: string) =>
    chosen.filter(() => random.chance(0.8)).map(([name, at]) => engineOf(name, at, model))
  return new Map(['a', 'b'].map((model) => [model, engines(model)]))
}

const allEngines = () =>
  new Map([['a', NAMES.map((name) => engineOf(name, `${name}-last`, 'last'))]])

async function take(fleet: Fleet, model: string): Promise<Slot> {
  const size = { inputTokens: 1, outputTokensMax: 1, weight: 1, virtualTime: 0 }
  const organizationId = `organization-${random.between(0, 5)}`
  const key = { organizationId, prefix: random.between(0, 1e9), head: 0 }
  return fleet.takeSlot(model, { ...key, ...size }, new AbortController().signal)
}

/** One request: it runs for a moment, and sometimes says something bad about its engine. */
async function request({ fleet }: Process): Promise<void> {
  const slot = await take(fleet, random.pick(['a', 'b'])).catch(() => undefined)
  if (slot === undefined) {
    // pacing: refusals at once would leave no time for heartbeats, which share this thread.
    await pause(5)
    return
  }
  const { name } = slot.engine
  const count = (running.get(name) ?? 0) + 1
  running.set(name, count)
  if (count > SLOTS) excess += 1
  // pacing: a generation takes this long.
  await pause(random.between(5, 200))
  running.set(name, (running.get(name) ?? 1) - 1)
  if (random.chance(0.01)) await slot.failed(new EngineError('model', name, '404'), false)
  else slot.succeeded()
  slot[Symbol.dispose]()
}

async function work(process: Process, untilMs: number): Promise<void> {
  while (performance.now() < untilMs) await request(process)
}

/** Engines change all the time, and each process is cut off once for longer than leases last. */
async function disturb(processes: readonly Process[], untilMs: number): Promise<void> {
  const cut = random.pick(processes)
  const cutMs = performance.now() + 2_000
  while (performance.now() < untilMs) {
    const nowMs = performance.now()
    cut.isCut = nowMs > cutMs && nowMs < cutMs + CUT_MS
    random.pick(processes).fleet.update(randomEngines())
    // pacing: as often as pods come and go, and faster.
    await pause(random.between(20, 400))
  }
  cut.isCut = false
}

test('engines that change, leave and fail cost no slot and get none twice', async (t) => {
  const server = await startValkey()
  t.after(() => server[Symbol.asyncDispose]())
  const valkey = await connectValkey([server.url])
  t.after(() => valkey[Symbol.asyncDispose]())
  const processes = Array.from({ length: PROCESSES }, () => openProcess(valkey))
  for (const { fleet } of processes) {
    t.after(() => fleet[Symbol.asyncDispose]())
    fleet.update(randomEngines())
    await fleet.start()
  }
  const untilMs = performance.now() + RUN_MS
  const workers = processes.flatMap((each) => Array.from({ length: 6 }, () => work(each, untilMs)))
  await Promise.all([...workers, disturb(processes, untilMs)])
  assert.equal(excess, 0)

  const [first, ...others] = processes
  assert.ok(first)
  first.fleet.update(allEngines())
  for (const { fleet } of others) fleet.update(new Map())
  const all = NAMES.length * SLOTS
  let most = 0
  const takesAll = async () => {
    const takes = Array.from({ length: all }, () => take(first.fleet, 'a'))
    const slots = (await Promise.allSettled(takes)).flatMap((each) =>
      each.status === 'fulfilled' ? [each.value] : [],
    )
    for (const slot of slots) slot[Symbol.dispose]()
    most = slots.length
    return most === all
  }
  await waitUntil(`one process to get all ${all} slots`, takesAll, WAIT_MS, { seen: () => most })
  for (const { fleet } of processes) await fleet[Symbol.asyncDispose]()
  assert.deepEqual(await valkey.call('HGETALL', ['{fleet:main}:leased']), [])
})

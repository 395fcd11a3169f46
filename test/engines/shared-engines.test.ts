import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import { EngineError, type Engine } from '../../src/engines/adapters/engine.ts'
import { createFleet, type EnginesByModel, type Fleet } from '../../src/engines/fleet/fleet.ts'
import type { Slot } from '../../src/engines/fleet/slot.ts'
import { openSharing } from '../../src/store/fleet/open-sharing.ts'
import { ValkeyUnavailable, type Valkey } from '../../src/store/valkey/valkey.ts'
import { keepLines } from '../harness/lines.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { connectValkey, startValkey } from '../harness/servers/valkey.ts'
// Engines change, leave and carry two models while several processes lease their slots.

const SLOTS = 8
const WAIT_MS = 30_000
const REFUSAL_MS = 5
const REFUSED = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })

async function openValkey(t: TestContext): Promise<Valkey> {
  const server = await startValkey()
  const valkey = await connectValkey([server.url])
  t.after(async () => {
    await valkey[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })
  return valkey
}

type Identity = { readonly server?: string; readonly modelName?: string; readonly slots?: number }

/** An engine whose checks find nothing out. */
function engineOf(name: string, { server = name, modelName = 'm', slots = SLOTS }: Identity = {}) {
  const generate = () => Promise.reject(new EngineError('model', name, 'unknown model'))
  const readLoad = async () => ({ running: 0, waiting: 0 })
  const close = () => undefined
  const engine = { name, server, modelName, slots, promptCache: 'none', generate, readLoad, close }
  return engine as unknown as Engine
}

async function openFleet(
  valkey: Pick<Valkey, 'call'>,
  engines: EnginesByModel,
  queueMs = 2_000,
): Promise<Fleet> {
  const sharing = openSharing(valkey, crypto.randomUUID())
  const fleet = createFleet(engines, { log: keepLines().log, queueMs, sharing })
  await fleet.start()
  return fleet
}

const requestOf = (organizationId: string, prefix: number) => {
  const size = { inputTokens: 1, outputTokensMax: 1, weight: 1, virtualTime: 0 }
  return { organizationId, prefix: prefix * 7919, head: prefix, ...size }
}

/** As many slots as are free for this process within the queue timeout. */
async function takeSlots(fleet: Fleet, model: string, count: number, organization = 'a') {
  const { signal } = new AbortController()
  const takes = Array.from({ length: count }, (_, index) =>
    fleet.takeSlot(model, requestOf(organization, index), signal),
  )
  const taken = await Promise.allSettled(takes)
  return taken.flatMap((each): Slot[] => (each.status === 'fulfilled' ? [each.value] : []))
}

async function fail(fleet: Fleet, model: string, kind: 'model' | 'connection'): Promise<void> {
  const [slot] = await takeSlots(fleet, model, 1)
  assert.ok(slot)
  await slot.failed(new EngineError(kind, slot.engine.name, 'failed', REFUSED), false)
}

async function awaitState(fleet: Fleet, name: string, state: string): Promise<void> {
  const current = () => fleet.states()[name]?.state ?? 'none'
  await waitUntil(`${name} to be ${state}`, () => current() === state, WAIT_MS, { seen: current })
}

/** Until the processes have told of all their leases, and know what they may hold. */
async function awaitReports(valkey: Valkey): Promise<void> {
  const calls = async () => {
    const stats = String(await valkey.call('INFO', ['commandstats']))
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1])
  }
  const before = await calls()
  await waitUntil('ten more reports', async () => (await calls()) >= before + 10, WAIT_MS)
}

function releaseAll(slots: readonly Slot[]): void {
  for (const slot of slots) slot[Symbol.dispose]()
}

const leasedIn = (valkey: Valkey) => valkey.call('HGETALL', ['{fleet:main}:leased'])

test('a model that an engine does not have costs its other model no slots', async (t) => {
  const valkey = await openValkey(t)
  const models = ['m', 'absent'].map(
    (modelName) => [modelName, [engineOf('one', { modelName })]] as const,
  )
  await using fleet = await openFleet(valkey, new Map(models))
  await fail(fleet, 'absent', 'model')
  await awaitState(fleet, 'one', 'misconfigured')
  await awaitReports(valkey)
  assert.equal((await takeSlots(fleet, 'm', SLOTS)).length, SLOTS)
})

test('an engine is checked, however many ask it for a model that it does not have', async (t) => {
  const valkey = await openValkey(t)
  let isMended = false
  const mended = async function* () {
    yield { pieces: [{ type: 'text', text: 'x' }], progress: undefined }
  }
  const models = ['m', 'absent'].map((modelName) => {
    const engine = engineOf('one', { modelName })
    const refuse = engine.generate.bind(engine)
    const generate = async (...asked: Parameters<Engine['generate']>) =>
      modelName === 'm' && isMended ? mended() : refuse(...asked)
    return [modelName, [Object.assign(engine, { generate })]] as const
  })
  await using fleet = await openFleet(valkey, new Map(models))
  await using other = await openFleet(valkey, new Map(models))
  for (const model of ['m', 'absent']) await fail(fleet, model, 'model')
  await waitUntil('both to be out', () => fleet.healthyEngines()['m'] === 0, WAIT_MS)
  isMended = true
  const isBack = () => fleet.healthyEngines()['m'] === 1
  const untilMs = performance.now() + WAIT_MS
  const keepAsking = async (each: Fleet, organization: number) => {
    while (!isBack() && performance.now() < untilMs) {
      const [slot] = await takeSlots(each, 'absent', 1, `organization-${organization}`)
      // pacing: the engine says after this time that it does not have the model.
      await pause(REFUSAL_MS)
      await slot?.failed(new EngineError('model', 'one', 'unknown model'), true)
    }
  }
  const asking = [fleet, other].flatMap((each) => [1, 2, 3, 4].map((at) => keepAsking(each, at)))
  await waitUntil('the engine to be back', isBack, WAIT_MS)
  await Promise.all(asking)
})

test('an engine whose model name was corrected has all its slots', async (t) => {
  const valkey = await openValkey(t)
  const named = (modelName: string) => new Map([['m', [engineOf('one', { modelName })]]])
  await using fleet = await openFleet(valkey, named('wrong'))
  await fail(fleet, 'm', 'model')
  await awaitState(fleet, 'one', 'misconfigured')
  fleet.update(named('right'))
  await awaitState(fleet, 'one', 'ready')
  await awaitReports(valkey)
  assert.equal((await takeSlots(fleet, 'm', SLOTS)).length, SLOTS)
})

test('an engine that moved to another machine has all its slots after a restart', async (t) => {
  const valkey = await openValkey(t)
  const at = (server: string) => new Map([['m', [engineOf('one', { server })]]])
  {
    await using before = await openFleet(valkey, at('dead'))
    await fail(before, 'm', 'connection')
    await awaitState(before, 'one', 'ejected')
  }
  await using fleet = await openFleet(valkey, at('new'))
  await awaitState(fleet, 'one', 'ready')
  assert.equal((await takeSlots(fleet, 'm', SLOTS)).length, SLOTS)
})

test('a process that was forgotten gets no slot back that another one has now', async (t) => {
  const valkey = await openValkey(t)
  const engines = () => new Map([['m', [engineOf('one', { slots: 16 })]]])
  let isCut = false
  const cut: Pick<Valkey, 'call'> = {
    call: (name, args) =>
      isCut ? Promise.reject(new ValkeyUnavailable('cut')) : valkey.call(name, args),
  }
  await using first = await openFleet(cut, engines(), 30_000)
  await using second = await openFleet(valkey, engines(), 30_000)
  const spare = () => first.states()['one']?.leased ?? 0
  await waitUntil('both to hold slots', () => spare() > 0 && spare() < 16, WAIT_MS)
  isCut = true
  const taken = await takeSlots(second, 'm', 16)
  assert.equal(taken.length, 16)
  let started = 0
  const waiting = new AbortController()
  for (let index = 0; index < 8; index += 1)
    void first.takeSlot('m', requestOf('b', index), waiting.signal).then(
      () => void (started += 1),
      () => undefined,
    )
  isCut = false
  const isKnown = async () => Number(await valkey.call('ZCARD', ['{fleet:main}:processes'])) === 2
  await waitUntil('the first process to be back', isKnown, WAIT_MS)
  // The reply that it got with it is there when the one after has been asked for.
  await waitUntil('it to hold nothing', () => spare() === 0, WAIT_MS, { seen: spare })
  assert.equal(started, 0)
  waiting.abort()
  assert.deepEqual(await leasedIn(valkey), ['one', '16'])
})

test('what a process held of an engine that it lost is there for the others', async (t) => {
  const valkey = await openValkey(t)
  const named = (...names: string[]) => new Map([['m', names.map((name) => engineOf(name))]])
  await using first = await openFleet(valkey, named('one', 'two'))
  await using second = await openFleet(valkey, named('one', 'two'))
  const held = () => first.states()['one']?.leased ?? 0
  await waitUntil('both to hold slots', () => held() > 0 && held() < SLOTS, WAIT_MS)
  first.update(named('two'))
  second.update(named('one'))
  const slots = await takeSlots(second, 'm', SLOTS)
  assert.equal(slots.length, SLOTS)
  releaseAll(slots)
})

test('an organization gets every slot of an engine of its own from one process', async (t) => {
  const valkey = await openValkey(t)
  const own = () => Object.assign(engineOf('own', { slots: 16 }), { organizationId: 'a' })
  const shared = () => engineOf('shared', { slots: 4 })
  const engines = () => new Map([['m', [own(), shared()]]])
  await using first = await openFleet(valkey, engines())
  await using second = await openFleet(valkey, engines())
  const spare = () => second.states()['own']?.leased ?? 0
  await waitUntil('the other process to hold some', () => spare() > 0, WAIT_MS)
  const taken = await takeSlots(first, 'm', 20)
  assert.equal(taken.filter(({ engine }) => engine.name === 'own').length, 16)
  releaseAll(taken)
})

test('of engines that came and went nothing is left', async (t) => {
  const valkey = await openValkey(t)
  const named = (name: string) => new Map([['m', [engineOf(name)]]])
  {
    await using fleet = await openFleet(valkey, named('pod'))
    for (let pod = 0; pod < 30; pod += 1) {
      fleet.update(named(`pod-${pod}`))
      releaseAll(await takeSlots(fleet, 'm', 1))
    }
    const names = async () => {
      const leased = (await leasedIn(valkey)) as string[]
      return leased.filter((_, index) => index % 2 === 0)
    }
    const isLast = async () => (await names()).join() === 'pod-29'
    await waitUntil('the leases of the others to end', isLast, WAIT_MS, { seen: names })
    assert.deepEqual(Object.keys(fleet.states()), ['pod-29'])
  }
  assert.deepEqual(await leasedIn(valkey), [])
})

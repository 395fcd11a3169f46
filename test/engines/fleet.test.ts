import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  EngineError,
  type Engine,
  type EngineErrorKind,
  type Generation,
} from '../../src/engines/adapters/engine.ts'
import type { Fleet } from '../../src/engines/fleet/fleet.ts'
import { INTERVAL_MS } from '../../src/engines/fleet/heartbeat.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { IDLE, openEngines, openFleet, openShared, request, signal } from './open-fleet.ts'

type Failure = {
  readonly kind?: EngineErrorKind
  readonly organizationId?: string
}

function ejectionsOf(fleet: Fleet): number {
  return Object.values(fleet.states()).reduce((sum, { ejections }) => sum + ejections, 0)
}

const CHECKED_MS = 10_000
const REFUSED = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })

/** The state of an engine after these failures, and after as many checks as they lead to. */
async function stateAfter(
  failures: readonly Failure[],
  checks: 'pass' | 'fail' | 'refuse',
  checksMin = 0,
) {
  const { fleet, take, checked, decided } = await openFleet(checks, ['one'])
  await using _fleet = fleet
  for (const { kind = 'status', organizationId } of failures) {
    using slot = await take(organizationId)
    await slot.failed(new EngineError(kind, slot.engine.name, 'failed', REFUSED), true)
  }
  await decided()
  // A check runs beside the requests, and its result is decided later.
  await waitUntil(`${checksMin} checks`, () => checked() >= checksMin, CHECKED_MS)
  await decided()
  const state = fleet.states()['one']
  assert.equal(state?.healthy, !isOut(state?.state))
  return { state: state?.state, checked: checked() }
}

function isOut(state: string | undefined): boolean {
  return state === 'ejected' || state === 'misconfigured'
}

const times = (count: number, failure: Failure) => Array.from({ length: count }, () => failure)

test('a retry that waits for a slot survives that an ejected engine leaves the list', async () => {
  const names = ['x', 'y', 'z']
  const engines = names.map(
    (name) => ({ name, slots: 1, promptCache: 'none', ...IDLE }) as unknown as Engine,
  )
  const { fleet, decided } = await openShared(new Map([['model', engines]]))
  await using _fleet = fleet
  const taking = names.map((name) =>
    fleet.takeSlot('model', { ...request, organizationId: name }, signal),
  )
  const slots = new Map((await Promise.all(taking)).map((slot) => [slot.engine.name, slot]))
  const fail = (name: string, kind: EngineErrorKind, mayMove: boolean) =>
    slots.get(name)?.failed(new EngineError(kind, name, 'failed', REFUSED), mayMove)
  await fail('z', 'connection', false)
  await decided()
  assert.equal(fleet.states()['z']?.state, 'ejected')
  const moving = fail('x', 'transport', true)
  fleet.update(new Map([['model', engines.slice(0, 2)]]))
  assert.equal(await moving, false)
})

test('an engine that refuses a connection is ejected at once', async () => {
  const { state, checked } = await stateAfter([{ kind: 'connection' }], 'pass')
  assert.deepEqual({ state, checked }, { state: 'ejected', checked: 0 })
})

for (const kind of ['credentials', 'model'] as const)
  test(`${kind}: an engine that is set up wrongly gets no further request`, async () => {
    const { state, checked } = await stateAfter([{ kind }], 'pass')
    assert.deepEqual({ state, checked }, { state: 'misconfigured', checked: 0 })
  })

for (const kind of ['protocol', 'status', 'transport'] as const) {
  test(`${kind}: two failures of one organization only make an engine suspect`, async () => {
    const { state, checked } = await stateAfter(times(2, { kind }), 'fail')
    assert.deepEqual({ state, checked }, { state: 'suspect', checked: 0 })
  })

  test(`${kind}: a thousand failures of one organization do not eject an engine`, async () => {
    const { checked } = await stateAfter(times(1_000, { kind }), 'pass', 1)
    assert.equal(checked, 1)
  })
}

test('failures of two organizations eject an engine only if it fails its check', async () => {
  const failures = [{ organizationId: 'b' }, {}]
  assert.deepEqual(await stateAfter(failures, 'pass', 1), { state: 'ready', checked: 1 })
  assert.deepEqual(await stateAfter(failures, 'fail', 1), { state: 'ejected', checked: 1 })
})

test('the third failure of one organization ejects an engine that fails its check', async () => {
  assert.equal((await stateAfter(times(3, {}), 'fail', 1)).state, 'ejected')
})

test('a bad request says nothing about an engine', async () => {
  for (const kind of ['refused', 'context', 'schema', 'busy'] as const)
    assert.equal((await stateAfter(times(3, { kind }), 'fail')).state, 'ready')
})

test('an engine that refuses requests of several organizations is found by a check', async () => {
  const refused = (organizationId: string) => ({ kind: 'refused', organizationId }) as const
  const several = ['a', 'b', 'c', 'd'].map(refused)
  assert.deepEqual(await stateAfter(several, 'refuse', 1), { state: 'misconfigured', checked: 1 })
  assert.deepEqual(await stateAfter(several, 'pass', 1), { state: 'ready', checked: 1 })
  const alone = times(7, refused('a'))
  assert.deepEqual(await stateAfter(alone, 'refuse'), { state: 'ready', checked: 0 })
})

test('refused requests of one tenant lead to no check while others are served', async () => {
  const { fleet, take, checked, decided } = await openFleet('refuse', ['one'])
  await using _fleet = fleet
  for (let count = 0; count < 50; count += 1) {
    using bad = await take('bad')
    await bad.failed(new EngineError('refused', 'one', '422'), true)
    if (count % 5 > 0) continue
    using good = await take('good')
    good.succeeded()
  }
  await decided()
  assert.equal(fleet.states()['one']?.state, 'ready')
  assert.equal(checked(), 0)
})

test('a request that an engine refuses is sent to one other, without a budget', async () => {
  const { fleet, take } = await openFleet('pass', ['one', 'two', 'three'])
  await using _fleet = fleet
  for (let count = 0; count < 50; count += 1) {
    using slot = await take('a')
    const refused = () => slot.failed(new EngineError('refused', slot.engine.name, '422'), true)
    assert.deepEqual([await refused(), await refused()], [true, false])
  }
})

test('at most half of a pool is ejected for failed checks', async () => {
  const { fleet, take, decided } = await openFleet('fail')
  await using _fleet = fleet
  for (let failures = 0; failures < 40; failures += 1) {
    using slot = await take(`organization-${failures}`)
    await slot.failed(new EngineError('status', slot.engine.name, '500'), false)
    if (failures % 8 === 0) await decided()
  }
  const states = Object.values(fleet.states()).map(({ state }) => String(state))
  assert.deepEqual(
    states.toSorted((left, right) => left.localeCompare(right)),
    ['ejected', 'suspect'],
  )
  assert.equal(ejectionsOf(fleet), 1)
})

/** The engines of one conversation after the other, each of which fails. */
async function enginesOf(organizations: readonly string[]) {
  const { fleet, take } = await openFleet('pass')
  await using _fleet = fleet
  const engines = []
  for (const organizationId of organizations) {
    using slot = await take(organizationId)
    engines.push(slot.engine)
    await slot.failed(new EngineError('status', slot.engine.name, '500'), false)
  }
  return engines
}

test('requests that fail for one organization move no conversation of others', async () => {
  const engines = await enginesOf(['bad', 'bad', 'bad', 'bad', 'other'])
  assert.equal(new Set(engines).size, 1)
})

test('an engine that fails fast does not look idle', async () => {
  const [first, second, third] = await enginesOf(['a', 'b', 'c'])
  assert.equal(second, first)
  assert.notEqual(third, first)
})

test('a request leaves engines that are set up wrongly, without a budget', async () => {
  const engine = (name: string) =>
    ({ name, slots: 64, promptCache: 'none', ...IDLE }) as unknown as Engine
  const names = ['one', 'two', 'three', 'four']
  const engines = names.map((name) => engine(name))
  await using fleet = await openEngines(new Map([['model', engines]]), 64)
  for (let requests = 0; requests < 200; requests += 1) {
    using slot = await fleet.takeSlot('model', { ...request, prefix: requests }, signal)
    while (slot.engine.name !== 'four')
      assert.ok(await slot.failed(new EngineError('model', slot.engine.name, '404'), true))
  }
  assert.equal(fleet.healthyEngines()['model'], 1)
})

test('a request leaves an engine that cannot be reached, without a budget', async () => {
  const engine = (name: string) =>
    ({ name, slots: 64, promptCache: 'none', ...IDLE }) as unknown as Engine
  const engines = Array.from({ length: 64 }, (_, index) => engine(`${index}`))
  await using fleet = await openEngines(new Map([['model', engines]]), 64)
  for (let requests = 0; requests < 40; requests += 1) {
    using slot = await fleet.takeSlot('model', { ...request, prefix: requests }, signal)
    const refused = new EngineError('connection', slot.engine.name, 'refused', REFUSED)
    assert.ok(await slot.failed(refused, true), `request ${requests}`)
  }
})

test('an engine with several model names is one engine, ejected if one of them is', async () => {
  const engine = (modelName: string) =>
    ({ name: 'one', modelName, slots: 4, promptCache: 'none', ...IDLE }) as unknown as Engine
  const { fleet, decided } = await openShared(
    new Map([
      ['a', [engine('a')]],
      ['b', [engine('b')]],
    ]),
  )
  await using _fleet = fleet
  using slot = await fleet.takeSlot('a', request, signal)
  await slot.failed(new EngineError('connection', 'one', 'refused', REFUSED), true)
  await decided()
  using _slot = await fleet.takeSlot('b', request, signal)
  const [found] = Object.values(fleet.states())
  const since = found?.since
  assert.ok(Math.abs(Date.parse(since ?? '') - Date.now()) < 60_000)
  const { healthy, slots, slots_in_use: used, ejections, state, reason, level, faults } = found!
  assert.deepEqual(
    { healthy, slots, used, ejections, state, reason, level, faults },
    {
      healthy: false,
      slots: 4,
      used: 1,
      ejections: 1,
      state: 'ejected',
      reason: 'refused',
      level: 1,
      faults: { connection: { count: 1, organizations: 1 } },
    },
  )
  assert.deepEqual(fleet.healthyEngines(), { a: 0, b: 1 })
})

test('a request was sent only to the engine that has not failed', async () => {
  const engine = (name: string) => {
    const generate: Engine['generate'] = async (_generation, _signal, options) => {
      options?.onSent?.()
      return (async function* () {})()
    }
    return { name, slots: 4, promptCache: 'none', generate, ...IDLE } as unknown as Engine
  }
  const engines = [engine('one'), engine('other')]
  await using fleet = await openEngines(new Map([['model', engines]]), 4)
  using slot = await fleet.takeSlot('model', request, signal)
  assert.equal(slot.isSent, false)
  await slot.generate({} as Generation, signal)
  assert.equal(slot.isSent, true)
  assert.equal(
    await slot.failed(new EngineError('transport', slot.engine.name, 'reset'), true),
    true,
  )
  assert.equal(slot.isSent, false)
})

test('an engine that left finishes what it runs, and is closed after it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const closed: string[] = []
  const engine = (name: string) =>
    ({ name, slots: 1, promptCache: 'none', close: () => closed.push(name) }) as unknown as Engine
  const [old, added] = [engine('old'), engine('added')]
  await using fleet = await openEngines(new Map([['model', [old]]]), 1)
  const slot = await fleet.takeSlot('model', request, signal)
  fleet.update(new Map([['model', [added]]]))
  const taken = fleet.takeSlot('model', request, signal)
  t.mock.timers.tick(INTERVAL_MS)
  using next = await taken
  assert.equal(next.engine, added)
  assert.deepEqual(closed, [])
  t.mock.timers.tick(60_000)
  assert.deepEqual(closed, [])
  slot[Symbol.dispose]()
  t.mock.timers.tick(60_000)
  assert.deepEqual(closed, ['old'])
  assert.deepEqual(fleet.engines, new Set([added]))
})

test('an engine that comes back while it finishes what it ran keeps its state', async () => {
  const create = (name: string) =>
    ({ name, slots: 4, promptCache: 'none', close: () => undefined }) as unknown as Engine
  await using fleet = await openEngines(new Map([['model', [create('one')]]]), 4)
  const old = await fleet.takeSlot('model', request, signal)
  fleet.update(new Map([['model', [create('other')]]]))
  fleet.update(new Map([['model', [create('one')]]]))
  old[Symbol.dispose]()
  assert.deepEqual(fleet.healthyEngines(), { model: 1 })
  using slot = await fleet.takeSlot('model', request, signal)
  assert.equal(slot.engine.name, 'one')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  EngineError,
  type Engine,
  type EngineErrorKind,
  type Generation,
} from '../adapters/engine.ts'
import { keepLines } from '../../../test/harness/lines.ts'
import { createFleet, type EnginesByModel, type Fleet } from './fleet.ts'
import type { SlotRequest } from './model-pool.ts'

const { signal } = new AbortController()

const request: SlotRequest = {
  organizationId: 'a',
  inputTokens: 1,
  outputTokensMax: 1,
  weight: 1,
  priority: 'standard',
  clock: 0,
  running: 0,
  prefix: 7,
  head: 7,
  constrained: false,
}

function openEngines(enginesByModel: EnginesByModel): Fleet {
  return createFleet(enginesByModel, { log: keepLines().log, queueMs: 10_000 })
}

type Failure = {
  readonly kind?: EngineErrorKind
  readonly organizationId?: string
  readonly constrained?: boolean
}

/** Engines whose check, a generation of the gateway's own, passes or not. */
function openFleet(checks: 'pass' | 'fail') {
  let checked = 0
  const engine = (name: string) => {
    const generate = async () => {
      checked += 1
      if (checks === 'fail') throw new EngineError('status', name, '500')
      return (async function* () {
        yield { pieces: [{ type: 'text', text: 'x' }], progress: undefined }
      })()
    }
    return { name, slots: 4, promptCache: 'none', generate } as unknown as Engine
  }
  const fleet = openEngines(new Map([['model', [engine('one'), engine('other')]]]))
  const take = async (organizationId = 'a', constrained = false) => {
    return fleet.takeSlot('model', { ...request, organizationId, constrained }, signal)
  }
  return { fleet, take, checked: () => checked }
}

function ejectionsOf(fleet: Fleet): number {
  return Object.values(fleet.states()).reduce((sum, { ejections }) => sum + ejections, 0)
}

/** Whether a prompt goes to another engine after these failures of the first. */
async function movesAfter(failures: readonly Failure[], checks: 'pass' | 'fail') {
  const { fleet, take, checked } = openFleet(checks)
  const firstSlot = await take()
  const first = firstSlot.engine
  firstSlot[Symbol.dispose]()
  for (const { kind = 'status', organizationId, constrained } of failures) {
    using slot = await take(organizationId, constrained)
    slot.failed(new EngineError(kind, slot.engine.name, '500'), true)
  }
  // The check runs beside the requests.
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
  const moved = (await take()).engine !== first
  assert.equal(ejectionsOf(fleet), moved ? 1 : 0)
  return { moved, checked: checked() }
}

const times = (count: number, failure: Failure) => Array.from({ length: count }, () => failure)

test('an engine that cannot be reached is ejected after three consecutive failures', async () => {
  const { moved, checked } = await movesAfter(times(3, { kind: 'connection' }), 'pass')
  assert.deepEqual({ moved, checked }, { moved: true, checked: 0 })
})

test('failures that different organizations see eject an engine', async () => {
  const failures = [{ organizationId: 'b' }, {}, {}]
  assert.equal((await movesAfter(failures, 'pass')).moved, true)
})

for (const kind of ['protocol', 'status', 'transport'] as const)
  test(`${kind}: a thousand failures of one organization do not eject an engine`, async () => {
    const { moved, checked } = await movesAfter(times(1_000, { kind }), 'pass')
    assert.deepEqual({ moved, checked }, { moved: false, checked: 1 })
  })

test('the third failure of one organization ejects an engine that fails its check', async () => {
  assert.equal((await movesAfter(times(2, {}), 'fail')).moved, false)
  assert.equal((await movesAfter(times(3, {}), 'fail')).moved, true)
})

test('a schema that an engine cannot compile does not eject it', async () => {
  const { moved, checked } = await movesAfter(times(3, { constrained: true }), 'fail')
  assert.deepEqual({ moved, checked }, { moved: false, checked: 0 })
})

test('a success between failures starts the count again', async () => {
  const { fleet, take } = openFleet('fail')
  for (const step of ['fail', 'fail', 'succeed', 'fail', 'fail']) {
    using slot = await take(step)
    if (step === 'succeed') slot.succeeded()
    else slot.failed(new EngineError('connection', 'one', 'refused'), true)
  }
  assert.equal(ejectionsOf(fleet), 0)
})

test('an engine with several model names is one engine, ejected if one of them is', async () => {
  const engine = () => ({ name: 'one', slots: 4, promptCache: 'none' }) as unknown as Engine
  const fleet = openEngines(
    new Map([
      ['a', [engine()]],
      ['b', [engine()]],
    ]),
  )
  for (let failures = 0; failures < 3; failures += 1) {
    using slot = await fleet.takeSlot('a', request, signal)
    slot.failed(new EngineError('connection', 'one', 'refused'), true)
  }
  using _slot = await fleet.takeSlot('b', request, signal)
  const state = { healthy: false, slots: 4, slots_in_use: 1, ejections: 1 }
  assert.deepEqual(fleet.states(), { one: state })
  assert.deepEqual(fleet.healthyEngines(), { a: 0, b: 1 })
})

test('a request was sent only to the engine that has not failed', async () => {
  const engine = (name: string) => {
    const generate: Engine['generate'] = async (_generation, _signal, options) => {
      options?.onSent?.()
      return (async function* () {})()
    }
    return { name, slots: 4, promptCache: 'none', generate } as unknown as Engine
  }
  const fleet = openEngines(new Map([['model', [engine('one'), engine('other')]]]))
  using slot = await fleet.takeSlot('model', request, signal)
  assert.equal(slot.isSent, false)
  await slot.generate({} as Generation, signal)
  assert.equal(slot.isSent, true)
  assert.equal(slot.failed(new EngineError('transport', slot.engine.name, 'reset'), true), true)
  assert.equal(slot.isSent, false)
})

test('an engine that left finishes what it runs, and is closed then', async () => {
  const closed: string[] = []
  const engine = (name: string) =>
    ({ name, slots: 1, promptCache: 'none', close: () => closed.push(name) }) as unknown as Engine
  const [old, added] = [engine('old'), engine('added')]
  const fleet = openEngines(new Map([['model', [old]]]))
  const slot = await fleet.takeSlot('model', request, signal)
  fleet.update(new Map([['model', [added]]]))
  using next = await fleet.takeSlot('model', request, signal)
  assert.equal(next.engine, added)
  assert.deepEqual(closed, [])
  slot[Symbol.dispose]()
  assert.deepEqual(closed, ['old'])
  assert.deepEqual(fleet.engines, new Set([added]))
})

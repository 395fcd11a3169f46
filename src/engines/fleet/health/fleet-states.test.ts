import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../../adapters/engine.ts'
import { createEngineHealth } from './engine-health.ts'
import type { StateName, StatesReply, StatesReport, ToldState } from './engine-states.ts'
import { createFleetStates } from './fleet-states.ts'

const [ONE, TWO] = ['one 127.0.0.1:1 model', 'two 127.0.0.1:2 model'] as const
const SLOTS = 8
const REFUSED = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })

const TOLD = { why: '', level: 0, tries: 0, limit: false, ageMs: 0, leftMs: 0, probedMs: false }

const told = (state: StateName, more: Partial<ToldState> = {}): ToldState =>
  Object.assign({ state }, TOLD, more)

const REPLY: StatesReply = { version: 1, engines: {}, checks: [], changed: [], orders: {} }

/** One process, whose replies the test writes. */
function openProcess(engines: readonly string[] = [ONE, TWO]) {
  const clock = { nowMs: 1_000_000 }
  const now = () => clock.nowMs
  const seen = { checks: [] as string[], soon: 0, log: [] as string[] }
  const write = ({ state }: { state?: string }) => void seen.log.push(state ?? '')
  const states = createFleetStates({
    check: (engine) => void seen.checks.push(engine),
    pools: () => [engines],
    soon: () => void (seen.soon += 1),
    log: { warn: write },
    now,
  })
  const health = engines.map((id) => createEngineHealth({ states, id, slots: SLOTS, now }))
  const [first] = health
  assert.ok(first)
  const report = (whole = false) => states.part.report({ whole, figures: true }) as StatesReport
  const accept = (more: Partial<StatesReply> = {}) => states.part.accept({ ...REPLY, ...more })
  /** A process that others know. */
  const join = () => {
    report(true)
    accept({ engines: Object.fromEntries(engines.map((engine) => [engine, told('ready')])) })
    seen.soon = 0
  }
  const fail = (kind: EngineError['kind'], organizationId = 'a', cause: unknown = REFUSED) =>
    first.failed(new EngineError(kind, 'one', 'failed', cause), organizationId)
  return { clock, seen, states, first, report, accept, join, fail }
}

test('an engine that refused a connection is not used from then on; a heartbeat follows', () => {
  const { clock, seen, first, join, fail, report, accept } = openProcess()
  join()
  fail('connection')
  assert.equal(first.isHealthy(clock.nowMs), false)
  assert.equal(seen.soon, 1)
  assert.deepEqual(report().events, [{ kind: 'refused', engine: ONE, why: 'refused' }])
  accept({ engines: { [ONE]: told('ejected') }, changed: [ONE] })
  assert.equal(first.isHealthy(clock.nowMs), false)
  assert.equal(first.ejections, 1)
})

test('a reply that is older than an incident does not bring the engine back', () => {
  const { clock, first, join, fail, report, accept } = openProcess()
  join()
  report()
  fail('connection')
  accept({ engines: { [ONE]: told('ready') } })
  assert.equal(first.isHealthy(clock.nowMs), false)
})

test('what was reported in a heartbeat that failed is reported again', () => {
  const { join, fail, report, accept } = openProcess()
  join()
  fail('status', 'a')
  report()
  fail('status', 'b')
  assert.equal(report().events.length, 2)
  accept()
  assert.equal(report().events.length, 0)
})

test('faults of requests ask for a heartbeat at most every 250 ms', () => {
  const { clock, seen, join, fail } = openProcess()
  join()
  for (let faults = 0; faults < 100; faults += 1) fail('status')
  assert.equal(seen.soon, 1)
  clock.nowMs += 250
  fail('status')
  assert.equal(seen.soon, 2)
})

test('the reported faults are bounded', () => {
  const { join, fail, report } = openProcess()
  join()
  for (let faults = 0; faults < 10_000; faults += 1) fail('status', `organization ${faults}`)
  assert.equal(report().events.length, 256)
})

test('the first engines of a model are ready; one that joins them is new', () => {
  const first = openProcess()
  first.report(true)
  first.accept()
  assert.deepEqual(
    first.report().events.map(({ kind, engine }) => [kind, engine]),
    [
      ['known', ONE],
      ['known', TWO],
    ],
  )
  const joining = openProcess()
  joining.report(true)
  joining.accept({ engines: { [TWO]: told('ready') } })
  assert.deepEqual(joining.report().events, [{ kind: 'new', engine: ONE, slots: SLOTS }])
  const replacing = openProcess()
  replacing.report(true)
  replacing.accept({ engines: { [TWO]: told('ejected') } })
  assert.equal(replacing.report().events[0]?.kind, 'known')
})

test('a process says that it does not have the engine that it has to check', async () => {
  const { seen, join, report, accept } = openProcess([ONE])
  join()
  report()
  accept({ checks: [ONE, TWO] })
  await Promise.resolve()
  assert.deepEqual(seen.checks, [ONE])
  const nothing = { why: '', running: 0, slots: 0 }
  const absent = { kind: 'checked', engine: TWO, result: 'absent', ...nothing }
  assert.deepEqual(report().events, [absent])
})

test('what the store lost is told again', () => {
  const { join, report, accept } = openProcess()
  join()
  report()
  accept({ version: 2, engines: { [ONE]: told('ejected', { level: 3, leftMs: 9_000 }) } })
  report(true)
  accept({ version: 0 })
  const [one, two] = report().events
  assert.deepEqual(one, {
    kind: 'known',
    engine: ONE,
    told: told('ejected', { level: 3, leftMs: 9_000 }),
  })
  assert.equal(two?.kind, 'known')
})

test('successes count only while an engine warms up, and are summed', () => {
  const { first, join, report, accept } = openProcess()
  join()
  first.succeeded()
  assert.deepEqual(report().events, [])
  accept({ engines: { [ONE]: told('warming', { limit: 2 }) } })
  assert.equal(first.view.limit, 2)
  first.succeeded()
  first.succeeded()
  assert.deepEqual(report().events, [{ kind: 'succeeded', engine: ONE, count: 2, slots: SLOTS }])
})

test('an engine that warms up is ready as soon as no other serves a model of it', () => {
  const { first, seen, join, report, accept } = openProcess()
  join()
  report()
  accept({ engines: { [ONE]: told('warming', { limit: 1 }) } })
  assert.deepEqual(report().events, [])
  accept({ orders: { two: 'draining' } })
  assert.deepEqual(report().events, [{ kind: 'needed', engine: ONE }])
  assert.equal(seen.soon, 1)
  accept({ engines: { [ONE]: told('ready') }, orders: { two: 'draining' } })
  assert.deepEqual([first.view.limit, report().events], [Infinity, []])
})

test('an order of an operator is in force with the reply that tells it', () => {
  const { clock, first, join, report, accept } = openProcess()
  join()
  report()
  accept({ orders: { one: 'draining' } })
  assert.deepEqual(
    [first.isHealthy(clock.nowMs), first.view.order, first.describe(clock.nowMs).state],
    [false, 'draining', 'draining'],
  )
  report()
  accept()
  assert.deepEqual([first.isHealthy(clock.nowMs), first.view.order], [true, undefined])
})

test('only the process that caused a change logs it, and failed trials are not logged', () => {
  const { seen, join, report, accept } = openProcess()
  join()
  const learn = (state: StateName, changed: readonly string[]) => {
    report()
    accept({ engines: { [ONE]: told(state) }, changed })
  }
  learn('ejected', [])
  learn('trial', [ONE])
  learn('ejected', [ONE])
  assert.deepEqual(seen.log, [])
  learn('warming', [ONE])
  learn('ejected', [ONE])
  assert.deepEqual(seen.log, ['warming', 'ejected'])
})

test('failures count for 10 s, once for each organization, until the engine has come back', () => {
  const { clock, first, join, fail, report, accept } = openProcess()
  join()
  for (let faults = 0; faults < 300; faults += 1) fail('status', 'a')
  assert.equal(first.faults(clock.nowMs), 1)
  for (const organizationId of ['b', 'c', 'c']) fail('status', organizationId)
  assert.equal(first.faults(clock.nowMs), 3)
  clock.nowMs += 9_999
  assert.equal(first.faults(clock.nowMs), 3)
  clock.nowMs += 1
  assert.equal(first.faults(clock.nowMs), 0)
  fail('status')
  report()
  accept({ engines: { [ONE]: told('warming', { limit: 1 }) } })
  assert.equal(first.faults(clock.nowMs), 0)
})

test('a first token is slow beyond 2 s and four times what its prompt takes', () => {
  const { clock, first, join, report } = openProcess()
  join()
  const faults = () => report().events.length
  // 1,000 tokens a second.
  first.answered(1_000, 1_000, 'a')
  first.answered(6_000, 1_000, 'a')
  assert.equal(faults(), 0)
  first.answered(60_000, undefined, 'a')
  assert.equal(faults(), 0)
  first.answered(60_000, 1_000, 'a')
  assert.equal(faults(), 1)
  const { slow } = first.describe(clock.nowMs).faults
  assert.deepEqual(slow, { count: 1, organizations: 1 })
})

test('an engine that runs generations and sends nothing for 20 s is not used', () => {
  const { clock, first, join } = openProcess()
  join()
  first.began()
  clock.nowMs += 19_999
  assert.equal(first.isHealthy(clock.nowMs), true)
  clock.nowMs += 1
  assert.equal(first.isHealthy(clock.nowMs), false)
  assert.equal(first.describe(clock.nowMs).reason, 'no output')
  first.progressed()
  assert.equal(first.isHealthy(clock.nowMs), true)
})

test('an engine whose only generations wait for slow clients is used', () => {
  const { clock, first, join } = openProcess()
  join()
  first.began()
  first.progressed()
  first.paused()
  clock.nowMs += 60_000
  assert.equal(first.isHealthy(clock.nowMs), true)
  first.resumed()
  clock.nowMs += 19_999
  assert.equal(first.isHealthy(clock.nowMs), true)
  clock.nowMs += 1
  assert.equal(first.isHealthy(clock.nowMs), false)
})

test('a slow client does not hide that an engine sends nothing to others', () => {
  const { clock, first, join } = openProcess()
  join()
  first.began()
  first.began()
  first.paused()
  clock.nowMs += 19_999
  first.resumed()
  first.paused()
  clock.nowMs += 1
  assert.equal(first.isHealthy(clock.nowMs), false)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EngineEvent, StatesReply } from '../../src/engines/fleet/health/engine-states.ts'
import { openScript, valkey, type Apply } from './open-script.ts'
// The script decides for all processes.
const ENGINE = 'one 127.0.0.1:1 model'
const SLOTS = 8
const START_MS = 1_000_000_000

/** Sends events of one engine and returns its state, in short. */
function openBench(apply: Apply) {
  let version = 0
  let told: StatesReply['engines'][string] | undefined
  return async (atMs: number, ...events: object[]) => {
    const named = events.map((event) => ({ engine: ENGINE, ...event }) as EngineEvent)
    const reply = await apply({ version, events: named }, START_MS + atMs)
    version = reply.version
    told = reply.engines[ENGINE] ?? told
    const [check] = Object.values(reply.checks)
    const { state, level, limit } = told ?? {}
    const warming = limit === false ? '' : ` ${limit}`
    return `${state}${warming} level ${level}${check === undefined ? '' : ', check'}`
  }
}

const ready = { state: 'ready', why: '', level: 0, tries: 0, limit: false }
const KNOWN = { kind: 'known', told: { ...ready, ageMs: 0, leftMs: 0, probedMs: false } }
const REFUSED = { kind: 'refused', why: 'refused' }
const MISCONFIGURED = { kind: 'misconfigured', why: 'model' }
const fault = (organization: string) => ({ kind: 'fault', why: 'status', organization })
const CHECKED = { kind: 'checked', why: 'status', running: 0, slots: SLOTS }
const checked = (result: string, more: object = {}) => ({ ...CHECKED, result, ...more })
const succeeded = (count: number) => ({ kind: 'succeeded', count, slots: SLOTS })

const open = () => openScript().apply

test('64 broken streams are one incident: one check, 5 s', async () => {
  const send = openBench(open())
  const streams = Array.from({ length: 64 }, (_, index) => fault(`o${index}`))
  assert.equal(await send(0, KNOWN, ...streams), 'suspect level 0, check')
  assert.equal(await send(10, checked('refused')), 'ejected level 1')
  assert.equal(await send(20, REFUSED, ...streams), 'ejected level 1')
  assert.equal(await send(5_009), 'ejected level 1')
  assert.equal(await send(5_010), 'trial level 1, check')
})

test('one trial at a time; another process takes over one without a result', async () => {
  const send = openBench(open())
  await send(0, KNOWN, REFUSED)
  assert.equal(await send(5_000), 'trial level 1, check')
  assert.equal(await send(5_001), 'trial level 1')
  assert.equal(await send(39_999), 'trial level 1')
  assert.equal(await send(40_000), 'trial level 1, check')
})

test('an engine that is down is tried every 2 s, however long', async () => {
  const send = openBench(open())
  await send(0, KNOWN, REFUSED)
  for (let atMs = 5_000; atMs < 50_000; atMs += 2_000) {
    assert.equal(await send(atMs - 1), 'ejected level 1')
    assert.equal(await send(atMs), 'trial level 1, check')
    assert.equal(await send(atMs, checked('refused')), 'ejected level 1')
  }
})

test('each trial that fails otherwise ejects for longer, up to 60 s', async () => {
  const send = openBench(open())
  let atMs = 0
  await send(atMs, KNOWN, REFUSED)
  for (let level = 1; level <= 14; level += 1) {
    const untilMs = atMs + Math.min(level * 5_000, 60_000)
    assert.equal(await send(untilMs - 1), `ejected level ${level}`)
    assert.equal(await send(untilMs), `trial level ${level}, check`)
    assert.equal(await send(untilMs, checked('failed')), `ejected level ${level + 1}`)
    atMs = untilMs
  }
})

test('the capacity doubles with every five successes until it is full', async () => {
  const send = openBench(open())
  await send(0, KNOWN, REFUSED)
  await send(5_000)
  assert.equal(await send(5_010, checked('passed')), 'warming 1 level 1')
  assert.equal(await send(5_020, succeeded(4)), 'warming 1 level 1')
  assert.equal(await send(5_030, succeeded(1)), 'warming 2 level 1')
  assert.equal(await send(5_040, succeeded(4)), 'warming 2 level 1')
  assert.equal(await send(5_050, fault('a')), 'warming 2 level 1')
  assert.equal(await send(5_060, succeeded(4)), 'warming 2 level 1')
  assert.equal(await send(5_070, succeeded(1)), 'warming 4 level 1')
  assert.equal(await send(5_080, succeeded(5)), 'ready level 1')
})

test('an engine that already runs several generations goes on with as many', async () => {
  const send = openBench(open())
  await send(0, KNOWN, REFUSED)
  await send(5_000)
  assert.equal(await send(5_010, checked('passed', { running: 3 })), 'warming 3 level 1')
})

test('a level fades with each healthy minute', async () => {
  const send = openBench(open())
  await send(0, KNOWN, REFUSED)
  await send(5_000)
  await send(5_000, checked('passed'))
  assert.equal(await send(64_999, REFUSED), 'ejected level 2')
  await send(74_999)
  await send(74_999, checked('passed'))
  assert.equal(await send(134_999, REFUSED), 'ejected level 2')
  await send(144_999)
  await send(144_999, checked('passed'))
  assert.equal(await send(264_999, REFUSED), 'ejected level 1')
})

test('a misconfigured engine is checked after 5, 10 … and then every 30 s', async () => {
  const send = openBench(open())
  assert.equal(await send(0, KNOWN, MISCONFIGURED), 'misconfigured level 0')
  let atMs = 0
  for (const waitMs of [5_000, 10_000, 15_000, 20_000, 25_000, 30_000, 30_000, 30_000]) {
    atMs += waitMs
    assert.equal(await send(atMs - 1), 'misconfigured level 0')
    assert.equal(await send(atMs), 'trial level 0, check')
    assert.equal(await send(atMs, checked('misconfigured')), 'misconfigured level 0')
  }
  await send(atMs + 30_000)
  assert.equal(await send(atMs + 30_001, checked('passed')), 'warming 1 level 0')
})

test('faults of one organization lead to a check at the third, every 5 s', async () => {
  const send = openBench(open())
  assert.equal(await send(0, KNOWN, fault('a')), 'suspect level 0')
  assert.equal(await send(1, fault('a')), 'suspect level 0')
  assert.equal(await send(2, fault('a')), 'suspect level 0, check')
  assert.equal(await send(3, fault('a'), fault('b')), 'suspect level 0')
  assert.equal(await send(4, checked('passed')), 'ready level 0')
  assert.equal(await send(5, fault('a'), fault('b')), 'suspect level 0')
  assert.equal(await send(5_001), 'suspect level 0')
  assert.equal(await send(5_002), 'suspect level 0, check')
  assert.equal(await send(5_003, checked('failed')), 'ejected level 1')
})

test('faults are forgotten after a minute', async () => {
  const send = openBench(open())
  await send(0, KNOWN, fault('a'), fault('a'))
  assert.equal(await send(59_999), 'suspect level 0')
  assert.equal(await send(60_000), 'ready level 0')
  assert.equal(await send(60_001, fault('a')), 'suspect level 0')
})

test('a check that finds no slot is repeated after a second', async () => {
  const send = openBench(open())
  await send(0, KNOWN, REFUSED)
  await send(5_000)
  assert.equal(await send(5_100, checked('busy')), 'ejected level 1')
  assert.equal(await send(6_100), 'trial level 1, check')
  await send(6_100, checked('passed'))
  assert.equal(await send(7_000, fault('a'), fault('b')), 'warming 1 level 1')
  assert.equal(await send(11_100), 'warming 1 level 1, check')
  assert.equal(await send(11_200, checked('busy')), 'warming 1 level 1')
  assert.equal(await send(12_200), 'warming 1 level 1, check')
  assert.equal(await send(12_300, checked('passed')), 'warming 1 level 1')
})

test('a new engine starts with one generation, unless it is known or needed', async () => {
  const send = openBench(open())
  assert.equal(await send(0, { kind: 'new', slots: SLOTS }), 'warming 1 level 0')
  assert.equal(await send(1, KNOWN), 'warming 1 level 0')
  assert.equal(await send(2, { kind: 'needed' }), 'ready level 0')
  assert.equal(await send(3, REFUSED, { kind: 'needed' }), 'ejected level 1')
  const other = openBench(open())
  assert.equal(await other(0, KNOWN, { kind: 'new', slots: SLOTS }), 'ready level 0')
})

test('a state that was lost is restored from what a process knows', async () => {
  const send = openBench(open())
  const told = { ...KNOWN.told, state: 'ejected', why: 'refused', level: 3, leftMs: 2_000 }
  assert.equal(await send(0, { kind: 'known', told }), 'ejected level 3')
  assert.equal(await send(2_000), 'trial level 3, check')
})
test('every process learns of a change with its next call, and only of changes', async () => {
  const { apply } = openScript()
  await apply({ version: 0, events: [{ engine: ENGINE, ...KNOWN } as EngineEvent] }, START_MS)
  const first = await apply({ version: 0, events: [] }, START_MS, 'b')
  assert.equal(first.engines[ENGINE]?.state, 'ready')
  const refused = { engine: ENGINE, ...REFUSED } as EngineEvent
  const own = await apply({ version: first.version, events: [refused] }, START_MS + 1)
  assert.deepEqual(own.changed, [ENGINE])
  const next = await apply({ version: first.version, events: [] }, START_MS + 2, 'b')
  assert.equal(next.engines[ENGINE]?.state, 'ejected')
  assert.deepEqual(Object.values(next.changed), [])
  const last = await apply({ version: next.version, events: [] }, START_MS + 3, 'b')
  assert.deepEqual(last.engines, {})
})

test('the check of a process that is gone goes to another one', async () => {
  const { apply } = openScript()
  const events = [KNOWN, REFUSED].map((event) => ({ engine: ENGINE, ...event }) as EngineEvent)
  await apply({ version: 0, events }, START_MS, 'a')
  const trial = await apply({ version: 0, events: [] }, START_MS + 5_000, 'a')
  assert.deepEqual(trial.checks, [ENGINE])
  // The script forgets a process after 5 s of silence, at the end of the call of another.
  await apply({ version: 0, events: [] }, START_MS + 10_001, 'b')
  const taken = await apply({ version: 0, events: [] }, START_MS + 10_002, 'b')
  assert.deepEqual(taken.checks, [ENGINE])
})

test('the result of a process that does not check the engine any more is ignored', async () => {
  const { apply } = openScript()
  const events = [KNOWN, REFUSED].map((event) => ({ engine: ENGINE, ...event }) as EngineEvent)
  await apply({ version: 0, events }, START_MS, 'a')
  await apply({ version: 0, events: [] }, START_MS + 5_000, 'b')
  const late = { engine: ENGINE, ...checked('passed') } as EngineEvent
  const reply = await apply({ version: 0, events: [late] }, START_MS + 5_001, 'a')
  assert.equal(reply.engines[ENGINE]?.state, 'trial')
})

test('one that warms up has a capacity for all processes, one that is out has 1', async () => {
  const { apply, prefix } = openScript()
  const capacityAfter = async (event: object) => {
    await apply({ version: 0, events: [{ engine: ENGINE, ...event } as EngineEvent] }, START_MS)
    return valkey.call('HGETALL', [`${prefix}capacity`])
  }
  assert.deepEqual(await capacityAfter({ kind: 'new', slots: SLOTS }), ['one', '1'])
  assert.deepEqual(await capacityAfter(succeeded(5)), ['one', '2'])
  assert.deepEqual(await capacityAfter(succeeded(10)), ['one', '4'])
  assert.deepEqual(await capacityAfter(succeeded(5)), [])
  assert.deepEqual(await capacityAfter(REFUSED), ['one', '1'])
})

test('orders are told when they change; a disabled engine is not checked', async () => {
  const { apply, prefix } = openScript()
  const events = [KNOWN, REFUSED].map((event) => ({ engine: ENGINE, ...event }) as EngineEvent)
  await apply({ version: 0, events }, START_MS)
  const order = async (state: string, version: number) => {
    await valkey.call('HSET', [`${prefix}orders`, 'one', state])
    await valkey.call('SET', [`${prefix}orders-version`, version])
  }
  await order('disabled', 1)
  const ordered = await apply({ version: 0, events: [] }, START_MS + 5_000)
  assert.deepEqual(ordered.orders, { one: 'disabled' })
  assert.deepEqual(Object.values(ordered.checks), [])
  const same = await apply({ version: 0, events: [], orders: '1' }, START_MS + 5_001)
  assert.equal(same.orders, undefined)
  await order('draining', 2)
  const draining = await apply({ version: 0, events: [], orders: '1' }, START_MS + 10_000)
  assert.deepEqual(draining.orders, { one: 'draining' })
  assert.deepEqual(draining.checks, [ENGINE])
})

test('what no process has named for two minutes is forgotten', async () => {
  const { apply, prefix } = openScript()
  const other = 'two 127.0.0.1:2 model'
  const events = [
    { engine: ENGINE, kind: 'new', slots: SLOTS },
    { engine: other, ...KNOWN },
  ] as EngineEvent[]
  await apply({ version: 0, events }, START_MS)
  await apply({ version: 0, events: [], engines: [other] }, START_MS + 120_001)
  assert.deepEqual(await valkey.call('HKEYS', [`${prefix}states`]), [other])
  assert.deepEqual(await valkey.call('HKEYS', [`${prefix}capacity`]), [])
  assert.deepEqual(await valkey.call('HKEYS', [`${prefix}bounds`]), ['two'])
})

test('an engine that a process has newly is tried at once, but not twice within 5 s', async () => {
  const { apply } = openScript()
  const send = openBench(apply)
  await send(0, KNOWN)
  await send(1_000, MISCONFIGURED)
  // Its first check is due 5 s later.
  assert.match(await send(2_000, { kind: 'joined' }), /^trial .*check$/)
  assert.match(await send(2_100, checked('misconfigured')), /^misconfigured/)
  assert.match(await send(3_000, { kind: 'joined' }), /^misconfigured .*\d$/)
  assert.match(await send(7_001), /^trial .*check$/)
  // Whoever has to check it may not have it any more.
  assert.match(await send(8_000, { kind: 'joined' }), /^trial .*\d$/)
  assert.match(await send(12_001), /^trial .*check$/)
  // And says so.
  assert.match(await send(12_101, checked('absent')), /^trial .*\d$/)
  assert.match(await send(12_201, { kind: 'joined' }), /^trial .*check$/)
})

test('of two engines whose checks fail at once, one stays in use', async () => {
  const { apply } = openScript()
  const engines = [ENGINE, 'two 127.0.0.1:2 model']
  const all = (...events: object[]) =>
    engines.flatMap((engine) => events.map((event) => ({ engine, ...event }) as EngineEvent))
  await apply({ version: 0, events: all(KNOWN, fault('a'), fault('b')) }, START_MS)
  const failed = all({ ...checked('failed'), pools: [engines] })
  const reply = await apply({ version: 0, events: failed }, START_MS + 1)
  const states = engines.map((engine) => reply.engines[engine]?.state)
  assert.deepEqual(states, ['ejected', 'suspect'])
})

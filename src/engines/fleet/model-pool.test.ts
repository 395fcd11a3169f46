import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMember, type Member } from './member.ts'
import type { Engine } from '../adapters/engine.ts'
import {
  createLoneHealth,
  createLoneLeases,
  leaseAll,
} from '../../../test/harness/engines/lone-process.ts'
import type { Lease } from './capacity/lease.ts'
import { createSharedPools } from './capacity/shared-pools.ts'
import { createPlacements } from './placement/placements.ts'
import { createModelPool, type SlotRequest } from './model-pool.ts'
import { NoCapacity } from './queue/no-capacity.ts'

const leases = createLoneLeases()

/** A pool never calls an engine, so a name and slots are enough. */
function member(name: string, slots = 1) {
  return createMember({ name, slots } as Engine, createLoneHealth(), leaseAll(name, slots))
}

function openModelPool(members: readonly Member[], queueMs = 10_000) {
  return createModelPool(members, {
    id: 'model',
    leases,
    pools: createSharedPools(),
    placements: createPlacements(),
    askSoon: () => undefined,
    queueMs,
  })
}

const requestOf = (organizationId: string): SlotRequest => ({
  organizationId,
  inputTokens: 1,
  outputTokensMax: 1,
  weight: 1,
  virtualTime: 0,
  prefix: 0,
  head: 0,
})

test('a waiting request is not rejected because an ejected engine has a free slot', async () => {
  const [healthy, failing] = [member('healthy'), member('failing')]
  for (let failures = 0; failures < 3; failures += 1) failing.health.unreachable()
  const pool = openModelPool([healthy, failing])
  const { signal } = new AbortController()
  assert.equal((await pool.take(requestOf('a'), signal)).member, healthy)
  const waiting = [pool.take(requestOf('b'), signal), pool.take(requestOf('c'), signal)]
  for (const taken of waiting) {
    healthy.ended()
    pool.onSlotFreed()
    assert.equal((await taken).member, healthy)
  }
})

test('a waiting request gets an engine that is healthy again, without a freed slot', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let isHealthy = false
  const healthy = member('healthy')
  const { health, ...rest } = member('ejected')
  const ejected = { ...rest, health: { ...health, isHealthy: () => isHealthy } }
  const pool = openModelPool([healthy, ejected])
  const { signal } = new AbortController()
  assert.equal((await pool.take(requestOf('a'), signal)).member, healthy)
  const waiting = pool.take(requestOf('b'), signal)
  isHealthy = true
  t.mock.timers.tick(500)
  assert.equal((await waiting).member, ejected)
})

/** An engine of one organization, or with abilities. */
function limitedMember(name: string, more: Partial<Engine>) {
  const engine = { name, slots: 1, ...more } as Engine
  return createMember(engine, createLoneHealth(), leaseAll(name, 1))
}

test('an engine of one organization gets no request of another, also not as a retry', async () => {
  const [own, open] = [limitedMember('own', { organizationId: 'a' }), member('open', 2)]
  const pool = openModelPool([own, open], 10)
  const { signal } = new AbortController()
  assert.equal((await pool.take(requestOf('b'), signal)).member, open)
  assert.equal((await pool.take(requestOf('b'), signal)).member, open)
  await assert.rejects(pool.take(requestOf('b'), signal), NoCapacity)
  assert.equal(await pool.takeOther(requestOf('b'), new Set([open])), undefined)
  assert.equal((await pool.take(requestOf('a'), signal)).member, own)
})

test('a request that waits for one engine does not hold up those that may use others', async () => {
  const able = limitedMember('able', { can: () => true })
  const other = limitedMember('other', { can: () => false })
  const pool = openModelPool([able, other])
  const { signal } = new AbortController()
  const needing = (id: string) => ({ ...requestOf(id), needs: ['json_schema'] as const })
  assert.equal((await pool.take(needing('a'), signal)).member, able)
  const waiting = pool.take(needing('b'), signal)
  assert.equal((await pool.take(requestOf('c'), signal)).member, other)
  able.ended()
  pool.onSlotFreed()
  assert.equal((await waiting).member, able)
})

/** A pool of one engine, and a function that lets a generation end. */
function openPool(slots: number) {
  const engine = member('one', slots)
  const pool = openModelPool([engine])
  const { signal } = new AbortController()
  const end = (organizationId: string) => {
    pool.released(requestOf(organizationId), 1, undefined)
    engine.ended()
    pool.onSlotFreed()
  }
  /** Takes slots until one is not given at once; returns how many it got. */
  const takeAll = (organizationId: string, count: number) => {
    let taken = 0
    for (let asked = 0; asked < count; asked += 1)
      void pool.take(requestOf(organizationId), signal).then(
        () => (taken += 1),
        () => undefined,
      )
    return async () => {
      await new Promise(setImmediate)
      return taken
    }
  }
  return { takeAll, end }
}

test('an organization that is alone uses every slot', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  const { takeAll } = openPool(4)
  assert.equal(await takeAll('a', 6)(), 4)
})

test('an organization leaves a slot free while another one is active', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  const { takeAll, end } = openPool(4)
  assert.equal(await takeAll('b', 1)(), 1)
  end('b')
  const greedy = takeAll('a', 6)
  assert.equal(await greedy(), 3)
  // The newcomer does not wait, and the greedy one gets no more.
  assert.equal(await takeAll('b', 1)(), 1)
  end('b')
  assert.equal(await greedy(), 3)
  end('a')
  assert.equal(await greedy(), 4)
})

test('a slot that one organization leaves free is used by others', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  const { takeAll } = openPool(4)
  await takeAll('b', 1)()
  assert.equal(await takeAll('a', 4)(), 3)
})

test('a request that would wait longer than it may is refused at once', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  let nowMs = 1_000
  t.mock.method(performance, 'now', () => nowMs)
  const only = member('one')
  const pool = openModelPool([only], 3_000)
  const { signal } = new AbortController()
  const freeAfter = (ms: number) => {
    nowMs += ms
    only.ended()
    pool.onSlotFreed()
  }
  await pool.take(requestOf('a'), signal)
  // The first that wait measure how fast slots are freed: one in 2 s.
  const waiting = [pool.take(requestOf('b'), signal), pool.take(requestOf('c'), signal)]
  freeAfter(2_000)
  await waiting[0]
  freeAfter(2_000)
  await waiting[1]
  const next = pool.take(requestOf('d'), signal)
  await assert.rejects(pool.take(requestOf('e'), signal), NoCapacity)
  freeAfter(2_000)
  await next
})

test('a retry gets a slot that another process has to spare', async () => {
  const failed = member('failed')
  const counts = { slots: 1, running: 0, held: 0, bound: 1, leased: 1, free: 0 }
  const lease = {
    ...counts,
    engine: 'other',
    isShared: true,
    hasRoom: false,
    took: () => undefined,
    ended: () => undefined,
    borrow: async () => (lease.hasRoom = true),
  }
  const other = createMember({ name: 'other', slots: 1 } as Engine, createLoneHealth(), lease)
  const pool = openModelPool([failed, other])
  const retried = await pool.takeOther(requestOf('a'), new Set([failed]))
  assert.equal(retried, other)
})

test('a retry goes to an ejected engine if the healthy one has no room', async () => {
  const [failed, full, ejected] = [member('failed'), member('full'), member('ejected')]
  full.began()
  ejected.health.unreachable()
  const pool = openModelPool([failed, full, ejected])
  assert.equal(await pool.takeOther(requestOf('a'), new Set([failed])), ejected)
})

test('a retry goes to another server before another rank of the same one', async () => {
  const rankOf = (name: string, server: string) => {
    const { lease, health } = member(name)
    return createMember({ name, server, slots: 1 } as Engine, health, lease)
  }
  const first = ['a-dp0', 'a-dp1', 'a-dp2', 'a-dp3'].map((name) => rankOf(name, 'a'))
  const [failed] = first
  const other = rankOf('b', 'b')
  assert.ok(failed !== undefined)
  const pool = openModelPool([...first, other])
  assert.equal(await pool.takeOther(requestOf('a'), new Set([failed])), other)
  other.health.unreachable()
  const again = await pool.takeOther(requestOf('b'), new Set([failed]))
  assert.equal(again?.engine.server, 'a')
})

test('a request is not refused for its wait if another process has a slot to spare', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  let nowMs = 1_000
  t.mock.method(performance, 'now', () => nowMs)
  const counts = { slots: 8, running: 0, held: 1, bound: 8, leased: 1, free: 0 }
  const lease: typeof counts & Lease = {
    ...counts,
    engine: 'shared',
    isShared: true,
    get hasRoom(): boolean {
      return lease.running < lease.held
    },
    took: () => void (lease.running += 1),
    ended: () => void (lease.running -= 1),
    borrow: async () => lease.hasRoom,
  }
  const shared = createMember({ name: 'shared', slots: 8 } as Engine, createLoneHealth(), lease)
  const pool = openModelPool([shared], 3_000)
  const { signal } = new AbortController()
  await pool.take(requestOf('a'), signal)
  const waiting = [pool.take(requestOf('a'), signal), pool.take(requestOf('a'), signal)]
  // One slot of eight is freed here in 8 s.
  for (const taken of waiting) {
    nowMs += 8_000
    shared.ended()
    pool.onSlotFreed()
    await taken
  }
  void pool.take(requestOf('a'), signal)
  await assert.rejects(pool.take(requestOf('b'), signal), NoCapacity)
  lease.free = 1
  const last = pool.take(requestOf('b'), signal)
  lease.held = 2
  pool.onSlotFreed()
  assert.equal((await last).member, shared)
})

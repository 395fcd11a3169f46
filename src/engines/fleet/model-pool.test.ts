import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMember } from './choose-engine.ts'
import { createEngineHealth } from './engine-health.ts'
import type { Engine } from '../adapters/engine.ts'
import { createModelPool } from './model-pool.ts'

/** A pool never calls an engine, so a name and slots are enough. */
function member(name: string) {
  return createMember({ name, slots: 1 } as Engine, createEngineHealth())
}

const requestOf = (organizationId: string) => ({
  organizationId,
  tokens: 1,
  prefix: 0,
  constrained: false,
})

test('a waiting request is not rejected because an ejected engine has a free slot', async () => {
  const [healthy, failing] = [member('healthy'), member('failing')]
  for (let failures = 0; failures < 3; failures += 1) failing.health.failed()
  const pool = createModelPool([healthy, failing])
  const { signal } = new AbortController()
  assert.equal(await pool.take(requestOf('a'), signal), healthy)
  const waiting = [pool.take(requestOf('b'), signal), pool.take(requestOf('c'), signal)]
  for (const taken of waiting) {
    healthy.health.ended()
    pool.onSlotFreed()
    assert.equal(await taken, healthy)
  }
})

test('a waiting request gets an engine that is healthy again, without a freed slot', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let isHealthy = false
  const healthy = member('healthy')
  const { engine, seed, health } = member('ejected')
  const ejected = { engine, seed, health: { ...health, isHealthy: () => isHealthy } }
  const pool = createModelPool([healthy, ejected])
  const { signal } = new AbortController()
  assert.equal(await pool.take(requestOf('a'), signal), healthy)
  const waiting = pool.take(requestOf('b'), signal)
  isHealthy = true
  t.mock.timers.tick(500)
  assert.equal(await waiting, ejected)
})

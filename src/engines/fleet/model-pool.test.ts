import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memberOf } from './choose-engine.ts'
import { createEngineHealth } from './engine-health.ts'
import type { Engine } from '../adapters/engine.ts'
import { createModelPool } from './model-pool.ts'

/** A pool chooses and counts; it never calls an engine, so a name and slots are all it needs. */
function member(name: string) {
  return memberOf({ name, slots: 1 } as Engine, createEngineHealth())
}

const ask = (organizationId: string) => ({
  organizationId,
  tokens: 1,
  prefix: 0,
  constrained: false,
})

test('who waits is not refused for room on an engine that is left alone', async () => {
  const [sound, failing] = [member('sound'), member('failing')]
  for (let fault = 0; fault < 3; fault += 1) failing.health.failed()
  const pool = createModelPool([sound, failing])
  const { signal } = new AbortController()
  assert.equal(await pool.take(ask('a'), signal), sound)
  const waiting = [pool.take(ask('b'), signal), pool.take(ask('c'), signal)]
  for (const taken of waiting) {
    sound.health.ended()
    pool.freed()
    assert.equal(await taken, sound)
  }
})

test('who waits meets an engine that is healthy again, though no slot came free', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let healthy = false
  const sound = member('sound')
  const { engine, seed, health } = member('ejected')
  const ejected = { engine, seed, health: { ...health, isHealthy: () => healthy } }
  const pool = createModelPool([sound, ejected])
  const { signal } = new AbortController()
  assert.equal(await pool.take(ask('a'), signal), sound)
  const waiting = pool.take(ask('b'), signal)
  healthy = true
  t.mock.timers.tick(500)
  assert.equal(await waiting, ejected)
})

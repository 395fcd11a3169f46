import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Engine, Generation } from '../engine.ts'
import { separatesCaches } from './check-cache.ts'

/** An engine of several workers in turn, each with a cache; `isSalted`: one per organization. */
function cachingEngine(workers: number, isSalted: boolean, more: Partial<Engine> = {}): Engine {
  const caches = Array.from({ length: workers }, () => new Set<string>())
  let turn = 0
  async function* answer({ request, organizationId }: Generation) {
    const cache = caches[(turn += 1) % workers]
    const key = JSON.stringify([request.messages, isSalted ? organizationId : ''])
    const cachedTokens = cache?.has(key) ? 100 : 0
    cache?.add(key)
    const counts = { promptTokens: 100, cachedTokens, completionTokens: 1, reasoningTokens: 0 }
    yield { pieces: [{ type: 'usage' as const, usage: counts }], progress: counts }
  }
  const generate: Engine['generate'] = (generation) => Promise.resolve(answer(generation))
  return { promptCache: 'salted', generate, ...more } as Engine
}

test('salts that work are found, and so are those that are ignored', async () => {
  assert.equal(await separatesCaches(cachingEngine(1, true)), true)
  assert.equal(await separatesCaches(cachingEngine(1, false)), false)
})

test('of many workers a leak is found, but never that there is none', async () => {
  const many = { workers: 'many' as const }
  assert.equal(await separatesCaches(cachingEngine(1, true, many)), 'unknown')
  assert.equal(await separatesCaches(cachingEngine(3, true, many)), 'unknown')
  assert.equal(await separatesCaches(cachingEngine(2, false, many)), false)
})

test('a cache that belongs to all is no isolation, unless there is one organization', async () => {
  const shared = { promptCache: 'shared' as const }
  assert.equal(await separatesCaches(cachingEngine(1, false, shared)), false)
  const own = { ...shared, organizationId: 'o' }
  assert.equal(await separatesCaches(cachingEngine(1, false, own)), true)
})

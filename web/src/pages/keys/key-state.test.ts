import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isShown, isUnused, stateOf, wasUsedToday } from './key-state.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')

function keyWith(facts: {
  readonly expires_at?: string
  readonly revoked_at?: string
  readonly last_used_at?: string
  readonly created_at?: string
}) {
  return {
    created_at: '2026-11-01T00:00:00Z',
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    ...facts,
  }
}

test('a revoked key counts as revoked, whenever it would have ended', () => {
  const revoked_at = '2026-11-02T00:00:00Z'
  assert.equal(stateOf(keyWith({ revoked_at, expires_at: '2026-11-03T00:00:00Z' }), NOW), 'revoked')
})

test('a key ends at its instant and is ending in the 14 days before', () => {
  assert.equal(stateOf(keyWith({ expires_at: '2026-11-15T12:00:00Z' }), NOW), 'ended')
  assert.equal(stateOf(keyWith({ expires_at: '2026-11-15T12:00:01Z' }), NOW), 'ending')
  assert.equal(stateOf(keyWith({ expires_at: '2026-11-29T12:00:00Z' }), NOW), 'ending')
  assert.equal(stateOf(keyWith({ expires_at: '2026-11-29T12:00:01Z' }), NOW), 'working')
  assert.equal(stateOf(keyWith({}), NOW), 'working')
})

test('a key is unused 90 days after its last use, or after its creation', () => {
  assert.equal(isUnused(keyWith({ created_at: '2026-01-01T00:00:00Z' }), NOW), true)
  assert.equal(isUnused(keyWith({}), NOW), false)
  const created_at = '2026-01-01T00:00:00Z'
  assert.equal(isUnused(keyWith({ created_at, last_used_at: '2026-11-14T00:00:00Z' }), NOW), false)
})

test('a key that was used within 24 hours counts as lively', () => {
  assert.equal(wasUsedToday(keyWith({ last_used_at: '2026-11-14T12:00:01Z' }), NOW), true)
  assert.equal(wasUsedToday(keyWith({ last_used_at: '2026-11-14T12:00:00Z' }), NOW), false)
  assert.equal(wasUsedToday(keyWith({}), NOW), false)
})

test('the health line leads to the keys that it counts', () => {
  assert.equal(isShown(keyWith({}), 'never-ends', NOW), true)
  assert.equal(isShown(keyWith({}), 'ending', NOW), false)
  assert.equal(isShown(keyWith({ expires_at: '2026-11-20T00:00:00Z' }), 'ending', NOW), true)
  assert.equal(isShown(keyWith({ created_at: '2026-01-01T00:00:00Z' }), 'unused', NOW), true)
})

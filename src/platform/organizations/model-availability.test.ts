import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelEngine } from '../../store/fleet/model-engines.ts'
import { availabilityOf } from './model-availability.ts'

const SERVING: ModelEngine = {
  name: 'one',
  slots: 4,
  organization: null,
  serves: true,
  outSinceMs: null,
  known: {},
}
const OUT: ModelEngine = { ...SERVING, name: 'two', serves: false, outSinceMs: 1_000 }
const ORDERED: ModelEngine = { ...OUT, name: 'three', outSinceMs: null }
const UNTOLD: ModelEngine = { ...SERVING, name: 'four', serves: null }

function stateOf(engines: readonly ModelEngine[], isWaitedFor = false): string {
  return availabilityOf({ engines, isWaitedFor }, 'a').state
}

test('a model is available while at least half of its slots can be used', () => {
  assert.equal(stateOf([SERVING]), 'available')
  assert.equal(stateOf([SERVING, OUT]), 'available')
  assert.equal(stateOf([SERVING, UNTOLD]), 'available')
})

test('a model is short while requests wait, or with less than half of its slots', () => {
  assert.equal(stateOf([SERVING], true), 'short')
  assert.equal(stateOf([SERVING, OUT, ORDERED]), 'short')
  assert.equal(stateOf([SERVING, { ...OUT, slots: 5 }]), 'short')
})

test('an engine that has a model under two identities has its slots once', () => {
  const outs = [OUT, OUT, OUT]
  assert.equal(stateOf([SERVING, ...outs]), 'available')
})

test('a model is unavailable since its last engine is out, if that is known', () => {
  const later = { ...OUT, outSinceMs: 5_000 }
  assert.deepEqual(availabilityOf({ engines: [later, OUT], isWaitedFor: true }, 'a'), {
    state: 'unavailable',
    since: '1970-01-01T00:00:05.000Z',
  })
  assert.deepEqual(availabilityOf({ engines: [OUT, ORDERED], isWaitedFor: false }, 'a'), {
    state: 'unavailable',
    since: null,
  })
})

test('a model of which nothing is known is never called available', () => {
  assert.deepEqual(availabilityOf(undefined, 'a'), { state: 'unknown', since: null })
  assert.equal(stateOf([]), 'unknown')
  assert.equal(stateOf([UNTOLD]), 'unknown')
  assert.equal(stateOf([UNTOLD, OUT]), 'unknown')
})

test('a reserved engine counts for its organization alone', () => {
  const engines = [OUT, { ...SERVING, organization: 'a', slots: 8 }]
  assert.equal(availabilityOf({ engines, isWaitedFor: false }, 'a').state, 'available')
  assert.equal(availabilityOf({ engines, isWaitedFor: false }, 'b').state, 'unavailable')
  const alone = { engines: engines.slice(1), isWaitedFor: false }
  assert.equal(availabilityOf(alone, 'b').state, 'unknown')
})

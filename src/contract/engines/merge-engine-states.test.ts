import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeEngineStates, mergePools } from './merge-engine-states.ts'

const STATE = { healthy: true, slots: 16, slots_in_use: 3, ejections: 1 }

test('capacity is the same for all processes, what they use adds up', () => {
  const [one, two] = [
    { ...STATE, capacity: 16, found: 12, leased: 5, first_token_ms: 100, waiting_inside: 2 },
    { ...STATE, capacity: 16, found: 12, leased: 7, first_token_ms: 200, waiting_inside: null },
  ]
  const merged = mergeEngineStates([one, two])
  const { capacity, found, leased, running, firstTokenMs, waitingInside } = merged
  assert.deepEqual(
    { capacity, found, leased, running, firstTokenMs, waitingInside },
    { capacity: 16, found: 12, leased: 12, running: 6, firstTokenMs: 150, waitingInside: 2 },
  )
})

test('a process of an older release tells its own slots only', () => {
  const { capacity, found, leased, running, state, since, tokensPerSecond } = mergeEngineStates([
    STATE,
    { ...STATE, healthy: false },
  ])
  assert.deepEqual([capacity, found, leased, running], [32, 32, 6, 6])
  assert.deepEqual([state, since, tokensPerSecond], ['ejected', null, null])
})

test('the state that matters most is shown, with its own time and reason', () => {
  const merged = mergeEngineStates([
    { ...STATE, state: 'ready', since: '2026-01-01T00:00:00.000Z', reason: 'started' },
    { ...STATE, state: 'ejected', since: '2026-01-02T00:00:00.000Z', reason: 'refused' },
    { ...STATE, state: 'ejected', since: '2026-01-01T12:00:00.000Z' },
  ])
  assert.equal(merged.state, 'ejected')
  assert.equal(merged.since, '2026-01-01T12:00:00.000Z')
  assert.equal(merged.reason, 'refused')
})

test('faults add up; organizations are not counted twice', () => {
  const { faults } = mergeEngineStates([
    { ...STATE, faults: { status: { count: 2, organizations: 1 } } },
    { ...STATE, faults: { status: { count: 3, organizations: 2 } } },
  ])
  assert.deepEqual(faults, { status: { count: 5, organizations: 2 } })
})

test('queues add up, and shares are of the tokens of all processes', () => {
  const pool = { waiting: 2, running: 3, expected_wait_seconds: 1.5, refusals: { timed_out: 1 } }
  const merged = mergePools([
    { ...pool, tokens: 100, heaviest: [{ organization_id: 'a', tokens: 100 }] },
    {
      ...pool,
      expected_wait_seconds: 0.5,
      tokens: 300,
      heaviest: [
        { organization_id: 'b', tokens: 200 },
        { organization_id: 'a', tokens: 100 },
      ],
    },
  ])
  assert.deepEqual(merged, {
    waiting: 4,
    running: 6,
    expected_wait_seconds: 1.5,
    refusals: { timed_out: 2 },
    tokens: 400,
    heaviest: [
      { organization_id: 'a', share: 0.5 },
      { organization_id: 'b', share: 0.5 },
    ],
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeEngines, mergeQueues, stateOf } from './merge-engines.ts'

const state = { healthy: true, slots: 16, slots_in_use: 3, ejections: 1, capacity: 16 }
const settings = {
  engines: [
    { name: 'one', kind: 'vllm' },
    { name: 'two', kind: 'sglang' },
  ],
  models: [{ id: 'acme/large', engines: ['one'] }],
}
const order = {
  engine: 'two',
  state: 'draining',
  since: '2026-05-01T12:00:00.000Z',
  by: 'ann',
  note: null,
} as const

test('what processes use adds up, what the engine has does not', () => {
  const process = { reachable: true, pools: {} }
  const rows = mergeEngines(
    [
      {
        ...process,
        url: 'http://a:9090',
        engines: [{ name: 'one', state, missing: ['json_schema'] }],
      },
      {
        ...process,
        url: 'http://b:9090',
        engines: [{ name: 'one', state: { ...state, healthy: false }, missing: null }],
      },
    ],
    [order],
    settings,
  )
  const [one, two, ...others] = rows
  assert.ok(one && two)
  assert.deepEqual(others, [])
  assert.equal(one.kind, 'vllm')
  assert.deepEqual(one.models, ['acme/large'])
  assert.deepEqual(one.shares, [
    { process: 'a:9090', inUse: 3 },
    { process: 'b:9090', inUse: 3 },
  ])
  assert.deepEqual([one.merged?.capacity, one.merged?.running], [16, 6])
  assert.deepEqual([stateOf(one), one.missing], ['ejected', ['json_schema']])
  // No process told of it, but an order is in force.
  assert.deepEqual([two.merged, two.missing, stateOf(two)], [null, null, 'draining'])
})

test('an engine that only a process knows is shown too', () => {
  const engines = [{ name: 'old', state: null, missing: [] }]
  const rows = mergeEngines(
    [{ url: 'not a url', reachable: true, engines, pools: {} }],
    [],
    undefined,
  )
  assert.deepEqual(
    rows.map(({ name, kind, merged, missing }) => ({ name, kind, merged, missing })),
    [{ name: 'old', kind: null, merged: null, missing: [] }],
  )
})

test('queues of the same model add up', () => {
  const pool = {
    waiting: 1,
    running: 2,
    expected_wait_seconds: 0.5,
    refusals: {},
    tokens: 10,
    heaviest: [],
  }
  const process = { reachable: true, engines: [] }
  const rows = mergeQueues([
    { ...process, url: 'http://a:9090', pools: { m: pool } },
    { ...process, url: 'http://b:9090', pools: { m: pool } },
  ])
  assert.deepEqual(
    rows.map(({ model, waiting, running }) => ({ model, waiting, running })),
    [{ model: 'm', waiting: 2, running: 4 }],
  )
})

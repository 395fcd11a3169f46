import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeEngines } from './merge-engines.ts'

const state = { healthy: true, slots: 16, slots_in_use: 3, ejections: 1 }
const settings = {
  engines: [
    { name: 'one', kind: 'vllm' },
    { name: 'two', kind: 'sglang' },
  ],
  models: [{ id: 'acme/large', engines: ['one'] }],
}

test('slots of all processes add up, and who ejected an engine is named', () => {
  const rows = mergeEngines(
    [
      {
        url: 'http://a:9090',
        reachable: true,
        engines: [{ name: 'one', state, missing: ['json_schema'] }],
      },
      {
        url: 'http://b:9090',
        reachable: true,
        engines: [{ name: 'one', state: { ...state, healthy: false }, missing: null }],
      },
    ],
    settings,
  )
  const [one, two] = rows
  assert.equal(rows.length, 2)
  assert.deepEqual(
    { ...one },
    {
      name: 'one',
      kind: 'vllm',
      models: ['acme/large'],
      shares: [
        { process: 'a:9090', inUse: 3 },
        { process: 'b:9090', inUse: 3 },
      ],
      slots: 32,
      inUse: 6,
      ejections: 2,
      ejectedBy: ['b:9090'],
      missing: ['json_schema'],
    },
  )
  assert.equal(two?.slots, null)
  assert.equal(two?.missing, null)
})

test('an engine that only a process knows is shown too', () => {
  const rows = mergeEngines(
    [{ url: 'not a url', reachable: true, engines: [{ name: 'old', state: null, missing: [] }] }],
    undefined,
  )
  assert.deepEqual(
    rows.map(({ name, kind, slots, missing }) => ({ name, kind, slots, missing })),
    [{ name: 'old', kind: null, slots: null, missing: [] }],
  )
})

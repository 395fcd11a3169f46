import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EngineRow } from '../engines/merge-engines.ts'
import { findAccess, findSteps, type Facts } from './find-steps.ts'

const READY = {
  name: 'gpu-1',
  kind: 'vllm',
  models: ['example/large'],
  shares: [],
  merged: { state: 'ready' },
  order: null,
  missing: [],
} as unknown as EngineRow

const WHOLE = {
  console: {
    public_url: 'https://console.example.com',
    api_url: 'https://api.example.com/compat/v1',
    email_from: 'service@example.com',
    contact: 'help@example.com',
  },
}

const ALL: Facts = {
  engines: [READY],
  isTested: true,
  settings: WHOLE,
  hasSecondFactor: true,
  operators: 2,
}

test('every step of a service that is set up is done', () => {
  assert.ok(Object.values(findSteps(ALL)).every(Boolean))
})

test('a step is done only by what the service reports', () => {
  const undone = (change: Partial<Facts>) => {
    const steps = findSteps({ ...ALL, ...change })
    return Object.entries(steps).flatMap(([name, isDone]) => (isDone ? [] : [name]))
  }
  const drained = { ...READY, order: { engine: 'gpu-1', state: 'draining' } } as EngineRow
  assert.deepEqual(undone({ engines: [] }), ['engine', 'model'])
  assert.deepEqual(undone({ engines: [{ ...READY, merged: null }] }), ['engine', 'model'])
  assert.deepEqual(undone({ engines: [drained] }), ['engine', 'model'])
  assert.deepEqual(undone({ engines: [{ ...READY, models: [] }] }), ['model'])
  assert.deepEqual(undone({ isTested: false }), ['test'])
  assert.deepEqual(undone({ hasSecondFactor: false }), ['operators'])
  assert.deepEqual(undone({ operators: 1 }), ['operators'])
  assert.deepEqual(undone({ settings: {} }), ['access'])
})

test('the default address of the console is not one that people outside can reach', () => {
  const settings = { console: { ...WHOLE.console, public_url: 'http://localhost:8081' } }
  assert.equal(findAccess(settings).public_url, false)
  assert.equal(findAccess(WHOLE).public_url, true)
})

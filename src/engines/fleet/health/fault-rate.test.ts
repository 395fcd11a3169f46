import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../../adapters/engine.ts'
import { createEngineHealth } from './engine-health.ts'
import type { StatesReport } from './engine-states.ts'
import { createFaultRate } from './fault-rate.ts'
import { createFleetStates } from './fleet-states.ts'

test('one dead worker of two is no high rate, all dead are', () => {
  const rate = createFaultRate(() => 0)
  for (let turn = 0; turn < 40; turn += 1) {
    rate.add('failed')
    assert.equal(rate.isHigh(), false)
    rate.add('succeeded')
  }
  for (let turn = 0; turn < 40; turn += 1) rate.add('failed')
  assert.equal(rate.isHigh(), true)
})

test('old failures, and those before a check that passed, are forgotten', () => {
  let nowMs = 0
  const rate = createFaultRate(() => nowMs)
  const fail = () => {
    for (let turn = 0; turn < 8; turn += 1) rate.add('failed')
    assert.equal(rate.isHigh(), true)
  }
  fail()
  nowMs = 10_000
  assert.equal(rate.isHigh(), false)
  fail()
  rate.passed()
  assert.equal(rate.isHigh(), false)
})

function healthOf(workers: 'one' | 'many') {
  const states = createFleetStates({ check: () => undefined, pools: () => [] })
  const health = createEngineHealth({ states, id: 'a b c', slots: 4, workers })
  const isUsed = () => health.isHealthy(performance.now())
  const reported = () =>
    (states.part.report({ whole: false, figures: true }) as StatesReport).events.map(
      ({ kind }) => kind,
    )
  return { health, isUsed, reported }
}

const refused = () => {
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  return new EngineError('connection', 'a', 'the connection failed', cause)
}

test('a refused connection ends the use of one server at once, of many when most fail', () => {
  const one = healthOf('one')
  one.health.failed(refused(), 'o')
  assert.equal(one.isUsed(), false)
  const many = healthOf('many')
  for (let turn = 0; turn < 20; turn += 1) {
    many.health.failed(refused(), 'o')
    many.health.succeeded()
  }
  assert.equal(many.isUsed(), true)
  for (let turn = 0; turn < 64; turn += 1) many.health.failed(refused(), 'o')
  assert.equal(many.isUsed(), false)
})

test('a slow start says nothing about many workers', () => {
  const reportedBy = (workers: 'one' | 'many') => {
    const { health, reported } = healthOf(workers)
    for (let turn = 0; turn < 10; turn += 1) health.answered(10, 1_000, 'o')
    health.answered(60_000, 1_000, 'o')
    return reported()
  }
  assert.deepEqual([reportedBy('one'), reportedBy('many')], [['fault'], []])
})

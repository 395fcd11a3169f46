import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../../adapters/engine.ts'
import { createEngineHealth } from './engine-health.ts'
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
  return createEngineHealth({ states, id: 'a b c', slots: 4, workers })
}

const refused = () => {
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  return new EngineError('connection', 'a', 'the connection failed', cause)
}

test('a refused connection ejects one server at once, many only when most fail', () => {
  const one = healthOf('one')
  one.failed(refused(), 'o')
  assert.equal(one.view.state, 'ejected')
  const many = healthOf('many')
  for (let turn = 0; turn < 20; turn += 1) {
    many.failed(refused(), 'o')
    many.succeeded()
  }
  assert.equal(many.view.state, 'ready')
  for (let turn = 0; turn < 64; turn += 1) many.failed(refused(), 'o')
  assert.equal(many.view.state, 'ejected')
})

test('a slow start says nothing about many workers', () => {
  const stateAfter = (workers: 'one' | 'many') => {
    const health = healthOf(workers)
    for (let turn = 0; turn < 10; turn += 1) health.answered(10, 1_000, 'o')
    health.answered(60_000, 1_000, 'o')
    return health.view.state
  }
  assert.deepEqual([stateAfter('one'), stateAfter('many')], ['suspect', 'ready'])
})

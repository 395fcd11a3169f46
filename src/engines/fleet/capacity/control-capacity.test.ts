import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { keepLines } from '../../../../test/harness/lines.ts'
import { EngineError, type EngineLoad } from '../../adapters/engine.ts'
import { controlCapacity } from './control-capacity.ts'

type Report = { readonly ask: readonly string[]; readonly found: Readonly<Record<string, number>> }

/** An engine of 16 slots. */
function openControl(t: TestContext, load: () => EngineLoad) {
  const state = { watched: true }
  const readings = new EventEmitter()
  const { lines, log } = keepLines()
  const engine = {
    name: 'one',
    slots: 16,
    async readLoad() {
      setImmediate(() => readings.emit('read'))
      return load()
    },
  }
  const control = controlCapacity(
    () => [engine],
    () => state.watched,
    log,
  )
  const stopping = new AbortController()
  t.after(() => stopping.abort())
  void control.run(stopping.signal)
  const { part } = control
  const report = (whole = false) => part.report({ whole, figures: true }) as Report
  const reads = async (count: number) => {
    for (let read = 0; read < count; read += 1) await once(readings, 'read')
  }
  return { state, lines, part, report, reads }
}

test('a controller goes on with what was found before, and tells changes', async (t) => {
  const { part, report, reads } = openControl(t, () => ({ running: 9, waiting: 3 }))
  assert.deepEqual(report(), { ask: ['one'], found: {} })
  part.accept({ one: 12 })
  assert.deepEqual(report(), { ask: [], found: {} })
  await reads(2)
  assert.deepEqual(report(), { ask: [], found: { one: 9 } })
  assert.deepEqual(report(), { ask: [], found: {} })
  assert.deepEqual(report(true), { ask: [], found: { one: 9 } })
})

test('an engine that is no longer watched is not read, and asked for again later', async (t) => {
  const { state, part, report, reads } = openControl(t, () => ({ running: 16, waiting: 0 }))
  part.accept({ one: 0 })
  await reads(1)
  assert.deepEqual(report(true), { ask: [], found: { one: 0 } })
  state.watched = false
  assert.deepEqual(report(true), { ask: [], found: {} })
  state.watched = true
  assert.deepEqual(report(true), { ask: ['one'], found: {} })
})

test('metrics that cannot be read keep the capacity, and are logged once', async (t) => {
  const { lines, part, report, reads } = openControl(t, () => {
    throw new EngineError('refused', 'one', 'responded 404')
  })
  part.accept({ one: 12 })
  await reads(3)
  assert.deepEqual(report(true), { ask: [], found: { one: 12 } })
  assert.equal(lines.length, 1)
})

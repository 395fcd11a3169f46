import assert from 'node:assert/strict'
import { mock, test, type TestContext } from 'node:test'
import { ClientGone } from '../http/call.ts'
import { GenerationTimeouts } from './generation-timeouts.ts'

const LIMITS = { firstTokenMs: 1_000, idleMs: 100, totalMs: 5_000 }

/** A generation whose time passes only by `pass`. */
function start(t: TestContext, idleMs = LIMITS.idleMs) {
  let nowMs = 0
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const client = new AbortController()
  const timeouts = new GenerationTimeouts(
    { ...LIMITS, idleMs },
    client.signal,
    'engine',
    () => nowMs,
  )
  const pass = (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1) {
      nowMs += 1
      mock.timers.tick(1)
    }
  }
  const reason = () => (timeouts.signal.reason as Error | undefined)?.message
  return { timeouts, client, pass, reason }
}

test('an engine without a first token is aborted in time, and not earlier', (t) => {
  const { pass, reason } = start(t)
  pass(999)
  assert.equal(reason(), undefined)
  pass(1)
  assert.equal(reason(), 'no first token in time')
})

test('after its first token an engine may pause for the idle time, and not longer', (t) => {
  const { timeouts, pass, reason } = start(t)
  pass(10)
  for (let piece = 0; piece < 5; piece += 1) {
    timeouts.pauseIdle()
    timeouts.resumeIdle()
    pass(99)
    assert.equal(reason(), undefined)
  }
  pass(1)
  assert.equal(reason(), 'no further piece in time')
})

test('while the client is behind, no time of the engine passes', (t) => {
  const { timeouts, pass, reason } = start(t)
  timeouts.pauseIdle()
  pass(1_234)
  timeouts.resumeIdle()
  pass(99)
  assert.equal(reason(), undefined)
  pass(1)
  assert.equal(reason(), 'no further piece in time')
})

test('the total time is the engine’s: that of a client that is behind does not count', (t) => {
  const { timeouts, pass, reason } = start(t, 6_000)
  pass(900)
  timeouts.pauseIdle()
  pass(10_000)
  timeouts.resumeIdle()
  pass(2_000)
  timeouts.pauseIdle()
  pass(10_000)
  timeouts.resumeIdle()
  pass(2_099)
  assert.equal(reason(), undefined)
  pass(1)
  assert.equal(reason(), 'not finished in time')
})

test('an end marker that does not follow is missing after two seconds', (t) => {
  const { timeouts, pass, reason } = start(t, 3_000)
  timeouts.pauseIdle()
  timeouts.expectEnd()
  pass(1_999)
  assert.deepEqual([reason(), timeouts.isEndMissing], [undefined, false])
  pass(1)
  assert.deepEqual([reason(), timeouts.isEndMissing], ['no end marker in time', true])
})

test('a client that leaves aborts with its own reason; disposal ends everything', (t) => {
  const first = start(t)
  const gone = new ClientGone('left')
  first.client.abort(gone)
  assert.equal(first.timeouts.signal.reason, gone)
  mock.timers.reset()
  const second = start(t)
  second.timeouts[Symbol.dispose]()
  second.client.abort(gone)
  second.pass(6_000)
  assert.equal(second.timeouts.signal.aborted, false)
})

test('a generation is aborted once, and a listener that was removed is not called', (t) => {
  const { timeouts, client, pass, reason } = start(t)
  const calls: string[] = []
  const [removed, added] = ['removed', 'added'].map((name) => ({
    handleEvent: () => void calls.push(name),
  })) as [{ handleEvent(): void }, { handleEvent(): void }]
  timeouts.signal.addEventListener('abort', removed)
  assert.throws(() => timeouts.signal.addEventListener('abort', added), /second listener/)
  timeouts.signal.removeEventListener('abort', removed)
  timeouts.signal.addEventListener('abort', added)
  pass(1_000)
  client.abort(new ClientGone('left'))
  assert.deepEqual([calls, reason()], [['added'], 'no first token in time'])
})

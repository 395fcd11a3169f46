import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError, type StopSignal } from '../engine.ts'
import type { PieceBatch } from '../piece.ts'
import { readOn } from './read-on.ts'

const batch: PieceBatch = { pieces: [{ type: 'text', text: 'word' }], progress: undefined }

/** A generation whose batches come when the test says so. */
function scripted() {
  let waiting = Promise.withResolvers<boolean>()
  const state = { read: 0, stopped: false, ended: false }
  async function* batches() {
    while (await waiting.promise) {
      waiting = Promise.withResolvers<boolean>()
      state.read += 1
      yield batch
    }
  }
  const start = async (signal: StopSignal) => {
    signal.addEventListener('abort', {
      handleEvent: () => {
        state.stopped = true
        waiting.reject(signal.reason)
      },
    })
    return batches()
  }
  return { state, start, send: () => waiting.resolve(true), end: () => waiting.resolve(false) }
}

test('a generation whose client left is read to its end', async () => {
  const { state, start, send, end } = scripted()
  const client = new AbortController()
  let ended: Promise<void> | undefined
  const batches = await readOn(start, client.signal, 'e', (promise) => void (ended = promise))
  const reading = batches[Symbol.asyncIterator]()
  send()
  assert.equal((await reading.next()).value, batch)
  const next = reading.next()
  client.abort(new Error('gone'))
  await assert.rejects(next, /gone/)
  let isOver = false
  void ended?.then(() => void (isOver = true))
  send()
  await new Promise(setImmediate)
  assert.deepEqual([state.read, state.stopped, isOver], [2, false, false])
  end()
  await ended
})

test('a client that leaves before the first token leaves the engine at work', async () => {
  const { start, end } = scripted()
  const client = new AbortController()
  const opened = Promise.withResolvers<void>()
  let ended: Promise<void> | undefined
  const late = async (signal: StopSignal) => {
    await opened.promise
    return start(signal)
  }
  const reading = readOn(late, client.signal, 'e', (promise) => void (ended = promise))
  client.abort(new Error('gone'))
  await assert.rejects(reading, /gone/)
  opened.resolve()
  end()
  await ended
})

test('a generation that times out is stopped at once', async () => {
  const { state, start } = scripted()
  const timeout = new AbortController()
  const onLeft = () => assert.fail('nothing goes on')
  const batches = await readOn(start, timeout.signal, 'e', onLeft)
  const next = batches[Symbol.asyncIterator]().next()
  timeout.abort(new EngineError('transport', 'e', 'timeout'))
  await assert.rejects(next, /timeout/)
  assert.equal(state.stopped, true)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteSource } from './byte-source.ts'
import type { PausedReader } from './read-pauses.ts'

function createSource() {
  const calls: string[] = []
  const flow = {
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
    abort: () => void calls.push('abort'),
  }
  const paused: PausedReader[] = []
  const source = new ByteSource(flow, { pause: (stream) => paused.push(stream) > 0 })
  return { source, calls, paused }
}

const bytes = (length: number) => Buffer.alloc(length)

test('an iteration yields everything since the last one, and the end comes after it', async () => {
  const { source } = createSource()
  source.push(bytes(1))
  source.push(bytes(2))
  source.end()
  assert.deepEqual(
    (await source.next()).value?.map((chunk) => chunk.length),
    [1, 2],
  )
  assert.equal((await source.next()).done, true)
})

test('one network read is one iteration', async () => {
  const { source } = createSource()
  const turn = source.next()
  source.push(bytes(1))
  source.push(bytes(2))
  assert.equal((await turn).value?.length, 2)
})

test('received data is delivered immediately, before the stream is paused', async () => {
  const { source, calls, paused } = createSource()
  const first = source.next()
  source.push(bytes(1))
  assert.equal((await first).value?.length, 1)
  assert.deepEqual([calls, paused], [[], []])
  source.allowPauses()
  const second = source.next()
  source.push(bytes(1))
  source.push(bytes(1))
  assert.equal((await second).value?.length, 2)
  assert.equal(paused.length, 1)
  assert.deepEqual(calls, ['pause'])
  paused[0]?.resumeReads()
  assert.deepEqual(calls, ['pause', 'resume'])
})

test('after its pause a stream stays paused while its reader is behind', async () => {
  const { source, calls, paused } = createSource()
  source.allowPauses()
  source.push(bytes(65_537))
  paused[0]?.resumeReads()
  assert.deepEqual(calls, ['pause'])
  await source.next()
  assert.deepEqual(calls, ['pause', 'resume'])
})

test('the end or an error reaches a waiting reader after all data', async () => {
  const { source } = createSource()
  const last = source.next()
  source.push(bytes(3))
  source.fail(new Error('broken'))
  assert.equal((await last).value?.length, 1)
  await assert.rejects(source.next(), /broken/)
  const waiting = createSource()
  const turn = waiting.source.next()
  waiting.source.end()
  assert.equal((await turn).done, true)
})

test('a reader that is behind pauses the network until it catches up', async () => {
  const { source, calls } = createSource()
  source.push(bytes(65_536))
  assert.deepEqual(calls, [])
  source.push(bytes(1))
  assert.deepEqual(calls, ['pause'])
  await source.next()
  assert.deepEqual(calls, ['pause', 'resume'])
})

test('data pushed while the network resumes can pause it again', async () => {
  const held = [bytes(65_537), bytes(1)]
  const flow = {
    isPaused: false,
    pause() {
      this.isPaused = true
    },
    resume() {
      this.isPaused = false
      pushHeld()
    },
    abort: () => undefined,
  }
  const source = new ByteSource(flow, { pause: () => false })
  const pushHeld = () => {
    for (let next = held.shift(); next !== undefined; next = held.shift()) {
      source.push(next)
      if (flow.isPaused) return
    }
  }
  source.push(bytes(65_537))
  const lengths: (number | undefined)[] = []
  while (lengths.length < 3) lengths.push((await source.next()).value?.[0]?.length)
  assert.deepEqual(lengths, [65_537, 65_537, 1])
})

test('ending the iteration early aborts, unless all data has arrived', async () => {
  const open = createSource()
  await open.source.return()
  assert.deepEqual(open.calls, ['abort'])
  const ended = createSource()
  ended.source.end()
  await ended.source.return()
  assert.deepEqual(ended.calls, [])
})

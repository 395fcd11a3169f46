import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteSource } from './byte-source.ts'
import type { PausedReader } from './read-pauses.ts'

function createSource() {
  const said: string[] = []
  const flow = {
    pause: () => void said.push('pause'),
    resume: () => void said.push('resume'),
    abort: () => void said.push('abort'),
  }
  const paused: PausedReader[] = []
  const source = new ByteSource(flow, { pause: (stream) => paused.push(stream) > 0 })
  return { source, said, paused }
}

const bytes = (length: number) => Buffer.alloc(length)

test('a turn brings all that came since the last one, and the end comes after it', async () => {
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

test('what comes in one read of the network comes in one turn', async () => {
  const { source } = createSource()
  const turn = source.next()
  source.push(bytes(1))
  source.push(bytes(2))
  assert.equal((await turn).value?.length, 2)
})

test('what was read is passed on at once, before the stream is paused', async () => {
  const { source, said, paused } = createSource()
  const first = source.next()
  source.push(bytes(1))
  assert.equal((await first).value?.length, 1)
  assert.deepEqual([said, paused], [[], []])
  source.allowPauses()
  const second = source.next()
  source.push(bytes(1))
  source.push(bytes(1))
  assert.equal((await second).value?.length, 2)
  assert.equal(paused.length, 1)
  assert.deepEqual(said, ['pause'])
  paused[0]?.resumeReads()
  assert.deepEqual(said, ['pause', 'resume'])
})

test('after its pause a stream stays stopped while its reader is far behind', async () => {
  const { source, said, paused } = createSource()
  source.allowPauses()
  source.push(bytes(65_537))
  paused[0]?.resumeReads()
  assert.deepEqual(said, ['pause'])
  await source.next()
  assert.deepEqual(said, ['pause', 'resume'])
})

test('the end and a fault wake a reader, after what had come', async () => {
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

test('a reader that is far behind stops the network, and starts it again', async () => {
  const { source, said } = createSource()
  source.push(bytes(65_536))
  assert.deepEqual(said, [])
  source.push(bytes(1))
  assert.deepEqual(said, ['pause'])
  await source.next()
  assert.deepEqual(said, ['pause', 'resume'])
})

test('what is pushed while the network starts again can stop it once more', async () => {
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

test('who reads no further abandons the rest, unless it has all come', async () => {
  const open = createSource()
  await open.source.return()
  assert.deepEqual(open.said, ['abort'])
  const ended = createSource()
  ended.source.end()
  await ended.source.return()
  assert.deepEqual(ended.said, [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteSource, type Flow } from './byte-source.ts'
import type { PausedReader } from './read-pauses.ts'

function createSource(others: Partial<Flow> = {}) {
  const calls: string[] = []
  const flow = {
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
    abort: () => void calls.push('abort'),
    ...others,
  }
  const paused: PausedReader[] = []
  const pauses = { pause: (stream: PausedReader) => paused.push(stream) > 0 }
  const source = new ByteSource(flow)
  const push = (length: number) => source.push(Buffer.alloc(length + 2), 1, length + 1)
  return { source, calls, paused, pauses, push }
}

/** Reads, and notes the lengths of what arrives. */
function readLengths(source: ByteSource) {
  const lengths: number[] = []
  source.read((_bytes, start, end) => void lengths.push(end - start))
  return lengths
}

test('bytes are passed on at once, and the end comes after them', async () => {
  const { source, push } = createSource()
  const lengths = readLengths(source)
  push(1)
  assert.deepEqual(lengths, [1])
  push(2)
  source.end()
  assert.deepEqual(lengths, [1, 2])
  assert.equal((await source.next()).done, false)
  assert.equal((await source.next()).done, true)
})

test('what arrives before anyone reads is kept, even if its buffer is used again', async () => {
  const { source } = createSource()
  const shared = Buffer.from('xearlyx')
  source.push(shared, 1, 6)
  shared.fill('?')
  let text = ''
  source.read((bytes, start, end) => (text += bytes.toString('utf8', start, end)))
  source.push(Buffer.from('+late'), 0, 5)
  assert.equal(text, 'early+late')
  assert.equal((await source.next()).done, false)
})

test('one network read is one iteration', async () => {
  const { source, push } = createSource()
  readLengths(source)
  const turn = source.next()
  push(1)
  push(2)
  assert.equal((await turn).done, false)
  source.end()
  assert.equal((await source.next()).done, true)
})

test('received data is delivered immediately, before the stream is paused', async () => {
  const { source, calls, paused, pauses, push } = createSource()
  const lengths = readLengths(source)
  const first = source.next()
  push(1)
  await first
  assert.deepEqual([calls, paused], [[], []])
  source.allowPauses(pauses)
  const second = source.next()
  push(1)
  push(1)
  await second
  assert.deepEqual(lengths, [1, 1, 1])
  assert.equal(paused.length, 1)
  assert.deepEqual(calls, ['pause'])
  paused[0]?.resumeReads()
  assert.deepEqual(calls, ['pause', 'resume'])
})

test('after its pause a stream stays paused while its reader is behind', async () => {
  const { source, calls, paused, pauses, push } = createSource()
  readLengths(source)
  source.allowPauses(pauses)
  push(65_537)
  paused[0]?.resumeReads()
  assert.deepEqual(calls, ['pause'])
  await source.next()
  assert.deepEqual(calls, ['pause', 'resume'])
})

test('the end or an error reaches a waiting reader after all data', async () => {
  const { source, push } = createSource()
  readLengths(source)
  const last = source.next()
  push(3)
  source.fail(new Error('broken'))
  assert.equal((await last).done, false)
  await assert.rejects(source.next(), /broken/)
  const waiting = createSource()
  const turn = waiting.source.next()
  waiting.source.end()
  assert.equal((await turn).done, true)
})

test('what the reader throws ends the iteration at once and aborts', async () => {
  const { source, calls, push } = createSource()
  let taken = 0
  source.read(() => {
    taken += 1
    throw new Error('malformed')
  })
  const turn = source.next()
  push(1)
  push(1)
  await assert.rejects(turn, /malformed/)
  assert.deepEqual([taken, calls], [1, ['abort']])
})

test('a reader that is behind pauses the network until it catches up', async () => {
  const { source, calls, push } = createSource()
  readLengths(source)
  push(65_536)
  assert.deepEqual(calls, [])
  push(1)
  assert.deepEqual(calls, ['pause'])
  await source.next()
  assert.deepEqual(calls, ['pause', 'resume'])
})

test('data pushed while the network resumes can pause it again', async () => {
  const held = [65_537, 1]
  let isPaused = false
  const { source, push } = createSource({
    pause: () => void (isPaused = true),
    resume() {
      isPaused = false
      for (let next = held.shift(); next !== undefined; next = held.shift()) {
        push(next)
        if (isPaused) return
      }
    },
  })
  const lengths = readLengths(source)
  push(65_537)
  const taken: number[] = []
  while (taken.length < 3) {
    await source.next()
    taken.push(lengths.length)
  }
  assert.deepEqual(lengths, [65_537, 65_537, 1])
  assert.deepEqual(taken, [2, 3, 3])
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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteSource, type BodyReader, type Flow } from './byte-source.ts'
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
  /** A network read that brings parts of these lengths. */
  const receive = (...parts: number[]) => {
    for (const length of parts) push(length)
    source.endRead()
  }
  return { source, calls, paused, pauses, push, receive }
}

/** Reads; each batch is the number of bytes since the last one. Notes the lengths that arrive. */
function readLengths(source: ByteSource, others: Partial<BodyReader<number>> = {}) {
  const lengths: number[] = []
  let bytes = 0
  source.read({
    take(_bytes, start, end) {
      lengths.push(end - start)
      bytes += end - start
    },
    takeBatch() {
      const batch = bytes === 0 ? undefined : bytes
      bytes = 0
      return batch
    },
    isOver: () => false,
    onEnd: () => undefined,
    ...others,
  })
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
  assert.deepEqual(await source.next(), { done: false, value: 3 })
  assert.equal((await source.next()).done, true)
})

test('what arrives before anyone reads is kept, even if its buffer is used again', async () => {
  const { source } = createSource()
  const shared = Buffer.from('xearlyx')
  source.push(shared, 1, 6)
  shared.fill('?')
  let text = ''
  readLengths(source, {
    take: (bytes, start, end) => void (text += bytes.toString('utf8', start, end)),
  })
  source.push(Buffer.from('+late'), 0, 5)
  assert.equal(text, 'early+late')
})

test('one network read is one iteration', async () => {
  const { source, receive } = createSource()
  readLengths(source)
  const turn = source.next()
  receive(1, 2)
  assert.deepEqual(await turn, { done: false, value: 3 })
  source.end()
  assert.equal((await source.next()).done, true)
})

test('a network read without a batch is no iteration', async () => {
  const { source, receive } = createSource()
  let batch: number | undefined
  readLengths(source, { takeBatch: () => batch })
  const turn = source.next()
  receive(1)
  batch = 7
  receive(1)
  assert.deepEqual(await turn, { done: false, value: 7 })
})

test('received data is delivered immediately, before the stream is paused', async () => {
  const { source, calls, paused, pauses, receive } = createSource()
  const lengths = readLengths(source)
  const first = source.next()
  receive(1)
  await first
  assert.deepEqual([calls, paused], [[], []])
  source.allowPauses(pauses)
  const second = source.next()
  receive(1, 1)
  await second
  assert.deepEqual(lengths, [1, 1, 1])
  assert.equal(paused.length, 1)
  assert.deepEqual(calls, ['pause'])
  paused[0]?.resumeReads()
  assert.deepEqual(calls, ['pause', 'resume'])
})

test('after its pause a stream stays paused while its reader is behind', async () => {
  const { source, calls, paused, pauses, receive } = createSource()
  readLengths(source)
  source.allowPauses(pauses)
  receive(65_537)
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
  const { source, calls, receive } = createSource()
  let taken = 0
  readLengths(source, {
    take() {
      taken += 1
      throw new Error('malformed')
    },
  })
  const turn = source.next()
  receive(1, 1)
  await assert.rejects(turn, /malformed/)
  assert.deepEqual([taken, calls], [1, ['abort']])
})

test('an end that the reader does not accept is an error', async () => {
  const { source } = createSource()
  readLengths(source, {
    onEnd() {
      throw new Error('too early')
    },
  })
  const turn = source.next()
  source.end()
  await assert.rejects(turn, /too early/)
})

test('a reader that needs no more aborts after its last batch', async () => {
  const { source, calls, receive } = createSource()
  readLengths(source, { isOver: () => true })
  receive(1)
  assert.deepEqual(await source.next(), { done: false, value: 1 })
  assert.deepEqual(calls, [])
  assert.equal((await source.next()).done, true)
  assert.deepEqual(calls, ['abort'])
})

test('a reader that is behind pauses the network until it catches up', async () => {
  const { source, calls, receive } = createSource()
  readLengths(source)
  receive(65_536)
  assert.deepEqual(calls, [])
  receive(1)
  assert.deepEqual(calls, ['pause'])
  await source.next()
  assert.deepEqual(calls, ['pause', 'resume'])
})

test('data pushed while the network resumes can pause it again', async () => {
  const held = [65_537, 1]
  let isPaused = false
  const { source, receive } = createSource({
    pause: () => void (isPaused = true),
    resume() {
      isPaused = false
      for (let next = held.shift(); next !== undefined; next = held.shift()) {
        receive(next)
        if (isPaused) return
      }
    },
  })
  const lengths = readLengths(source)
  receive(65_537)
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

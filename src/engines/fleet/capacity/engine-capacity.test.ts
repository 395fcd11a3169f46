import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngineCapacity } from './engine-capacity.ts'

const STEP_MS = 500

/** An engine that runs at most `holds`, and is given as many as its capacity says. */
function openEngine(slots: number, found?: number) {
  const clock = { nowMs: 0 }
  const capacity = createEngineCapacity(slots, found, () => clock.nowMs)
  /** Reads for some time; returns the share of readings with requests that wait inside. */
  const run = (ms: number, holds: number, offered = Infinity) => {
    let [waited, read] = [0, 0]
    for (const endMs = clock.nowMs + ms; clock.nowMs < endMs; read += 1) {
      const given = Math.min(capacity.value, offered)
      const running = Math.min(given, holds)
      waited += given > running ? 1 : 0
      capacity.read({ running, waiting: given - running })
      clock.nowMs += STEP_MS
    }
    return waited / read
  }
  return { clock, capacity, run }
}

test('an engine that runs 10 of 16 is given 10 within 2 s, and then few wait inside', () => {
  const { capacity, run } = openEngine(16)
  run(2_000, 10)
  assert.equal(capacity.value, 10)
  run(8_000, 10)
  assert.ok(run(300_000, 10) <= 0.05)
  assert.ok(capacity.value >= 10)
})

test('5 s without any that wait inside raise the capacity by one, at most to its slots', () => {
  const { capacity, run } = openEngine(16, 10)
  run(5_000, 16)
  assert.equal(capacity.value, 10)
  run(STEP_MS, 16)
  assert.equal(capacity.value, 11)
  run(60_000, 16)
  assert.equal(capacity.value, 16)
})

test('an engine that turns out to run more is soon given all its slots', () => {
  const { capacity, run } = openEngine(256, 1)
  run(60_000, 256)
  assert.equal(capacity.value, 256)
})

/** What vLLM reports with half of its cache in use. */
const ROOMY = { cacheUse: 0.5, preempted: 0 }

test('requests that wait for prompts to be read lower nothing, however often', () => {
  const { capacity } = openEngine(64)
  for (let count = 0; count < 100; count += 1)
    capacity.read({ running: 20 + (count % 9), waiting: 4, ...ROOMY })
  assert.equal(capacity.value, 64)
})

test('an engine that runs the same number for 5 s while others wait is given no more', () => {
  const { capacity } = openEngine(64)
  for (let count = 0; count < 9; count += 1)
    capacity.read({ running: 40 - (count % 2), waiting: 24, ...ROOMY })
  assert.equal(capacity.value, 64)
  capacity.read({ running: 40, waiting: 24, ...ROOMY })
  assert.equal(capacity.value, 40)
})

for (const depth of [1, 6, 40])
  test(`a full cache lowers to what runs, here ${depth} of 256, and 90 % are back in 30 s`, () => {
    const { clock, capacity, run } = openEngine(256)
    for (let running = 200; running > depth; running = Math.ceil(running / 3))
      capacity.read({ running, waiting: 30, cacheUse: 0.99 })
    for (let count = 0; count < 10; count += 1)
      capacity.read({ running: depth, waiting: 30, cacheUse: 0.99 })
    assert.equal(capacity.value, depth)
    const beganMs = clock.nowMs
    while (capacity.value < 0.9 * 256) run(STEP_MS, 256)
    assert.ok(clock.nowMs - beganMs <= 30_000, `${clock.nowMs - beganMs} ms`)
  })

test('requests that an engine stopped lower it at once, and only when they were stopped', () => {
  const { capacity } = openEngine(64)
  capacity.read({ running: 60, waiting: 0, ...ROOMY, preempted: 7 })
  assert.equal(capacity.value, 64)
  capacity.read({ running: 50, waiting: 10, ...ROOMY, preempted: 8 })
  assert.equal(capacity.value, 50)
  capacity.read({ running: 45, waiting: 5, ...ROOMY, preempted: 8 })
  assert.equal(capacity.value, 50)
})

test('the same waiting requests are subtracted once, also from an engine that is not full', () => {
  const { capacity } = openEngine(64)
  for (let count = 0; count < 20; count += 1) capacity.read({ running: 30, waiting: 2 })
  assert.equal(capacity.value, 30)
})

test('an engine that is full is not tried with more', () => {
  const { clock, capacity } = openEngine(64, 20)
  for (let count = 0; count < 100; count += 1) {
    capacity.read({ running: 20, waiting: 0, cacheUse: 0.95 })
    clock.nowMs += STEP_MS
  }
  assert.equal(capacity.value, 20)
})

test('what was found is forgotten when the engine was restarted', () => {
  const { capacity } = openEngine(64, 20)
  capacity.read({ running: 20, waiting: 0, served: 1_000 })
  capacity.missed()
  capacity.read({ running: 1, waiting: 0, served: 3 })
  assert.equal(capacity.value, 64)
})

test('requests that leave the engine only slowly do not lower its capacity further', () => {
  const { capacity } = openEngine(16)
  for (const waiting of [6, 6, 5, 4, 3, 2, 1]) capacity.read({ running: 10, waiting })
  assert.equal(capacity.value, 10)
})

test('requests that wait at one reading only, or a few of many, change nothing', () => {
  const { capacity } = openEngine(16)
  for (const waiting of [3, 0, 2, 0]) capacity.read({ running: 13, waiting })
  assert.equal(capacity.value, 16)
  const large = openEngine(256)
  for (let count = 0; count < 10; count += 1) large.capacity.read({ running: 250, waiting: 6 })
  assert.equal(large.capacity.value, 256)
})

test('an engine that can run nothing is given one request, so that its recovery is seen', () => {
  const { capacity, run } = openEngine(4)
  run(60_000, 0)
  assert.equal(capacity.value, 1)
})

test('readings that fail keep the capacity, and do not count as time without waiting', () => {
  const { clock, capacity } = openEngine(16, 10)
  for (let count = 0; count < 100; count += 1) {
    clock.nowMs += STEP_MS
    capacity.missed()
  }
  capacity.read({ running: 10, waiting: 0 })
  assert.equal(capacity.value, 10)
})

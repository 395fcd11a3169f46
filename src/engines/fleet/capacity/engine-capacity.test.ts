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

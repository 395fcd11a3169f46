import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgress } from './progress.ts'

test('a request that begins or goes on is no sign that an engine works, a piece is', () => {
  let nowMs = 100_000
  const progress = createProgress(() => nowMs)
  progress.began()
  progress.paused()
  progress.resumed()
  assert.equal(progress.lastMs, 0)
  nowMs += 1_000
  progress.progressed()
  assert.equal(progress.lastMs, 101_000)
})

test('an engine is stalled after 20 s without a piece, from when one is awaited', () => {
  let nowMs = 100_000
  const progress = createProgress(() => nowMs)
  assert.equal(progress.isStalled(nowMs), false)
  progress.began()
  assert.equal(progress.isStalled(119_999), false)
  assert.equal(progress.isStalled(120_000), true)
  assert.equal(progress.silentMs, 100_000)
  nowMs = 115_000
  progress.progressed()
  assert.equal(progress.isStalled(120_000), false)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { forEachLimited } from './for-each-limited.ts'

test('every item is processed, and never more at a time than the limit', async () => {
  const seen: number[] = []
  let [running, most] = [0, 0]
  await forEachLimited(3, [1, 2, 3, 4, 5, 6, 7], async (item) => {
    running += 1
    most = Math.max(most, running)
    await turn()
    seen.push(item)
    running -= 1
  })
  assert.deepEqual(seen, [1, 2, 3, 4, 5, 6, 7])
  assert.equal(most, 3)
})

test('a failure is reported only after everything that was running has ended', async () => {
  const ended: string[] = []
  const failing = forEachLimited(2, ['fails', 'slow'], async (item) => {
    if (item === 'fails') throw new Error(item)
    await turn()
    ended.push(item)
  })
  await assert.rejects(failing, /fails/)
  assert.deepEqual(ended, ['slow'])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCallerTurns } from './caller-turns.ts'

test('of one caller 4 requests run and 60 wait, and others do not notice', async () => {
  const turns = createCallerTurns()
  const { promise, resolve } = Promise.withResolvers<void>()
  const seen = { running: 0 }
  const task = async () => {
    seen.running += 1
    await promise
  }
  const flood = Array.from({ length: 64 }, () => turns('flood', task))
  await assert.rejects(turns('flood', task), { kind: 'rate_limit_exceeded' })
  assert.equal(await turns('other', async () => 'done'), 'done')
  assert.equal(seen.running, 4)
  resolve()
  await Promise.all(flood)
  assert.equal(seen.running, 64)
  assert.equal(await turns('flood', async () => 'done'), 'done')
})

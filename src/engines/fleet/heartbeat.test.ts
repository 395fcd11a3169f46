import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from 'node:test'
import { keepLines } from '../../../test/harness/lines.ts'
import { createHeartbeat } from './heartbeat.ts'

test('heartbeats that fail at once leave time for everything else', async () => {
  const exchange = () => Promise.reject(new Error('there is no connection'))
  await using heartbeat = createHeartbeat(exchange, 'process', {}, keepLines().log)
  await heartbeat.start()
  const seen = { turns: 0 }
  void turn().then(() => (seen.turns += 1))
  for (let asked = 0; asked < 1_000 && seen.turns === 0; asked += 1) await heartbeat.next()
  assert.equal(seen.turns, 1, 'the event loop stood still')
})

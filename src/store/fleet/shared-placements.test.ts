import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectValkey, startValkey } from '../../../test/harness/servers/valkey.ts'
import { placedKey } from '../valkey/keys.ts'
import { ValkeyUnavailable, type Valkey } from '../valkey/valkey.ts'
import { openSharedPlacements } from './shared-placements.ts'

test('what one process notes another finds, in the same fleet, for ten minutes', async (t) => {
  const server = await startValkey()
  t.after(() => server[Symbol.asyncDispose]())
  const valkey = await connectValkey([server.url])
  t.after(() => valkey[Symbol.asyncDispose]())
  openSharedPlacements(valkey, 'a').note(4_000_000_001, 3_000_000_002)
  assert.equal(await openSharedPlacements(valkey, 'a').find(4_000_000_001), 3_000_000_002)
  assert.equal(await openSharedPlacements(valkey, 'a').find(1), undefined)
  assert.equal(await openSharedPlacements(valkey, 'b').find(4_000_000_001), undefined)
  const leftMs = Number(await valkey.call('PTTL', [placedKey('a', 4_000_000_001)]))
  assert.ok(leftMs > 0 && leftMs <= 600_000)
})

test('without Valkey nothing is noted, and nothing fails', async () => {
  const call: Valkey['call'] = () => Promise.reject(new ValkeyUnavailable('gone'))
  const placements = openSharedPlacements({ call })
  placements.note(1, 2)
  assert.equal(await placements.find(1), undefined)
})

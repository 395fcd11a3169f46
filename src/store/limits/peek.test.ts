import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { askOf, opening, prepaid, ROOMY } from '../../../test/harness/load/limits-asks.ts'
import { connectValkey, readLoad, startValkey } from '../../../test/harness/servers/valkey.ts'
import { readMeters } from '../../tenancy/meters.ts'
import { organizationKeys } from '../valkey/keys.ts'
import { createLimits } from './limits.ts'
import { createPeek } from './peek.ts'

const server = await startValkey()
const valkey = await connectValkey([server.url])
const limits = createLimits(valkey)

endWithFile(limits, valkey, server)

test('the meters say what the last headers said, and what is reserved', async () => {
  const peek = createPeek(valkey)
  const funds = prepaid({ granted: 10_000, spent: 400 })
  const ask = askOf({ funds, limits: { ...ROOMY, tokensPerMinute: 100, requestsPerDay: 7 } })
  for (let sent = 1; sent <= 4; sent += 1) {
    const decision = await limits.admit(opening(ask, { reserved: 1_000 }))
    assert.ok(decision.kind === 'admitted')
    const peeked = await peek(ask.organizationId)
    // As of the admission: the clock of the server has gone on since.
    const { nowMs, used } = peeked
    const meters = readMeters(ask.limits, funds, { ...peeked, nowMs: used.atMs })
    assert.deepEqual(meters.capacities, decision.capacities)
    assert.deepEqual([meters.balance, meters.reserved, meters.running], [9_600, sent * 1_000, sent])
    assert.ok(nowMs >= used.atMs)
  }
})

test('an organization without requests is full, and peeking writes nothing', async () => {
  const peek = createPeek(valkey)
  const organizationId = crypto.randomUUID()
  const meters = readMeters(ROOMY, prepaid(), await peek(organizationId))
  assert.equal(meters.capacities.tokensPerMinute.remaining, ROOMY.tokensPerMinute)
  assert.equal(meters.capacities.requestsPerMinute.resetMs, 0)
  const { limits: key, funds, version } = organizationKeys(organizationId)
  assert.equal(await valkey.call('EXISTS', [key, funds, version]), 0)
  const earlier = (await readLoad(valkey)).calls
  await peek(organizationId)
  const { calls } = await readLoad(valkey)
  assert.equal((calls.get('evalsha') ?? 0) - (earlier.get('evalsha') ?? 0), 1)
})

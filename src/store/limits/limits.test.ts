import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, suite, test } from 'node:test'
import { ROOMY, askOf, opening } from '../../../test/harness/load/limits-asks.ts'
import {
  connectValkey,
  startValkey,
  startValkeyCluster,
} from '../../../test/harness/servers/valkey.ts'
import { DAY_MS } from '../../lib/time.ts'
import { createLimits } from './limits.ts'
import { raiseVersion } from './raise-version.ts'
import type { LimitsDecision } from '../../tenancy/rate-limits.ts'
import { organizationKeys } from '../valkey/keys.ts'
import { ValkeyReplyError } from '../valkey/valkey.ts'

function countKinds(decisions: readonly LimitsDecision[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { kind } of decisions) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

const server = await startValkey()
const valkey = await connectValkey([server.url])
const limits = createLimits(valkey)
after(async () => {
  await limits[Symbol.asyncDispose]()
  await valkey[Symbol.asyncDispose]()
  await server.kill()
})

suite('limits', () => {
  /** Everything stored for an organization, with its expiry times. */
  async function dump(organizationId: string): Promise<string> {
    const { limits: used, version, open, leases, funds } = organizationKeys(organizationId)
    const replies = [used, version, open, leases, funds].flatMap((key) => [
      valkey.call('DUMP', [key]),
      valkey.call('PEXPIRETIME', [key]),
    ])
    return JSON.stringify(await Promise.all(replies))
  }

  async function openRecords(organizationId: string): Promise<string[]> {
    return (await valkey.call('HVALS', [organizationKeys(organizationId).open])) as string[]
  }

  test('concurrent clients are admitted exactly up to the limit', async () => {
    await using stack = new AsyncDisposableStack()
    const ask = askOf({ limits: { ...ROOMY, requestsPerDay: 100 } })
    const decisions: Promise<LimitsDecision>[] = []
    for (let client = 0; client < 4; client += 1) {
      const own = createLimits(stack.use(await connectValkey([server.url])))
      for (let request = 0; request < 90; request += 1) decisions.push(own.admit(opening(ask)))
    }
    const kinds = countKinds(await Promise.all(decisions))
    assert.deepEqual(kinds, { admitted: 100, refused: 260 })
    const records = await openRecords(ask.organizationId)
    const own = records.filter((record) => record.includes(ask.organizationId))
    assert.equal(own.length, 100)
  })

  test('200: capacities include the request itself', async () => {
    const decision = await limits.admit(askOf({ tokens: 40 }))
    assert.equal(decision.kind, 'admitted')
    const { requestsPerMinute, requestsPerDay, tokensPerMinute, tokensPerDay } = decision.capacities
    assert.deepEqual(requestsPerMinute, { limit: 1_000_000, remaining: 999_999, resetMs: 1 })
    assert.deepEqual(tokensPerMinute, { limit: 1_000_000, remaining: 999_960, resetMs: 3 })
    assert.equal(requestsPerDay.remaining, 999_999)
    assert.equal(tokensPerDay.remaining, 999_960)
    assert.equal(tokensPerDay.resetMs, requestsPerDay.resetMs)
    assert.ok(requestsPerDay.resetMs > 0 && requestsPerDay.resetMs <= DAY_MS)
  })

  test('429: a rejected request writes nothing and counts in no dimension', async () => {
    const ask = askOf({ tokens: 600_000 })
    await limits.admit(opening(ask))
    const untouched = await dump(ask.organizationId)
    const refusal = await limits.admit(opening({ ...ask, fresh: false }))
    assert.ok(refusal.kind === 'refused')
    assert.deepEqual(refusal.violated, ['tokensPerMinute', 'tokensPerDay'])
    assert.equal(refusal.never, false)
    assert.ok(refusal.retryAfterMs > 12_000 && refusal.retryAfterMs <= DAY_MS)
    assert.equal(refusal.capacities.requestsPerDay.remaining, 999_999)
    assert.equal(await dump(ask.organizationId), untouched)
  })

  test('429: a cost above the limit itself is reported as never possible', async () => {
    const refusal = await limits.admit(askOf({ tokens: 1_000_001 }))
    assert.ok(refusal.kind === 'refused' && refusal.never)
    assert.deepEqual(refusal.violated, ['tokensPerMinute', 'tokensPerDay'])
  })

  test('429: a limit of 0 rejects every request that costs anything in it', async () => {
    const noTokens = { ...ROOMY, tokensPerMinute: 0 }
    const noRequests = { ...ROOMY, requestsPerMinute: 0 }
    assert.equal((await limits.admit(askOf({ limits: noTokens, tokens: 0 }))).kind, 'admitted')
    assert.equal((await limits.admit(askOf({ limits: noTokens, tokens: 1 }))).kind, 'refused')
    assert.equal((await limits.admit(askOf({ limits: noRequests, tokens: 0 }))).kind, 'refused')
  })

  test('an identity with a lower version is stale, and nothing is written', async () => {
    const ask = askOf({ version: 7 })
    await limits.admit(ask)
    const untouched = await dump(ask.organizationId)
    const older = await limits.admit({ ...ask, version: 6, fresh: false })
    assert.equal(older.kind, 'stale')
    assert.equal(await dump(ask.organizationId), untouched)
    const same = await limits.admit({ ...ask, fresh: false })
    assert.equal(same.kind, 'admitted')
  })

  test('without a stored version an identity is stale, unless it is fresh', async () => {
    const ask = askOf({ fresh: false })
    const untouched = await dump(ask.organizationId)
    assert.equal((await limits.admit(ask)).kind, 'stale')
    assert.equal(await dump(ask.organizationId), untouched)
    assert.equal((await limits.admit({ ...ask, fresh: true })).kind, 'admitted')
    assert.equal((await limits.admit(ask)).kind, 'admitted')
  })

  test('raising the version makes older identities stale, and never lowers it', async () => {
    const ask = askOf({ version: 3 })
    await limits.admit(ask)
    const { organizationId } = ask
    const raise = (version: number) => raiseVersion(valkey, { organizationId, version })
    assert.deepEqual(await raise(4), { known: 3, acknowledged: true })
    assert.deepEqual(await raise(2), { known: 4, acknowledged: true })
    assert.equal((await limits.admit({ ...ask, fresh: false })).kind, 'stale')
    // A fresh one, read just before the change, may still pass, but makes no cached one valid.
    assert.equal((await limits.admit(ask)).kind, 'admitted')
    assert.equal((await limits.admit({ ...ask, fresh: false })).kind, 'stale')
    assert.equal((await limits.admit({ ...ask, version: 4, fresh: false })).kind, 'admitted')
  })

  test('a plan change keeps the debt', async () => {
    const ask = askOf({ tokens: 500_000 })
    await limits.admit(ask)
    const smaller = { ...ROOMY, tokensPerMinute: 100_000 }
    const refusal = await limits.admit({ ...ask, limits: smaller, tokens: 1 })
    assert.ok(refusal.kind === 'refused')
    assert.equal(refusal.capacities.tokensPerMinute.remaining, 0)
    assert.ok(refusal.retryAfterMs > 200_000 && refusal.retryAfterMs <= 240_001)
    const models = await limits.admit({ ...ask, limits: smaller, tokens: 0 })
    assert.equal(models.kind, 'admitted')
  })

  test('stored state expires after two days, or later if the debt takes longer', async () => {
    const slow = { ...ROOMY, tokensPerMinute: 1 }
    const ask = askOf({ tokens: 10_000 })
    const { limits: used, version } = organizationKeys(ask.organizationId)
    await limits.admit(ask)
    const days = async (key: string) => Number(await valkey.call('PTTL', [key])) / DAY_MS
    assert.ok((await days(used)) > 1.9 && (await days(used)) <= 2)
    assert.ok((await days(version)) > 1.9 && (await days(version)) <= 2)
    await limits.admit({ ...ask, limits: slow, tokens: 0 })
    assert.ok((await days(used)) > 6.9 && (await days(used)) < 7)
  })

  test('the script is sent again to a server that lost it', async () => {
    const ask = askOf()
    await limits.admit(ask)
    await valkey.call('SCRIPT', ['FLUSH'])
    assert.equal((await limits.admit(ask)).kind, 'admitted')
    assert.equal((await limits.admit(ask)).kind, 'admitted')
  })

  test('requests of one event loop turn share a call, in order, up to its limit', async () => {
    let calls = 0
    const counting = createLimits({
      call(command, args) {
        calls += 1
        return valkey.call(command, args)
      },
    })
    const ask = askOf({ limits: { ...ROOMY, requestsPerDay: 100 } })
    const same = Array.from({ length: 65 }, () =>
      counting.admit({ ...ask, limits: { ...ask.limits } }),
    )
    const other = counting.admit(askOf())
    const newer = counting.admit({ ...ask, version: 2 })
    const decisions = await Promise.all([...same, newer, other])
    assert.equal(calls, 4)
    const left = decisions.slice(0, -1).map((decision) => {
      assert.ok(decision.kind === 'admitted')
      return decision.capacities.requestsPerDay.remaining
    })
    assert.deepEqual(
      left,
      Array.from({ length: 66 }, (_, index) => 99 - index),
    )
  })

  test('an error reply is thrown at once and admits nothing', async () => {
    const ask = askOf()
    await valkey.call('SET', [organizationKeys(ask.organizationId).limits, 'not a hash'])
    await assert.rejects(limits.admit(ask), ValkeyReplyError)
  })

  test('numbers that cannot be counted exactly throw a RangeError', async () => {
    for (const changes of [
      { tokens: -1 },
      { tokens: 0.5 },
      { tokens: Number.NaN },
      { version: 2 ** 53 },
      { limits: { ...ROOMY, tokensPerDay: 10_000_000_001 } },
    ]) {
      await assert.rejects(limits.admit(askOf(changes)), RangeError)
    }
  })

  test('in a cluster all keys of a call are in one slot, and every slot is served', async () => {
    await using cluster = await startValkeyCluster()
    await using nodes = await connectValkey(cluster.urls)
    const clustered = createLimits(nodes)
    const organizations = Array.from({ length: 50 }, () => randomUUID())
    const slots = new Set<unknown>()
    for (const organizationId of organizations) {
      const keys = Object.values(organizationKeys(organizationId))
      const own = await Promise.all(keys.map((key) => nodes.call('CLUSTER', ['KEYSLOT', key])))
      assert.equal(new Set(own).size, 1)
      slots.add(own[0])
    }
    assert.ok(slots.size > 30, 'organizations spread over the slots')
    const decisions = organizations.map((organizationId) =>
      clustered.admit(askOf({ organizationId })),
    )
    assert.deepEqual(countKinds(await Promise.all(decisions)), { admitted: 50 })
  })
})

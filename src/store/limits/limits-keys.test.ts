import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import {
  ROOMY,
  askOf,
  keyLimits,
  opening,
  prepaid,
} from '../../../test/harness/load/limits-asks.ts'
import { endOf, PRICE, readHash } from '../../../test/harness/seed/usage-records.ts'
import { connectValkey, startValkey } from '../../../test/harness/servers/valkey.ts'
import type { LimitsAsk, LimitsDecision } from '../../tenancy/rate-limits.ts'
import { createOpenRecords } from '../usage/open-records.ts'
import { openUsageLog } from '../usage/usage-log.ts'
import { organizationKeys } from '../valkey/keys.ts'
import { createLimits } from './limits.ts'

const GRANTED = 10 ** 12
const DAY_MS = 86_400_000
const log = { debug() {}, info() {}, warn() {}, error() {} }

const server = await startValkey()
const valkey = await connectValkey([server.url])
const limits = createLimits(valkey)
const usageLog = openUsageLog(valkey, { log })
endWithFile(limits, usageLog, valkey, server)

suite('limits of API keys', () => {
  const funds = prepaid({ granted: GRANTED })

  function bookKey({ organizationId, key }: LimitsAsk): string {
    return `${organizationKeys(organizationId).key}${key?.id}`
  }

  async function admitAll(asks: readonly LimitsAsk[]): Promise<LimitsDecision[]> {
    return Promise.all(asks.map((ask) => limits.admit(ask)))
  }

  function countOf(decisions: readonly LimitsDecision[], kind: LimitsDecision['kind']): number {
    return decisions.filter((decision) => decision.kind === kind).length
  }

  test('429: keys in one batch are limited each by their own requests per minute', async () => {
    const ask = askOf()
    const keys = [3, 5, 0].map((requestsPerMinute) => keyLimits({ requestsPerMinute }))
    const asks = Array.from({ length: 40 }, (_, at) => ({ ...ask, key: keys[at % 4] ?? null }))
    const decisions = await admitAll(asks)
    const ofKey = (at: number) => decisions.filter((_, each) => each % 4 === at)
    assert.deepEqual(
      [0, 1, 2, 3].map((at) => countOf(ofKey(at), 'admitted')),
      [3, 5, 0, 10],
    )
    const refused = decisions[36]
    assert.ok(refused?.kind === 'refused' && refused.ofKey && refused.violated.length === 0)
    assert.ok(refused.retryAfterMs > 0 && refused.retryAfterMs <= 20_000)
    const never = decisions[38]
    assert.ok(never?.kind === 'refused' && never.never)
  })

  test('429: a refusal by the key uses nothing of the organization', async () => {
    const key = keyLimits({ requestsPerMinute: 1 })
    const tight = { ...ROOMY, requestsPerMinute: 2 }
    const ask = askOf({ limits: tight, key })
    const decisions = await admitAll([ask, ask, ask, { ...ask, key: null }])
    assert.deepEqual(
      decisions.map(({ kind }) => kind),
      ['admitted', 'refused', 'refused', 'admitted'],
    )
  })

  test('402: worst cases of keys that replace each other never exceed their budget', async () => {
    const one = keyLimits({ spendingLimit: 1_000, spent: 100 })
    const other = { ...one, expiresAtMs: Date.now() + DAY_MS }
    const ask = askOf({ funds })
    const asks = Array.from({ length: 40 }, (_, at) =>
      opening({ ...ask, key: at % 2 === 0 ? one : other }, { reserved: 90 }),
    )
    const decisions = await admitAll(asks)
    assert.equal(countOf(decisions, 'admitted'), 10)
    assert.equal(
      decisions.filter((each) => each.kind === 'unfunded' && each.of === 'key').length,
      30,
    )
    const { reserved, spent } = await readHash(valkey, bookKey(asks[0]!))
    assert.deepEqual([spent, reserved], ['100', '900'])
  })

  test('a settlement, a release and a close count in the budget', async () => {
    const ask = askOf({ funds, key: keyLimits({ spendingLimit: 10_000 }) })
    const opened = [1, 2, 3].map(() => opening(ask, { price: PRICE, reserved: 1_000 }))
    assert.equal(countOf(await admitAll(opened), 'admitted'), 3)
    const [settled, released, lost] = opened.map(({ record }) => record!)
    const end = endOf(settled!)
    await usageLog.settle(end, settled!)
    assert.partialDeepStrictEqual(await readHash(valkey, bookKey(ask)), {
      spent: `${end.cost}`,
      reserved: '2000',
    })
    usageLog.release(released!)
    const { organizationId } = ask
    const keys = organizationKeys(organizationId)
    await valkey.call('HSET', [keys.progress, lost!.id, '10,0,5,0'])
    const lease = (await valkey.call('HGET', [keys.leases, lost!.instance])) as string
    assert.ok(await createOpenRecords(valkey).close(lost!, lease))
    const closed = endOf(lost!)
    // The release is sent in the turn before.
    assert.partialDeepStrictEqual(await readHash(valkey, bookKey(ask)), {
      spent: `${end.cost + closed.cost}`,
      reserved: '0',
    })
    // Its process settles it after all: what was counted as lost is taken back.
    const late = endOf(lost!, { ...end, completionTokens: 50 })
    await usageLog.settle(late, lost!)
    const { spent } = await readHash(valkey, bookKey(ask))
    assert.equal(spent, `${end.cost + late.cost}`)
  })

  test('a settlement begins the new month of a budget', async () => {
    const ask = askOf({ funds, key: keyLimits({ spendingLimit: 10_000 }) })
    const { record } = opening(ask, { price: PRICE, reserved: 1_000 })
    assert.equal((await limits.admit({ ...ask, record })).kind, 'admitted')
    await valkey.call('HSET', [bookKey(ask), 'month', 200001, 'spent', 777])
    const end = endOf(record!)
    await usageLog.settle(end, record!)
    const { spent, reserved, month } = await readHash(valkey, bookKey(ask))
    assert.deepEqual([spent, reserved, month], [`${end.cost}`, '0', `${ask.key?.month}`])
  })

  test('a budget that is not stored is stale, and then begins with what is posted', async () => {
    const key = keyLimits({ spendingLimit: 1_000, spent: 990 })
    const ask = askOf({ funds, key })
    await limits.admit(opening({ ...ask, key: null }))
    const cached = { ...ask, fresh: false }
    const small = { reserved: 5 }
    assert.deepEqual(await limits.admit(opening(cached, small)), { kind: 'stale', version: 0 })
    const large = await limits.admit(opening(ask, { reserved: 11 }))
    assert.deepEqual(large, { kind: 'unfunded', of: 'key' })
    // The refusal stored what was posted, so a cached identity is enough from then on.
    assert.deepEqual(await limits.admit(opening(cached, { reserved: 11 })), large)
    assert.equal((await limits.admit(opening(cached, small))).kind, 'admitted')
  })

  test('what a key has used expires, and one without limits leaves nothing', async () => {
    const limited = { requestsPerMinute: 1, spendingLimit: null }
    const minute = askOf({ key: keyLimits(limited) })
    const money = askOf({ funds, key: keyLimits({ spendingLimit: 1_000 }) })
    const neither = askOf({ funds, key: keyLimits({ expiresAtMs: Date.now() + DAY_MS }) })
    await admitAll([minute, money, neither].map((ask) => opening(ask)))
    const kept = await Promise.all(
      [minute, money, neither].map((ask) => valkey.call('PTTL', [bookKey(ask)])),
    )
    const days = (kept as number[]).map((ms) => Math.max(0, Math.ceil(ms / DAY_MS)))
    assert.deepEqual(days, [2, 62, 0])
  })

  test('401: a key ends at its expiry by the clock of Valkey', async () => {
    const ask = askOf()
    const nowMs = Date.now()
    const [over, alive] = [nowMs - 1, nowMs + DAY_MS].map((expiresAtMs) => ({
      ...ask,
      key: keyLimits({ expiresAtMs, requestsPerMinute: 0 }),
    }))
    assert.deepEqual(await limits.admit(over!), { kind: 'expired' })
    assert.equal((await limits.admit(alive!)).kind, 'refused')
  })
})

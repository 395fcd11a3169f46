import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { ANY_NUMBER, askOf, opening } from '../../../test/harness/load/limits-asks.ts'
import { keepLines } from '../../../test/harness/lines.ts'
import { waitUntil } from '../../../test/harness/figures/measure.ts'
import {
  countsOf,
  endOf,
  openedRecord,
  readHash,
} from '../../../test/harness/seed/usage-records.ts'
import { connectValkey, startLossyWay, startValkey } from '../../../test/harness/servers/valkey.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { LimitsAsk } from '../../tenancy/rate-limits.ts'
import { virtualTimeCost, type OpenedRecord } from '../../tenancy/usage-record.ts'
import { createLimits } from '../limits/limits.ts'
import { createRecount } from '../limits/recount-running.ts'
import { resetLimits } from '../limits/reset-limits.ts'
import { organizationKeys, partitionOf } from '../valkey/keys.ts'
import { createOpenRecords } from './open-records.ts'
import { openUsageLog } from './usage-log.ts'

const TIMEOUT_MS = 10_000

const [LARGE, SMALL] = ['example/large', 'example/small']

const server = await startValkey()
const valkey = await connectValkey([server.url])
const limits = createLimits(valkey)
const usageLog = openUsageLog(valkey, { log: keepLines().log })
after(async () => {
  await limits[Symbol.asyncDispose]()
  await usageLog[Symbol.asyncDispose]()
  await valkey[Symbol.asyncDispose]()
  await server.kill()
})

suite('running requests and clocks', () => {
  async function admit(ask: LimitsAsk, changes: Partial<OpenedRecord> = {}) {
    const { record, ...known } = opening(ask, { instance: usageLog.instance, ...changes })
    assert.ok(record !== null)
    return { record, decision: await limits.admit({ ...known, record }) }
  }

  async function run(ask: LimitsAsk, changes: Partial<OpenedRecord> = {}) {
    const { record, decision } = await admit(ask, changes)
    assert.equal(decision.kind, 'admitted')
    usageLog.track(record)
    return { record, decision }
  }

  async function virtualTimeOf(ask: LimitsAsk, model: string): Promise<number> {
    const { record, decision } = await run(ask, { model })
    usageLog.release(record)
    return decision.virtualTime
  }

  /** The counts of the partition, without the organization's id. */
  async function counts({ organizationId }: LimitsAsk): Promise<Record<string, string>> {
    const { running } = organizationKeys(organizationId)
    const fields = Object.entries(await readHash(valkey, running))
    return Object.fromEntries(
      fields.flatMap(([name, count]) =>
        name.startsWith(organizationId) ? [[name.slice(organizationId.length), count]] : [],
      ),
    )
  }

  test('a settlement advances the virtual time of its model, which admissions return', async () => {
    const ask = askOf()
    const { record } = await run(ask)
    const used = { promptTokens: 100, cachedTokens: 40, completionTokens: 20, reasoningTokens: 5 }
    const charge = { startTag: 0, cost: virtualTimeCost(used, 1) }
    await usageLog.settle(endOf(record, used), record, charge)
    assert.equal(await virtualTimeOf(ask, LARGE), 60 + 2 * 20)
    assert.equal(await virtualTimeOf(ask, SMALL), 0)
    assert.equal(await virtualTimeOf(askOf(), LARGE), 0)
  })

  test('a weight divides what a request costs, to thousandths of a token', async () => {
    const ask = askOf()
    for (const weight of [1_000, 0.1]) {
      const { record } = await run(ask)
      const used = countsOf(10, 5)
      const charge = { startTag: 0, cost: virtualTimeCost(used, weight) }
      await usageLog.settle(endOf(record, used), record, charge)
    }
    assert.equal(await virtualTimeOf(ask, LARGE), 200.02)
  })

  test('a virtual time that is behind is raised first, one ahead is not lowered', async () => {
    const ask = askOf()
    for (const [startTag, expected] of [
      [1_000, 1_010],
      [500, 1_020],
      [1_020, 1_030],
    ] as const) {
      const { record } = await run(ask)
      await usageLog.settle(endOf(record), record, { startTag, cost: 10 })
      assert.equal(await virtualTimeOf(ask, LARGE), expected)
    }
  })

  test('settlements of one call advance the virtual time one after the other', async () => {
    const ask = askOf()
    const records = await Promise.all(Array.from({ length: 10 }, () => run(ask)))
    await Promise.all(
      records.map(({ record }) =>
        usageLog.settle(endOf(record), record, { startTag: 5, cost: 10 }),
      ),
    )
    assert.equal(await virtualTimeOf(ask, LARGE), 105)
  })

  test('a repeated settlement and a release do not advance the virtual time', async () => {
    const ask = askOf()
    const { record } = await run(ask)
    const end = endOf(record)
    await usageLog.settle(end, record, { startTag: 0, cost: 10 })
    await usageLog.settle(end, record, { startTag: 0, cost: 10 })
    assert.equal(await virtualTimeOf(ask, LARGE), 10)
    assert.equal(await virtualTimeOf(ask, LARGE), 10)
  })

  test('virtual times expire with the limits, also if those were lost meanwhile', async () => {
    const ask = askOf()
    const { record } = await run(ask)
    await resetLimits(valkey, ask.organizationId)
    await usageLog.settle(endOf(record), record, { startTag: 70, cost: 10 })
    const { limits: key } = organizationKeys(ask.organizationId)
    const keptMs = (await valkey.call('PTTL', [key])) as number
    assert.ok(keptMs > DAY_MS && keptMs <= 2 * DAY_MS, `${keptMs}`)
    assert.equal(await virtualTimeOf(ask, LARGE), 80)
  })

  test('requests are counted by organization, credential and model until they end', async () => {
    const ask = askOf()
    const credentialId = crypto.randomUUID()
    const first = await run(ask, { credentialId })
    const second = await run(ask, { credentialId, model: SMALL })
    const third = await run(ask, { credentialId: ask.projectId, model: null })
    assert.deepEqual(
      [first, second, third].map(({ decision }) => decision.running),
      [1, 1, 0],
    )
    assert.deepEqual(await counts(ask), {
      '': '3',
      [`:key:${credentialId}`]: '2',
      [`:key:${ask.projectId}`]: '1',
      [`:model:${LARGE}`]: '1',
      [`:model:${SMALL}`]: '1',
    })
    await usageLog.settle(endOf(first.record), first.record)
    usageLog.release(third.record)
    const left = { '': '1', [`:key:${credentialId}`]: '1', [`:model:${SMALL}`]: '1' }
    const areThree = async () => Object.keys(await counts(ask)).length === 3
    await waitUntil('the counts of one request', areThree, TIMEOUT_MS)
    assert.deepEqual(await counts(ask), left)
    await usageLog.settle(endOf(second.record), second.record)
    assert.deepEqual(await counts(ask), {})
  })

  test('as many requests as the limit run at once, never one more', async () => {
    const credentialId = crypto.randomUUID()
    const cases = [
      { of: 'organization', concurrency: { ...ANY_NUMBER, organization: 5 }, others: {} },
      { of: 'key', concurrency: { ...ANY_NUMBER, key: 5 }, others: { credentialId } },
      { of: 'model', concurrency: { ...ANY_NUMBER, models: new Map([[LARGE, 5]]) }, others: {} },
    ] as const
    for (const { of, concurrency, others } of cases) {
      const ask = askOf({ concurrency })
      const admitted = () =>
        Promise.all(Array.from({ length: 40 }, () => admit(ask, others))).then((all) => ({
          running: all.filter(({ decision }) => decision.kind === 'admitted'),
          refused: all.flatMap(({ decision }) => (decision.kind === 'refused' ? [decision] : [])),
        }))
      const first = await admitted()
      assert.equal(first.running.length, 5, of)
      assert.deepEqual(
        new Set(first.refused.map((each) => `${each.concurrent.join()} ${each.retryAfterMs}`)),
        new Set([`${of} 1000`]),
      )
      for (const { record } of first.running.slice(0, 3))
        await usageLog.settle(endOf(record), record)
      assert.equal((await admitted()).running.length, 3, of)
    }
  })

  test('an admission whose reply was lost counts once, also at the limit', async () => {
    await using way = await startLossyWay(server.url)
    await using own = await connectValkey([way.url])
    await using lossy = createLimits(own)
    const ask = askOf({ concurrency: { ...ANY_NUMBER, organization: 2 } })
    // Loads the script first, or the lost reply would be the NOSCRIPT error.
    assert.equal((await lossy.admit(opening(ask))).kind, 'admitted')
    const second = opening(ask)
    way.loseAnswerTo(second.record?.id ?? '')
    assert.equal((await lossy.admit(second)).kind, 'admitted')
    assert.equal((await counts(ask))[''], '2')
  })

  test('a request that is closed as lost no longer runs; one that is reopened does', async () => {
    const ask = askOf()
    const { record } = await admit(ask, { instance: 'gone' })
    const keys = organizationKeys(ask.organizationId)
    const lease = (await valkey.call('HGET', [keys.leases, 'gone'])) as string
    assert.equal(await createOpenRecords(valkey).close(record, lease), true)
    assert.deepEqual(await counts(ask), {})
    const tracked = usageLog.track(record)
    tracked.checkpoint(countsOf(10, 100))
    const isCounted = async () => (await counts(ask))[''] === '1'
    await waitUntil('the request to be counted', isCounted, TIMEOUT_MS)
    const credential = `:key:${record.credentialId}`
    assert.deepEqual(await counts(ask), { '': '1', [credential]: '1', [`:model:${LARGE}`]: '1' })
    tracked.end()
    await usageLog.settle(endOf(record), record)
    assert.deepEqual(await counts(ask), {})
  })

  test('a record of the release before ends without lowering the counts of others', async () => {
    const ask = askOf()
    const { record: running } = await run(ask)
    const { counted: _counted, ...old } = openedRecord({
      organizationId: ask.organizationId,
      credentialId: running.credentialId,
    })
    const { open } = organizationKeys(ask.organizationId)
    await valkey.call('HSET', [open, old.id, JSON.stringify(old)])
    const known = await counts(ask)
    await usageLog.settle(endOf(old), old)
    assert.deepEqual(await counts(ask), known)
    usageLog.release(running)
  })

  test('counts that were lost with all data are never below 0', async () => {
    const ask = askOf({ concurrency: { ...ANY_NUMBER, organization: 2 } })
    const credentialId = crypto.randomUUID()
    const lost = await Promise.all([run(ask, { credentialId }), run(ask, { credentialId })])
    const { running } = organizationKeys(ask.organizationId)
    const names = Object.keys(await counts(ask)).map((name) => `${ask.organizationId}${name}`)
    await valkey.call('HDEL', [running, ...names])
    const { record } = await run(ask, { credentialId })
    for (const each of lost) await usageLog.settle(endOf(each.record), each.record)
    assert.deepEqual(await counts(ask), {})
    await usageLog.settle(endOf(record), record)
    assert.deepEqual(await counts(ask), {})
    await Promise.all([run(ask), run(ask)])
    assert.equal((await admit(ask)).decision.kind, 'refused')
  })

  test('counts that are wrong are corrected from the open records', async () => {
    const ask = askOf()
    const { record } = await run(ask)
    const right = await counts(ask)
    const { running, open } = organizationKeys(ask.organizationId)
    const partition = partitionOf(ask.organizationId)
    const recount = createRecount(valkey)
    await recount(partition)
    assert.equal(await recount(partition), 0)
    const gone = openedRecord({ organizationId: ask.organizationId })
    await valkey.call('HSET', [running, ask.organizationId, 7])
    await valkey.call('HSET', [running, `${ask.organizationId}:key:${gone.credentialId}`, 1])
    await valkey.call('HDEL', [running, `${ask.organizationId}:model:${LARGE}`])
    // Neither counts: it is of the release before, or cannot be read.
    const { counted: _counted, ...old } = gone
    await valkey.call('HSET', [open, old.id, JSON.stringify(old), 'unreadable', '{'])
    assert.equal(await recount(partition), 3)
    assert.deepEqual(await counts(ask), right)
    await valkey.call('HDEL', [open, old.id, 'unreadable'])
    await usageLog.settle(endOf(record), record)
    assert.deepEqual(await counts(ask), {})
  })
})

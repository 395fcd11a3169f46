import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { askOf, opening, prepaid } from '../../../test/harness/load/limits-asks.ts'
import { keepLines } from '../../../test/harness/lines.ts'
import { waitUntil } from '../../../test/harness/figures/measure.ts'
import {
  countsOf,
  endOf,
  PRICE,
  readHash,
  readUsage,
} from '../../../test/harness/seed/usage-records.ts'
import {
  connectValkey,
  startValkey,
  type ValkeyServer,
} from '../../../test/harness/servers/valkey.ts'
import { DAY_MS, HOUR_MS } from '../../lib/time.ts'
import { timeOfUuid, uuidV7 } from '../../lib/uuid.ts'
import type { LimitsAsk } from '../../tenancy/rate-limits.ts'
import type { OpenedRecord, TrackedUsage, UsageRecord } from '../../tenancy/usage-record.ts'
import { createLimits, type Limits } from '../limits/limits.ts'
import { openUsageLog, type UsageLog } from './usage-log.ts'
import { organizationKeys } from '../valkey/keys.ts'
import { type Valkey } from '../valkey/valkey.ts'

const TIMEOUT_MS = 10_000

suite('usage log', () => {
  let server: ValkeyServer
  let valkey: Valkey
  let limits: Limits
  let usageLog: UsageLog
  const { log, lines } = keepLines()

  before(async () => {
    server = await startValkey()
    valkey = await connectValkey([server.url])
    limits = createLimits(valkey)
    usageLog = openUsageLog(valkey, { log })
  })

  after(async () => {
    await limits[Symbol.asyncDispose]()
    await usageLog[Symbol.asyncDispose]()
    await valkey[Symbol.asyncDispose]()
    await server.kill()
  })

  /** By request. */
  const tracked = new Map<string, TrackedUsage>()

  function settle(record: UsageRecord, opened: OpenedRecord): Promise<void> {
    tracked.get(opened.id)?.end()
    return usageLog.settle(record, opened)
  }

  function release(opened: OpenedRecord): void {
    tracked.get(opened.id)?.end()
    usageLog.release(opened)
  }

  /** Admits a request that reserves 1,000 of its new organization's million. */
  async function admitted(changes: Partial<LimitsAsk> = {}): Promise<OpenedRecord> {
    const funds = prepaid({ granted: 1_000_000, spendingLimit: 1_000_000 })
    const reserving = { price: PRICE, reserved: 1_000, instance: usageLog.instance }
    const ask = opening(askOf({ funds, ...changes }), reserving)
    assert.equal((await limits.admit(ask)).kind, 'admitted')
    assert.ok(ask.record !== null)
    tracked.set(ask.record.id, usageLog.track(ask.record))
    return ask.record
  }

  function hash(key: string): Promise<Record<string, string>> {
    return readHash(valkey, key)
  }

  function written(opened: OpenedRecord): Promise<UsageRecord[]> {
    return readUsage(valkey, opened)
  }

  test('a settlement resolves once its record and cost are written', async () => {
    const opened = await admitted()
    const { open, progress, funds, leases } = organizationKeys(opened.organizationId)
    assert.ok(Number((await hash(leases))[usageLog.instance]) > 0)
    const record = endOf(opened)
    await settle(record, opened)
    assert.deepEqual(await written(opened), [record])
    assert.equal(await valkey.call('HEXISTS', [open, opened.id]), 0)
    assert.equal(await valkey.call('HEXISTS', [progress, opened.id]), 0)
    const { projectId } = opened
    const now = new Date().toISOString().slice(0, 7).replace('-', '')
    assert.deepEqual(await hash(funds), {
      spent: String(record.cost),
      reserved: '0',
      [`reserved:${projectId}`]: '0',
      [`spent:${projectId}`]: String(record.cost),
      [`month:${projectId}`]: now,
    })
  })

  test('a clock that is a month off does not move the month of a spending limit', async () => {
    const first = await admitted()
    const { organizationId, projectId } = first
    const { funds } = organizationKeys(organizationId)
    const earlier = await hash(funds)
    let spent = 0
    for (const days of [31, -31, 0]) {
      const opened = { ...first, id: uuidV7(Date.now() + days * DAY_MS) }
      const record = endOf(opened)
      await settle(record, opened)
      spent += record.cost
    }
    const later = await hash(funds)
    assert.equal(later[`month:${projectId}`], earlier[`month:${projectId}`])
    assert.equal(later[`spent:${projectId}`], `${spent}`)
    release(first)
  })

  test('a repeated settlement counts once', async () => {
    const opened = await admitted()
    const record = endOf(opened)
    await Promise.all([settle(record, opened), settle(record, opened)])
    await settle(record, opened)
    assert.equal((await written(opened)).length, 1)
    const { funds } = organizationKeys(opened.organizationId)
    assert.equal((await hash(funds))['spent'], String(record.cost))
  })

  test('a release frees the reserved amount once, and writes no record', async () => {
    const opened = await admitted()
    const { organizationId, projectId } = opened
    const second = opening(
      askOf({ organizationId, projectId, funds: prepaid({ granted: 5_000 }) }),
      {
        reserved: 300,
      },
    )
    assert.equal((await limits.admit(second)).kind, 'admitted')
    const { open, funds } = organizationKeys(organizationId)
    assert.equal((await hash(funds))['reserved'], '1300')
    release(opened)
    release(opened)
    const isReleased = async () => (await hash(funds))['reserved'] === '300'
    await waitUntil('the reservation to be released', isReleased, TIMEOUT_MS)
    assert.equal((await hash(funds))[`reserved:${projectId}`], '300')
    assert.equal(await valkey.call('HEXISTS', [open, opened.id]), 0)
    assert.deepEqual(await written(opened), [])
  })

  test('a settlement without an open record is written, and frees nothing', async () => {
    const opened = await admitted()
    const { open, funds } = organizationKeys(opened.organizationId)
    await valkey.call('HDEL', [open, opened.id])
    const record = endOf(opened)
    await settle(record, opened)
    assert.deepEqual(await written(opened), [record])
    const { spent, reserved } = await hash(funds)
    assert.deepEqual([spent, reserved], [String(record.cost), '1000'])
  })

  test('a settlement does not create funds that are not stored', async () => {
    const opened = await admitted()
    const { funds } = organizationKeys(opened.organizationId)
    await valkey.call('DEL', [funds])
    await settle(endOf(opened), opened)
    assert.deepEqual(await hash(funds), {})
    assert.deepEqual(
      lines.filter(({ level }) => level === 'error'),
      [],
    )
  })

  test('a checkpoint is written soon, and reopens a request that was lost', async () => {
    const opened = await admitted()
    const { open, progress, funds } = organizationKeys(opened.organizationId)
    const request = tracked.get(opened.id)
    request?.checkpoint(countsOf(100, 1))
    const isNoted = async () => (await hash(progress))[opened.id] === '100,0,1,0'
    await waitUntil('the first checkpoint', isNoted, TIMEOUT_MS)
    await valkey.call('HDEL', [open, opened.id])
    await valkey.call('HSET', [funds, 'reserved', 0, `reserved:${opened.projectId}`, 0])
    request?.checkpoint(countsOf(100, 40))
    const isOpen = async () => (await hash(open))[opened.id] !== undefined
    await waitUntil('the record to be opened again', isOpen, TIMEOUT_MS)
    assert.deepEqual(JSON.parse((await hash(open))[opened.id] ?? ''), opened)
    assert.equal((await hash(progress))[opened.id], '100,0,40,0')
    assert.equal((await hash(funds))['reserved'], '1000')
    await settle(endOf(opened), opened)
    assert.equal((await hash(funds))['reserved'], '0')
    assert.equal(await valkey.call('HEXISTS', [progress, opened.id]), 0)
  })

  test('the counters of an hour equal the sums of the written records', async () => {
    const first = await admitted()
    const { organizationId, projectId } = first
    const more = await Promise.all(
      Array.from({ length: 150 }, () => admitted({ organizationId, projectId })),
    )
    const all = [first, ...more]
    const records = all.map((opened, at) => endOf(opened, countsOf(at, 2 * at)))
    const { hour } = organizationKeys(organizationId)
    const key = `${hour}${Math.floor(timeOfUuid(first.id) / HOUR_MS)}`
    const earlier = await hash(key)
    await Promise.all(records.map((record, at) => settle(record, all[at]!)))
    const later = await hash(key)
    const grown = (field: string) => Number(later[field] ?? 0) - Number(earlier[field] ?? 0)
    const sum = (field: 'promptTokens' | 'completionTokens' | 'cost') =>
      records.reduce((total, record) => total + record[field], 0)
    assert.equal(grown('records'), records.length)
    assert.equal(grown('prompt'), sum('promptTokens'))
    assert.equal(grown('completion'), sum('completionTokens'))
    assert.equal(grown('cost'), sum('cost'))
    assert.equal((await written(first)).length, records.length)
  })

  test('settlements of one event loop turn and organization share a call', async () => {
    let calls = 0
    const counting: Valkey = {
      ...valkey,
      call(command, args) {
        calls += 1
        return valkey.call(command, args)
      },
    }
    await using own = openUsageLog(counting, { log: keepLines().log })
    const first = await admitted()
    const { organizationId, projectId } = first
    const all = [first]
    while (all.length < 64) all.push(await admitted({ organizationId, projectId }))
    await Promise.all(all.map((opened) => own.settle(endOf(opened), opened)))
    for (const opened of all) release(opened)
    assert.equal(calls, 1)
  })
})

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { endWithFile } from '../../test/harness/end-with-file.ts'
import { openedRecord, PRICE } from '../../test/harness/seed/usage-records.ts'
import { connectValkey, startValkey } from '../../test/harness/servers/valkey.ts'
import type { Log } from '../lib/log.ts'
import { timeOfUuid } from '../lib/uuid.ts'
import { readUsageRecord } from '../store/usage/read-usage-record.ts'
import { organizationKeys, partitionKeys, partitionOf, PARTITIONS } from '../store/valkey/keys.ts'
import { ValkeyUnavailable, type Valkey } from '../store/valkey/valkey.ts'
import { costOf } from '../tenancy/price.ts'
import type { OpenedRecord, UsageRecord } from '../tenancy/usage-record.ts'
import { closeLost } from './close-lost.ts'
import { readMetric } from '../../test/harness/figures/read-metric.ts'
import { createWorkerMetrics } from './worker-metrics.ts'

const LEASE_SECONDS = 30
/** The interval of the job. */
const RUN_MS = 5_000

const server = await startValkey()
const valkey = await connectValkey([server.url])

endWithFile(valkey, server)

afterEach(async () => {
  await valkey.call('FLUSHALL', [])
})

const log: Log = { debug() {}, info() {}, warn() {}, error() {} }
const { signal } = new AbortController()

/** The job with a clock that only the test advances. */
function createJob(client: Valkey = valkey) {
  const metrics = createWorkerMetrics()
  let nowMs = 0
  const now = () => nowMs
  const job = closeLost({ valkey: client, leaseSeconds: LEASE_SECONDS, metrics, log, now })
  return {
    run: () => job.run(signal),
    /** Runs at its interval while this much time passes. */
    async runFor(seconds: number) {
      for (const endMs = nowMs + seconds * 1_000; nowMs < endMs;) {
        nowMs += RUN_MS
        await job.run(signal)
      }
    },
    pass(seconds: number) {
      nowMs += seconds * 1_000
    },
    closed: () => readMetric(metrics.page, 'headrace_usage_closed_total'),
  }
}

let lease = 1_000

/** Opens a request as the admission does. */
async function open(opened: OpenedRecord, progress?: string): Promise<OpenedRecord> {
  const keys = organizationKeys(opened.organizationId)
  await valkey.call('HSET', [keys.open, opened.id, JSON.stringify(opened)])
  await renew(opened)
  if (progress !== undefined) await valkey.call('HSET', [keys.progress, opened.id, progress])
  return opened
}

async function renew({ organizationId, instance }: OpenedRecord): Promise<void> {
  lease += 1
  await valkey.call('HSET', [organizationKeys(organizationId).leases, instance, lease])
}

async function stream({ organizationId }: OpenedRecord): Promise<UsageRecord[]> {
  const { usage } = organizationKeys(organizationId)
  const entries = (await valkey.call('XRANGE', [usage, '-', '+'])) as [string, string[]][]
  return entries.map(([, [, text = '']]) => readUsageRecord(text)!)
}

async function isOpen({ organizationId, id }: OpenedRecord): Promise<boolean> {
  return (await valkey.call('HEXISTS', [organizationKeys(organizationId).open, id])) === 1
}

test('a request is closed when its process has not renewed its lease, and not before', async () => {
  const opened = await open(openedRecord())
  const job = createJob()
  await job.run()
  await job.runFor(LEASE_SECONDS - 5)
  assert.ok(await isOpen(opened))
  await job.runFor(5)
  assert.ok(!(await isOpen(opened)))
  assert.equal(await job.closed(), 1)
  const [record] = await stream(opened)
  assert.equal(record?.outcome, 'lost')
  assert.equal(record?.basis, 'none')
  assert.equal(record?.cost, 0)
  // Its lease is removed, too.
  const { leases } = organizationKeys(opened.organizationId)
  assert.equal(await valkey.call('EXISTS', [leases]), 0)
})

test('a closed request is charged for its last checkpoint and no more', async () => {
  const opened = openedRecord({ reserved: 900 })
  const { organizationId, projectId } = opened
  const keys = organizationKeys(organizationId)
  const openedMs = timeOfUuid(opened.id)
  const month = new Date(openedMs).toISOString().slice(0, 7).replace('-', '')
  const ofProject = [`reserved:${projectId}`, 900, `spent:${projectId}`, 50]
  await valkey.call('HSET', [keys.funds, 'spent', 100, 'reserved', 1_000, ...ofProject])
  await valkey.call('HSET', [keys.funds, `month:${projectId}`, month])
  await open(opened, '100,40,20,5')
  const job = createJob()
  await job.run()
  await job.runFor(LEASE_SECONDS)
  const counts = { promptTokens: 100, cachedTokens: 40, completionTokens: 20, reasoningTokens: 5 }
  const cost = costOf(counts, PRICE)
  const [record] = await stream(opened)
  assert.deepEqual(
    { ...record, settledAtMs: 0 },
    {
      id: opened.id,
      organizationId,
      projectId,
      credentialId: opened.credentialId,
      model: opened.model,
      price: PRICE,
      ...counts,
      accountId: opened.accountId,
      credentialKind: 'api_key',
      retention: 'zero',
      reserved: 900,
      instance: opened.instance,
      attempts: null,
      engine: null,
      outcome: 'lost',
      basis: 'checkpoint',
      cost,
      queuedMs: null,
      firstTokenMs: null,
      durationMs: null,
      settledAtMs: 0,
    },
  )
  const funds = ['spent', 'reserved', `reserved:${projectId}`, `spent:${projectId}`]
  assert.deepEqual(await valkey.call('HMGET', [keys.funds, ...funds]), [
    `${100 + cost}`,
    '100',
    '0',
    `${50 + cost}`,
  ])
  const hour = `${keys.hour}${Math.floor(openedMs / 3_600_000)}`
  const counted = ['records', 'prompt', 'cached', 'completion', 'reasoning', 'cost']
  assert.deepEqual(
    await valkey.call('HMGET', [hour, ...counted]),
    [1, 100, 40, 20, 5, cost].map(String),
  )
  assert.equal(await valkey.call('EXISTS', [keys.progress]), 0)
})

test('the requests of a process that renews its lease stay open', async () => {
  const opened = await open(openedRecord())
  const job = createJob()
  for (let renewals = 0; renewals < 5; renewals += 1) {
    await job.runFor(LEASE_SECONDS - 5)
    await renew(opened)
  }
  assert.ok(await isOpen(opened))
})

test('the requests of a process that renews its lease during the run stay open', async () => {
  const opened = await open(openedRecord())
  const renewing: Valkey = {
    ...valkey,
    async call(command, args) {
      if (command === 'HSCAN') await renew(opened)
      return valkey.call(command, args)
    },
  }
  const job = createJob(renewing)
  await job.run()
  await job.runFor(LEASE_SECONDS)
  assert.ok(await isOpen(opened))
  assert.deepEqual(await stream(opened), [])
})

test('the time of a Valkey outage does not count', async () => {
  const opened = await open(openedRecord())
  let unavailable = false
  const failing: Valkey = {
    ...valkey,
    call: (command, args) =>
      unavailable ? Promise.reject(new ValkeyUnavailable('outage')) : valkey.call(command, args),
  }
  const job = createJob(failing)
  await job.run()
  await job.runFor(LEASE_SECONDS - 5)
  unavailable = true
  job.pass(5)
  await assert.rejects(job.run(), ValkeyUnavailable)
  unavailable = false
  await job.runFor(LEASE_SECONDS)
  assert.ok(await isOpen(opened))
  await job.runFor(5)
  assert.ok(!(await isOpen(opened)))
})

test('the time of a worker pause does not count', async () => {
  const opened = await open(openedRecord())
  const job = createJob()
  await job.run()
  job.pass(10 * LEASE_SECONDS)
  await job.run()
  assert.ok(await isOpen(opened))
  await job.runFor(LEASE_SECONDS)
  assert.ok(!(await isOpen(opened)))
})

test('a request without a model is released without a usage record', async () => {
  const opened = await open(openedRecord({ model: null, price: null, reserved: 0 }))
  const job = createJob()
  await job.run()
  await job.runFor(LEASE_SECONDS)
  assert.ok(!(await isOpen(opened)))
  assert.deepEqual(await stream(opened), [])
})

test('only the requests of the lost process are closed', async () => {
  const lost = await open(openedRecord({ instance: 'lost' }))
  const { organizationId } = lost
  const alive = await open(openedRecord({ organizationId, instance: 'alive' }))
  const job = createJob()
  await job.run()
  for (let runs = 0; runs < LEASE_SECONDS / 5; runs += 1) {
    await renew(alive)
    await job.runFor(5)
  }
  assert.deepEqual([await isOpen(lost), await isOpen(alive)], [false, true])
})

test('a request of a process without a lease is closed', async () => {
  const opened = await open(openedRecord())
  const { leases } = organizationKeys(opened.organizationId)
  await valkey.call('DEL', [leases])
  const job = createJob()
  await job.run()
  await job.runFor(LEASE_SECONDS)
  assert.ok(!(await isOpen(opened)))
  assert.equal((await stream(opened)).length, 1)
})

test('a request without a lease is closed beside a process that is alive', async () => {
  const { organizationId, ...orphan } = await open(openedRecord({ instance: 'gone' }))
  const { leases } = organizationKeys(organizationId)
  await valkey.call('HDEL', [leases, 'gone'])
  const alive = await open(openedRecord({ organizationId, instance: 'alive' }))
  const job = createJob()
  await job.run()
  for (let runs = 0; runs < (3 * LEASE_SECONDS) / 5; runs += 1) {
    await renew(alive)
    await job.runFor(5)
  }
  assert.deepEqual(
    [await isOpen({ organizationId, ...orphan }), await isOpen(alive)],
    [false, true],
  )
})

test('a record in the partition of another organization is discarded', async () => {
  const opened = await open(openedRecord())
  const other = partitionKeys((partitionOf(opened.organizationId) + 1) % PARTITIONS)
  await valkey.call('HSET', [other.open, opened.id, JSON.stringify(opened)])
  const job = createJob()
  await job.run()
  await job.runFor(LEASE_SECONDS)
  assert.equal(await valkey.call('EXISTS', [other.open]), 0)
  assert.equal((await stream(opened)).length, 1)
})

test('several workers close a request once', async () => {
  const opened = await open(openedRecord(), '1,0,1,0')
  const jobs = [createJob(), createJob(), createJob()]
  await Promise.all(jobs.map((job) => job.run()))
  await Promise.all(jobs.map((job) => job.runFor(LEASE_SECONDS)))
  assert.equal((await stream(opened)).length, 1)
})

test('an unreadable open record is discarded without blocking others', async () => {
  const opened = await open(openedRecord())
  const keys = organizationKeys(opened.organizationId)
  await valkey.call('HSET', [keys.open, 'nonsense', '{'])
  const job = createJob()
  await job.run()
  await job.runFor(LEASE_SECONDS)
  assert.equal(await valkey.call('EXISTS', [keys.open]), 0)
  assert.equal((await stream(opened)).length, 1)
})

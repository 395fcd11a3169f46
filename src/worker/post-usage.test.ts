import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, test } from 'node:test'
import { endWithFile } from '../../test/harness/end-with-file.ts'
import { createDatabase, urlForProcess } from '../../test/harness/servers/database.ts'
import { findWrongSums, sumRecords, sumRollUps } from '../../test/harness/seed/posted-usage.ts'
import { startPostgres } from '../../test/harness/servers/postgres-server.ts'
import { usageRecord } from '../../test/harness/seed/usage-records.ts'
import {
  connectValkey,
  startLossyWay,
  startValkey,
  startValkeyCluster,
} from '../../test/harness/servers/valkey.ts'
import type { Log } from '../lib/log.ts'
import { openPostgres } from '../store/postgres/postgres.ts'
import { readBacklog } from '../store/usage/usage-stream.ts'
import { partitionKeys, partitionOf } from '../store/valkey/keys.ts'
import { ValkeyUnavailable, type Valkey } from '../store/valkey/valkey.ts'
import type { UsageRecord } from '../tenancy/usage-record.ts'
import { postUsageJob } from './post-usage.ts'
import { readMetric } from '../../test/harness/figures/read-metric.ts'
import { createWorkerMetrics } from './worker-metrics.ts'

const database = await createDatabase()
const postgres = openPostgres(database.url, { queryTimeoutMs: 30_000 })
/** With the rights of the worker. */
const own = openPostgres(urlForProcess(database.url, 'worker'), { queryTimeoutMs: 30_000 })
const server = await startValkey()
const valkey = await connectValkey([server.url])

endWithFile(valkey, server, own, postgres, database)

afterEach(async () => {
  await valkey.call('FLUSHALL', [])
})

const messages: string[] = []
const note = (_: object, message: string) => void messages.push(message)
const log: Log = { debug: note, info: note, warn: note, error: note }
const { signal } = new AbortController()

function createJob(options: Partial<Parameters<typeof postUsageJob>[0]> = {}) {
  const metrics = createWorkerMetrics()
  const { pool } = own
  const defaults = { pool, valkey, batchRecords: 5_000, metrics, log }
  const job = postUsageJob({ ...defaults, ...options })
  const count = async (name: 'posted' | 'replaced' | 'duplicates' | 'rejected') =>
    readMetric(metrics.page, `headrace_usage_${name}_total`)
  return { run: () => job.run(signal), count }
}

async function write(text: string, organizationId: string, field = 'record'): Promise<void> {
  const { usage } = partitionKeys(partitionOf(organizationId))
  await valkey.call('XADD', [usage, '*', field, text])
}

async function settle(...records: UsageRecord[]): Promise<void> {
  for (const record of records) await write(JSON.stringify(record), record.organizationId)
}

/** The number of posted requests, checked against the roll-ups and the ledger. */
async function consistentRequests(pool = postgres.pool): Promise<number> {
  const sums = await sumRecords(pool)
  assert.deepEqual(await sumRollUps(pool, 'usage_hourly'), sums)
  assert.deepEqual(await findWrongSums(pool), [])
  return sums.requests
}

test('settled usage is posted and removed from the log', async () => {
  const had = await consistentRequests()
  await settle(...Array.from({ length: 50 }, () => usageRecord()))
  const job = createJob()
  assert.equal(await job.run(), true)
  assert.equal((await readBacklog(valkey)).records, 0)
  assert.equal((await consistentRequests()) - had, 50)
  assert.equal(await job.count('posted'), 50)
  assert.equal(await job.run(), false)
})

test('a batch has at most so many records, and the next run continues', async () => {
  const { organizationId } = usageRecord()
  await settle(...Array.from({ length: 30 }, () => usageRecord({ organizationId })))
  const job = createJob({ batchRecords: 160 })
  for (const left of [20, 10, 0]) {
    assert.equal(await job.run(), true)
    assert.equal((await readBacklog(valkey)).records, left)
  }
  assert.equal(await job.count('posted'), 30)
})

test('records whose deletion failed are counted once and deleted later', async () => {
  const had = await consistentRequests()
  const { organizationId } = usageRecord()
  await settle(usageRecord({ organizationId }), usageRecord({ organizationId }))
  await using way = await startLossyWay(server.url)
  await using lossy = await connectValkey([way.url])
  const failing: Valkey = {
    ...lossy,
    call: (command, args) =>
      command === 'XDEL'
        ? Promise.reject(new ValkeyUnavailable('outage'))
        : lossy.call(command, args),
  }
  await assert.rejects(createJob({ valkey: failing }).run(), ValkeyUnavailable)
  assert.equal((await readBacklog(valkey)).records, 2)
  // This time the entries are deleted, and only the reply is lost.
  way.loseAnswerTo('XDEL')
  const job = createJob({ valkey: lossy })
  await assert.rejects(job.run(), ValkeyUnavailable)
  assert.equal(await job.count('duplicates'), 2)
  assert.equal((await readBacklog(valkey)).records, 0)
  assert.equal((await consistentRequests()) - had, 2)
})

test('concurrent workers post every record once', async () => {
  const had = await consistentRequests()
  const organizations = Array.from({ length: 40 }, () => randomUUID())
  const records = organizations.flatMap((organizationId) =>
    Array.from({ length: 25 }, () => usageRecord({ organizationId })),
  )
  await settle(...records)
  const workers = Array.from({ length: 3 }, () => createJob({ batchRecords: 160 }))
  while ((await readBacklog(valkey)).records > 0)
    await Promise.all(workers.map((worker) => worker.run()))
  assert.equal((await consistentRequests()) - had, records.length)
  const posted = await Promise.all(workers.map((worker) => worker.count('posted')))
  assert.equal(
    posted.reduce((sum, count) => sum + count, 0),
    records.length,
  )
})

test('an invalid record is moved aside without blocking others', async () => {
  const had = await consistentRequests()
  const record = usageRecord()
  const { organizationId } = record
  const bad = [
    'not json',
    '{}',
    JSON.stringify({ ...record, promptTokens: 2 ** 31 }),
    JSON.stringify({ ...record, cost: -1 }),
    JSON.stringify({ ...record, model: 'nul\u0000' }),
    JSON.stringify({ ...record, id: randomUUID() }),
    JSON.stringify({ ...record, id: `ffffffff-ffff-7${record.id.slice(15)}` }),
    JSON.stringify(usageRecord({ organizationId: otherPartition(organizationId) })),
  ]
  for (const text of bad) await write(text, organizationId)
  await write(JSON.stringify(record), organizationId, 'opened')
  await settle(record)
  const job = createJob()
  await job.run()
  assert.equal(await job.count('rejected'), bad.length + 1)
  assert.equal((await readBacklog(valkey)).records, 0)
  assert.equal((await consistentRequests()) - had, 1)
  const { rejected } = partitionKeys(partitionOf(organizationId))
  const kept = (await valkey.call('XRANGE', [rejected, '-', '+'])) as [string, string[]][]
  assert.deepEqual(kept[0]?.[1].slice(2), ['record', 'not json'])
  assert.equal(kept.length, bad.length + 1)
  assert.ok(messages.includes('usage records rejected'))
})

function otherPartition(organizationId: string): string {
  for (;;) {
    const other = randomUUID()
    if (partitionOf(other) !== partitionOf(organizationId)) return other
  }
}

test('a record that only PostgreSQL rejects is found within its batch', async () => {
  const { organizationId } = usageRecord()
  const records = Array.from({ length: 9 }, () => usageRecord({ organizationId }))
  // Only a sum beyond 64 bits passes all earlier checks.
  const vast = Array.from({ length: 1_100 }, () =>
    usageRecord({ organizationId, cost: Number.MAX_SAFE_INTEGER }),
  )
  await using fresh = await createDatabase()
  await using other = openPostgres(fresh.url, { queryTimeoutMs: 30_000 })
  await settle(...records.slice(0, 5), ...vast, ...records.slice(5))
  const job = createJob({ pool: other.pool, batchRecords: 20_000 })
  await job.run()
  assert.equal((await readBacklog(valkey)).records, 0)
  const [posted, rejected] = [await job.count('posted'), await job.count('rejected')]
  assert.equal(posted + rejected, records.length + vast.length)
  assert.ok(rejected > 0 && rejected <= vast.length, `${rejected} were rejected`)
})

test('a late settlement replaces the record closed as lost', async () => {
  const had = await consistentRequests()
  const real = usageRecord()
  const lost = usageRecord({ ...real, outcome: 'lost', basis: 'checkpoint', completionTokens: 8 })
  await settle(lost, real)
  const job = createJob({ batchRecords: 1 })
  await job.run()
  await job.run()
  assert.equal(await job.count('replaced'), 1)
  assert.equal((await consistentRequests()) - had, 1)
})

test('usage settled during a PostgreSQL outage is posted afterwards', async () => {
  await using stopped = await startPostgres()
  await using its = openPostgres(stopped.url, { queryTimeoutMs: 30_000 })
  const job = createJob({ pool: its.pool })
  await settle(usageRecord(), usageRecord())
  await job.run()
  await stopped.kill()
  await settle(usageRecord())
  await assert.rejects(job.run())
  assert.equal((await readBacklog(valkey)).records, 1)
  await stopped.start()
  await job.run()
  assert.equal(await consistentRequests(its.pool), 3)
  assert.equal((await readBacklog(valkey)).records, 0)
})

test('the backlog reports the number of waiting records and the age of the oldest', async () => {
  const empty = { records: 0, oldestMs: undefined, open: 0 }
  assert.deepEqual(await readBacklog(valkey), empty)
  const sinceMs = Date.now() - 1
  await settle(usageRecord(), usageRecord())
  const { records, oldestMs = 0 } = await readBacklog(valkey)
  assert.equal(records, 2)
  assert.ok(oldestMs >= sinceMs && oldestMs <= Date.now())
})

test('all partitions of a cluster are posted', async () => {
  const had = await consistentRequests()
  await using cluster = await startValkeyCluster()
  await using its = await connectValkey(cluster.urls)
  const records = Array.from({ length: 60 }, () => usageRecord())
  for (const record of [...records, ...records]) {
    const { usage } = partitionKeys(partitionOf(record.organizationId))
    await retry(() => its.call('XADD', [usage, '*', 'record', JSON.stringify(record)]))
  }
  const job = createJob({ valkey: its })
  await retry(async () => {
    await job.run()
    assert.equal((await readBacklog(its)).records, 0)
  })
  assert.equal((await consistentRequests()) - had, 60)
  assert.equal(await job.count('posted'), 60)
})

/** Retries until the nodes of a new cluster agree that it is up. */
async function retry(act: () => Promise<unknown>): Promise<void> {
  const untilMs = performance.now() + 60_000
  for (;;)
    try {
      await act()
      return
    } catch (error) {
      if (!(error instanceof ValkeyUnavailable) || performance.now() > untilMs) throw error
    }
}

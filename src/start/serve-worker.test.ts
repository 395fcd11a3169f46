import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { urlForProcess } from '../../test/harness/servers/database.ts'
import { waitUntil } from '../../test/harness/figures/measure.ts'
import { blockPartitions, sumRecords } from '../../test/harness/seed/posted-usage.ts'
import { startPostgres, type PostgresServer } from '../../test/harness/servers/postgres-server.ts'
import { testConfig } from '../../test/harness/processes/service.ts'
import { usageRecord } from '../../test/harness/seed/usage-records.ts'
import { connectValkey, startValkey, type ValkeyServer } from '../../test/harness/servers/valkey.ts'
import { listPartitions } from '../store/postgres/partitions.ts'
import { openPostgres } from '../store/postgres/postgres.ts'
import { organizationKeys } from '../store/valkey/keys.ts'
import { serveWorker, type RunningWorker } from './serve-worker.ts'

const TIMEOUT_MS = 30_000

let postgres: PostgresServer
let valkey: ValkeyServer
let worker: RunningWorker
let unblock: () => Promise<void>

before(async () => {
  postgres = await startPostgres()
  valkey = await startValkey()
  const client = openPostgres(postgres.url, { queryTimeoutMs: 30_000 })
  const unlock = await blockPartitions(client.pool)
  unblock = async () => {
    await unlock()
    await client[Symbol.asyncDispose]()
  }
  const config = testConfig(urlForProcess(postgres.url, 'worker'), (given) => ({
    ...given,
    engines: [],
    valkey_urls: [valkey.url],
    worker: { ...given.worker, health_port: 0 },
  }))
  worker = await serveWorker(config)
})

after(async () => {
  await worker.stop()
  await valkey[Symbol.asyncDispose]()
  await postgres[Symbol.asyncDispose]()
})

async function ask(path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${worker.healthAddress}${path}`)
  return { status: response.status, text: await response.text() }
}

async function settle(): Promise<void> {
  await using connection = await connectValkey([valkey.url])
  const record = usageRecord()
  const { usage } = organizationKeys(record.organizationId)
  await connection.call('XADD', [usage, '*', 'record', JSON.stringify(record)])
}

async function isNotReady(): Promise<boolean> {
  return (await ask('/readyz')).status === 503
}

async function posted(count: number): Promise<void> {
  await using client = openPostgres(postgres.url, { queryTimeoutMs: 30_000 })
  const condition = async () => (await sumRecords(client.pool)).requests === count
  await waitUntil(`${count} posted records`, condition, TIMEOUT_MS)
}

test('a new worker creates the partitions of today before it posts', async () => {
  await settle()
  // A row waits behind the first attempt, and could be inserted before the second.
  const failed = /^headrace_job_errors_total\{task="make-partitions"\} [2-9]/m
  const wereTried = async () => failed.test((await ask('/metrics')).text)
  await waitUntil('the partitions to be tried', wereTried, TIMEOUT_MS)
  await using client = openPostgres(postgres.url, { queryTimeoutMs: 30_000 })
  assert.equal((await sumRecords(client.pool)).requests, 0)
  await unblock()
  await posted(1)
})

test('the worker posts usage, reports ready and counts its work', async () => {
  assert.equal((await ask('/healthz')).status, 200)
  const { status, text } = await ask('/readyz')
  const checks = { working: true, valkey: true, postgres: true }
  assert.deepEqual([status, JSON.parse(text)], [200, { checks }])
  assert.equal((await ask('/engines')).status, 404)
  const counted = async () => /^headrace_usage_posted_total 1$/m.test((await ask('/metrics')).text)
  await waitUntil('the record to be counted', counted, TIMEOUT_MS)
  const metrics = (await ask('/metrics')).text
  for (const name of [
    'headrace_usage_backlog_records',
    'headrace_usage_lag_seconds',
    'headrace_usage_duplicates_total',
    'headrace_usage_replaced_total',
    'headrace_usage_rejected_total',
    'headrace_usage_closed_total',
    'headrace_open_records',
  ])
    assert.match(metrics, new RegExp(`^${name} \\d`, 'm'))
})

test('partitions of the coming days are created', async () => {
  await using client = openPostgres(postgres.url, { queryTimeoutMs: 30_000 })
  const days = async () => (await listPartitions(client.pool, 'usage_records')).length
  await waitUntil('partitions of a week', async () => (await days()) === 8, TIMEOUT_MS)
})

test('the worker recovers from a PostgreSQL outage', async () => {
  await postgres.kill()
  await settle()
  await waitUntil('the worker not to be ready', isNotReady, TIMEOUT_MS)
  const failed = /^headrace_job_errors_total\{task="post-usage"\} [1-9]/m
  const isCounted = async () => failed.test((await ask('/metrics')).text)
  await waitUntil('the error to be counted', isCounted, TIMEOUT_MS)
  await postgres.start()
  await posted(2)
  assert.equal((await ask('/readyz')).status, 200)
})

test('the worker recovers from a Valkey outage', async () => {
  const { port } = new URL(valkey.url)
  await valkey.kill()
  await waitUntil('the worker not to be ready', isNotReady, TIMEOUT_MS)
  valkey = await startValkey({ port: Number(port) })
  await settle()
  await posted(3)
})

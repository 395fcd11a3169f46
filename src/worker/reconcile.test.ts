import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, beforeEach, test } from 'node:test'
import { createDatabase, urlForProcess } from '../../test/harness/servers/database.ts'
import {
  addTokenToRecords,
  emptyUsage,
  hideRecords,
  readDifferences,
} from '../../test/harness/seed/posted-usage.ts'
import { openedRecord, usageRecord } from '../../test/harness/seed/usage-records.ts'
import { connectValkey, startValkey } from '../../test/harness/servers/valkey.ts'
import { COUNTER_NAMES, type CountedEngine } from '../engines/adapters/read-counters.ts'
import type { Log } from '../lib/log.ts'
import { HOUR_MS } from '../lib/time.ts'
import { uuidV7 } from '../lib/uuid.ts'
import { openPostgres } from '../store/postgres/postgres.ts'
import { openReconciliations } from '../store/ledger/reconciliations.ts'
import { openUsageLog } from '../store/usage/usage-log.ts'
import { organizationKeys } from '../store/valkey/keys.ts'
import type { UsageRecord } from '../tenancy/usage-record.ts'
import { postUsageJob } from './post-usage.ts'
import { reconcile } from './reconcile.ts'
import { resyncFunds } from './resync-funds.ts'
import { createWorkerMetrics } from './worker-metrics.ts'

/** Generous, for busy test machines. */
const TIMEOUT_MS = 30_000

const errors: object[] = []
const quiet = () => {}
const log: Log = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: (fields) => void errors.push(fields),
}
const { signal } = new AbortController()

const database = await createDatabase()
const postgres = openPostgres(database.url, { queryTimeoutMs: TIMEOUT_MS })
/** With the rights of the worker. */
const own = openPostgres(urlForProcess(database.url, 'worker'), { queryTimeoutMs: TIMEOUT_MS })
const server = await startValkey()
const valkey = await connectValkey([server.url], { timeoutMs: TIMEOUT_MS })
const usageLog = openUsageLog(valkey, { log })

after(async () => {
  await usageLog[Symbol.asyncDispose]()
  for (const part of [valkey, server, own, postgres, database]) await part[Symbol.asyncDispose]()
})

beforeEach(async () => {
  errors.length = 0
  await valkey.call('FLUSHALL', [])
  await emptyUsage(postgres.pool)
})

async function settle(given: Partial<UsageRecord> = {}): Promise<UsageRecord> {
  const record = usageRecord(given)
  const { id, organizationId, projectId, credentialId, model, price } = record
  const opened = openedRecord({ id, organizationId, projectId, credentialId, model, price })
  await usageLog.settle(record, opened)
  return record
}

async function post(): Promise<void> {
  const metrics = createWorkerMetrics()
  const { pool } = own
  await postUsageJob({ pool, valkey, batchRecords: 100, metrics, log }).run(signal)
}

function createJob(engines: readonly CountedEngine[] = []) {
  const reported = new Map<string, number>()
  const job = reconcile({
    reconciliations: openReconciliations(own.pool, valkey),
    engines,
    generationMsMax: 60_000,
    everyMs: 1_000,
    log,
    resyncFunds: (sinceMs) => resyncFunds(own.pool, valkey, sinceMs),
    report: (source, name, difference) => void reported.set(`${source} ${name}`, difference),
  })
  return { reported, run: () => job.run(signal) }
}

function partitionName(record: UsageRecord): string {
  return `usage_log ${organizationKeys(record.organizationId).usage.slice(1, 4)}`
}

test('fully posted usage has no difference', async () => {
  const records = [await settle(), await settle(), await settle({ outcome: 'abandoned' })]
  await post()
  const { reported, run } = createJob()
  await run()
  assert.deepEqual(await readDifferences(postgres.pool), { 'usage_log all': 0 })
  for (const record of records) assert.equal(reported.get(partitionName(record)), 0)
  assert.deepEqual(errors, [])
})

test('a missing row is reported until it is back', async () => {
  const record = await settle()
  await post()
  const putBack = await hideRecords(postgres.pool)
  const { reported, run } = createJob()
  await run()
  const name = partitionName(record)
  assert.deepEqual(await readDifferences(postgres.pool), {
    [name]: record.cost,
    'usage_log all': record.cost,
  })
  assert.equal(reported.get(name), record.cost)
  assert.equal(errors.length, 2)

  await putBack()
  await run()
  assert.deepEqual(await readDifferences(postgres.pool), { [name]: 0, 'usage_log all': 0 })
})

test('earlier hours are compared again until their last requests have ended', async () => {
  const madeMs = Date.now() - 2 * HOUR_MS
  const record = await settle({ id: uuidV7(madeMs) })
  await post()
  const { reported, run } = createJob()
  await run()
  assert.equal(reported.get(partitionName(record)), 0)
})

test('a difference of an earlier hour is not hidden by the current one', async () => {
  const earlier = await settle({ id: uuidV7(Date.now() - HOUR_MS) })
  await post()
  await hideRecords(postgres.pool)
  await settle({ organizationId: earlier.organizationId })
  await post()
  const { reported, run } = createJob()
  await run()
  assert.equal(reported.get(partitionName(earlier)), earlier.cost)
  assert.equal(reported.get('usage_log all'), earlier.cost)

  await valkey.call('FLUSHALL', [])
  await emptyUsage(postgres.pool)
  await run()
  assert.equal(reported.get('usage_log all'), 0, 'a difference that is no longer compared')
})

test('one extra token in a row is reported', async () => {
  const record = await settle({ price: null })
  await post()
  await addTokenToRecords(postgres.pool)
  const { reported, run } = createJob()
  await run()
  assert.equal(reported.get(partitionName(record)), -1)
})

test('usage that is not posted yet is not a difference', async () => {
  await settle()
  const { reported, run } = createJob()
  await run()
  assert.deepEqual([...reported], [])
  assert.deepEqual(errors, [])
})

async function startEngine() {
  const counters = { prompt: 0, completion: 0 }
  const metrics = createServer((_request, response) => {
    const { prompt, completion } = counters
    response.end(`vllm:prompt_tokens_total ${prompt}\nvllm:generation_tokens_total ${completion}\n`)
  })
  metrics.listen(0, '127.0.0.1')
  await once(metrics, 'listening')
  const { port } = metrics.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    counters,
    engine: { name: 'one', url, apiKey: undefined, counters: COUNTER_NAMES.vllm },
    [Symbol.dispose]: () => void metrics.close(),
  }
}

test('counters of an engine are compared with usage settled between two samples', async () => {
  using started = await startEngine()
  const { counters, engine } = started
  const { reported, run } = createJob([engine])
  await run()
  await settle({ completionTokens: 20 })
  // The engine did not complete this prompt, so it did not count it.
  await settle({ outcome: 'abandoned', completionTokens: 0, firstTokenMs: null })
  counters.prompt += 100
  counters.completion += 20
  await run()
  await post()
  await run()
  assert.equal(reported.get('engine one'), 0)
  counters.prompt += 1_000
  await run()
  await run()
  assert.equal(reported.get('engine one'), 1_000)
  assert.equal(errors.length, 1)
  await settle({ completionTokens: 1_000 })
  await post()
  counters.prompt += 100
  counters.completion += 1_009
  await run()
  await run()
  assert.equal(reported.get('engine one'), 0, 'less than a hundredth is tolerated')
  assert.equal(errors.length, 1)
})

test('a restarted engine is compared from its restart on', async () => {
  using started = await startEngine()
  const { counters, engine } = started
  const { reported, run } = createJob([engine])
  counters.completion = 500
  await run()
  counters.completion = 3
  await run()
  await run()
  assert.equal(reported.has('engine one'), false)
  await run()
  assert.equal(reported.get('engine one'), 0)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../../test/harness/end-with-file.ts'
import { createDatabase, urlForProcess } from '../../test/harness/servers/database.ts'
import { askOf, opening, prepaid } from '../../test/harness/load/limits-asks.ts'
import { readPosted, readPostedCost } from '../../test/harness/seed/posted-usage.ts'
import { countsOf, endOf, PRICE, readHash } from '../../test/harness/seed/usage-records.ts'
import { connectValkey, startValkey } from '../../test/harness/servers/valkey.ts'
import type { Log } from '../lib/log.ts'
import { HOUR_MS } from '../lib/time.ts'
import { timeOfUuid } from '../lib/uuid.ts'
import { createLimits } from '../store/limits/limits.ts'
import { openPostgres } from '../store/postgres/postgres.ts'
import { createOpenRecords } from '../store/usage/open-records.ts'
import { openUsageLog } from '../store/usage/usage-log.ts'
import { readBacklog } from '../store/usage/usage-stream.ts'
import { organizationKeys } from '../store/valkey/keys.ts'
import { ValkeyUnavailable, type Valkey } from '../store/valkey/valkey.ts'
import type { OpenedRecord } from '../tenancy/usage-record.ts'
import { postUsageJob } from './post-usage.ts'
import { createWorkerMetrics } from './worker-metrics.ts'

const quiet = () => {}
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
const { signal } = new AbortController()
const RESERVED = 10_000

const database = await createDatabase()
const postgres = openPostgres(database.url, { queryTimeoutMs: 30_000 })
/** With the rights of the worker. */
const own = openPostgres(urlForProcess(database.url, 'worker'), { queryTimeoutMs: 30_000 })
const server = await startValkey()
const valkey = await connectValkey([server.url])
const limits = createLimits(valkey)
const usageLog = openUsageLog(valkey, { log })
const openRecords = createOpenRecords(valkey)

endWithFile(limits, usageLog, valkey, server, own, postgres, database)

/** What can happen to a request that was admitted; each step is also a failure to recover from. */
const steps = {
  /** A worker closes it as lost, from this many tokens at its last checkpoint. */
  async lost(opened: OpenedRecord, tokens = 8) {
    const { progress, leases } = organizationKeys(opened.organizationId)
    await valkey.call('HSET', [progress, opened.id, `10,0,${tokens},0`])
    const lease = (await valkey.call('HGET', [leases, opened.instance])) as string
    assert.equal(await openRecords.close(opened, lease), true)
  },
  /** Its own process settles it. */
  async settled(opened: OpenedRecord) {
    await usageLog.settle(endOf(opened, countsOf(10, 20)), opened)
  },
  /** It is open again, because a failover lost the end of it or its process is alive. */
  async opened(opened: OpenedRecord) {
    const { open, funds } = organizationKeys(opened.organizationId)
    await valkey.call('HSET', [open, opened.id, JSON.stringify(opened)])
    for (const field of ['reserved', `reserved:${opened.projectId}`])
      await valkey.call('HINCRBY', [funds, field, opened.reserved])
  },
  async lostLater(opened: OpenedRecord) {
    await steps.opened(opened)
    await steps.lost(opened, 12)
  },
  async lostAgain(opened: OpenedRecord) {
    await steps.opened(opened)
    await steps.lost(opened)
  },
  posted: () => post(valkey),
  /** PostgreSQL commits, and the worker dies before it deletes the entries. */
  async halfPosted() {
    const dying: Valkey = {
      ...valkey,
      call: (command, args) =>
        command === 'XDEL'
          ? Promise.reject(new ValkeyUnavailable('killed'))
          : valkey.call(command, args),
    }
    await assert.rejects(post(dying), ValkeyUnavailable)
  },
} as const

async function post(client: Valkey): Promise<void> {
  const metrics = createWorkerMetrics()
  const { pool } = own
  const options = { pool, valkey: client, batchRecords: 5_000, metrics, log }
  await postUsageJob(options).run(signal)
}

async function admit(): Promise<OpenedRecord> {
  const funds = prepaid({ granted: 1_000_000, spendingLimit: 1_000_000 })
  const ask = opening(askOf({ funds }), { price: PRICE, reserved: RESERVED, instance: 'gone' })
  assert.equal((await limits.admit(ask)).kind, 'admitted')
  assert.ok(ask.record !== null)
  return ask.record
}

const orders: readonly (keyof typeof steps)[][] = [
  ['lost', 'settled', 'posted'],
  ['lost', 'posted', 'settled', 'posted'],
  ['lost', 'halfPosted', 'settled', 'posted'],
  ['lost', 'settled', 'halfPosted', 'posted'],
  ['lost', 'posted', 'settled', 'halfPosted', 'posted'],
  ['lost', 'opened', 'settled', 'posted'],
  ['lost', 'lostLater', 'posted'],
  ['lost', 'posted', 'lostLater', 'posted'],
  ['lost', 'lostAgain', 'posted'],
  ['lost', 'lostLater', 'settled', 'posted'],
  ['lost', 'posted', 'lostLater', 'halfPosted', 'settled', 'posted'],
  ['settled', 'opened', 'lost', 'posted'],
  ['settled', 'posted', 'opened', 'lost', 'posted'],
  ['settled', 'halfPosted', 'opened', 'lost', 'posted'],
]

for (const order of orders)
  test(`Valkey counts what the ledger has: ${order.join(', ')}`, async () => {
    const opened = await admit()
    for (const step of order) await steps[step](opened)
    const { organizationId, projectId, id } = opened
    assert.equal((await readBacklog(valkey)).records, 0)
    const cost = await readPostedCost(postgres.pool, organizationId)
    assert.ok(cost > 0)
    const { funds, hour } = organizationKeys(organizationId)
    const { spent, reserved, ...ofProject } = await readHash(valkey, funds)
    const project = [ofProject[`spent:${projectId}`], ofProject[`reserved:${projectId}`]]
    assert.deepEqual([spent, reserved, ...project], [`${cost}`, '0', `${cost}`, '0'])
    const row = (await readPosted(postgres.pool)).find((posted) => posted.id === id)
    const sums = await readHash(valkey, `${hour}${Math.floor(timeOfUuid(id) / HOUR_MS)}`)
    const counted = [sums['records'], sums['cost'], sums['completion']]
    assert.deepEqual(counted, ['1', `${cost}`, `${row?.completion}`])
    await valkey.call('FLUSHALL', [])
  })

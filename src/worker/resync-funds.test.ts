import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../../test/harness/end-with-file.ts'
import { createDatabase, urlForProcess } from '../../test/harness/servers/database.ts'
import { askOf, keyLimits, opening, prepaid } from '../../test/harness/load/limits-asks.ts'
import { readPostedCost } from '../../test/harness/seed/posted-usage.ts'
import { openKey, openOrganization, type Organization } from '../../test/harness/seed/tenants.ts'
import { endOf, PRICE, readHash, usageRecord } from '../../test/harness/seed/usage-records.ts'
import { connectValkey, startValkey } from '../../test/harness/servers/valkey.ts'
import type { Log } from '../lib/log.ts'
import { createLimits } from '../store/limits/limits.ts'
import { openPostgres } from '../store/postgres/postgres.ts'
import { rotateApiKey } from '../store/tenants/rotate-api-key.ts'
import { openUsageLog } from '../store/usage/usage-log.ts'
import { readBacklog } from '../store/usage/usage-stream.ts'
import { organizationKeys } from '../store/valkey/keys.ts'
import { createApiKey } from '../tenancy/api-key.ts'
import type { OpenedRecord } from '../tenancy/usage-record.ts'
import { postUsageJob } from './post-usage.ts'
import { resyncFunds } from './resync-funds.ts'
import { createWorkerMetrics } from './worker-metrics.ts'

const quiet = () => {}
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
const { signal } = new AbortController()
const RESERVED = 1_000

const database = await createDatabase()
const postgres = openPostgres(database.url, { queryTimeoutMs: 30_000 })
/** With the rights of the worker. */
const own = openPostgres(urlForProcess(database.url, 'worker'), { queryTimeoutMs: 30_000 })
const server = await startValkey()
const valkey = await connectValkey([server.url], { timeoutMs: 30_000 })
const limits = createLimits(valkey)
const usageLog = openUsageLog(valkey, { log })

endWithFile(limits, usageLog, valkey, server, own, postgres, database)

async function admit({ id, projectId }: Organization): Promise<OpenedRecord> {
  const funds = prepaid({ granted: 10 ** 12, spendingLimit: 10 ** 12 })
  const ask = askOf({ funds, organizationId: id, projectId })
  const asked = opening(ask, { price: PRICE, reserved: RESERVED, instance: 'one' })
  assert.equal((await limits.admit(asked)).kind, 'admitted')
  assert.ok(asked.record !== null)
  return asked.record
}

async function post(): Promise<void> {
  const metrics = createWorkerMetrics()
  const { pool } = own
  await postUsageJob({ pool, valkey, batchRecords: 5_000, metrics, log }).run(signal)
}

/** An organization with a posted record. */
async function openActive(): Promise<Organization> {
  const organization = await openOrganization(postgres.database, 'default')
  const opened = await admit(organization)
  await usageLog.settle(endOf(opened), opened)
  await post()
  return organization
}

async function fundsOf({ id, projectId }: Organization): Promise<(string | undefined)[]> {
  const fields = await readHash(valkey, organizationKeys(id).funds)
  const names = ['spent', `spent:${projectId}`, 'reserved', `reserved:${projectId}`]
  return names.map((name) => fields[name])
}

/** Changes every field, as nothing but an error could. */
async function spoil({ id, projectId }: Organization, by: number): Promise<void> {
  for (const name of ['spent', `spent:${projectId}`, 'reserved', `reserved:${projectId}`])
    await valkey.call('HINCRBY', [organizationKeys(id).funds, name, by])
}

function resync() {
  return resyncFunds(own.pool, valkey, 0)
}

test('funds are what is posted, what waits to be posted and what is open', async () => {
  const organization = await openActive()
  const posted = await readPostedCost(postgres.pool, organization.id)
  const waiting = await admit(organization)
  const record = endOf(waiting)
  await usageLog.settle(record, waiting)
  const open = [await admit(organization), await admit(organization)]
  const spent = `${posted + record.cost}`
  const reserved = `${open.length * RESERVED}`
  for (const by of [777, -333]) {
    await spoil(organization, by)
    assert.deepEqual(await resync(), { corrected: 1, busy: 0 })
    assert.deepEqual(await fundsOf(organization), [spent, spent, reserved, reserved])
  }
  assert.deepEqual(await resync(), { corrected: 0, busy: 0 })
})

test('a record that waits counts as posting will count it', async () => {
  const organization = await openActive()
  const { id: organizationId, projectId } = organization
  const posted = await readPostedCost(postgres.pool, organizationId)
  const { usage } = organizationKeys(organizationId)
  const write = (record: object) =>
    valkey.call('XADD', [usage, '*', 'record', JSON.stringify(record)])
  const lost = (completionTokens: number) =>
    ({ organizationId, projectId, outcome: 'lost', basis: 'checkpoint', completionTokens }) as const
  // Lost and posted, lost later, and settled twice; the waiting entries repeat.
  const first = usageRecord(lost(8))
  await write(first)
  await post()
  await write(usageRecord({ ...lost(5), id: first.id }))
  await write(usageRecord({ ...lost(12), id: first.id }))
  const real = usageRecord({ organizationId, projectId, id: first.id, completionTokens: 30 })
  await write(real)
  await write(real)
  await resync()
  const expected = `${posted + real.cost}`
  assert.deepEqual((await fundsOf(organization)).slice(0, 2), [expected, expected])
  await post()
  assert.equal(`${await readPostedCost(postgres.pool, organizationId)}`, expected)
})

test('funds are corrected while the partition settles and posts without a pause', async () => {
  const organization = await openActive()
  const stop = new AbortController()
  let settled = 0
  const client = async () => {
    while (!stop.signal.aborted) {
      const opened = await admit(organization)
      await usageLog.settle(endOf(opened), opened)
      settled += 1
    }
  }
  const worker = async () => {
    while (!stop.signal.aborted) await post()
  }
  const load = Promise.all([client(), client(), client(), client(), worker(), worker()])
  for (const by of [1_000_000, -500, 7_000, 123_456]) {
    const had = settled
    await spoil(organization, by)
    assert.deepEqual(await resync(), { corrected: 1, busy: 0 })
    assert.ok(settled > had, 'nothing was settled meanwhile')
  }
  stop.abort()
  await load
  while ((await readBacklog(valkey)).records > 0) await post()
  const cost = `${await readPostedCost(postgres.pool, organization.id)}`
  assert.deepEqual(await fundsOf(organization), [cost, cost, '0', '0'])
})

test('the budget of keys is what is posted, what waits to be posted and what is open', async () => {
  const organization = await openActive()
  const { id: organizationId, projectId } = organization
  const { database: tables } = postgres
  const old = await openKey(tables, projectId, { spendingLimit: 10 ** 12 })
  const replaced = await rotateApiKey(tables, old, createApiKey('headrace'), { overlapMs: 1_000 })
  const key = keyLimits({ id: old.id, spendingLimit: 10 ** 12 })
  const funds = prepaid({ granted: 10 ** 12 })
  const admitOf = async (credentialId: string) => {
    const ask = askOf({ funds, organizationId, projectId, key })
    const asked = opening(ask, { price: PRICE, reserved: RESERVED, instance: 'one', credentialId })
    assert.equal((await limits.admit(asked)).kind, 'admitted')
    return asked.record!
  }
  let spent = 0
  for (const credentialId of [old.id, replaced.value.id, replaced.value.id]) {
    const opened = await admitOf(credentialId)
    const record = endOf(opened)
    await usageLog.settle(record, opened)
    spent += record.cost
    if (credentialId === old.id) await post()
  }
  await post()
  const waiting = await admitOf(old.id)
  await usageLog.settle(endOf(waiting), waiting)
  spent += endOf(waiting).cost
  await admitOf(replaced.value.id)
  const book = `${organizationKeys(organizationId).key}${old.id}`
  const expected = { spent: `${spent}`, reserved: `${RESERVED}` }
  assert.partialDeepStrictEqual(await readHash(valkey, book), expected)
  for (const by of [777, -333]) {
    for (const field of ['spent', 'reserved']) await valkey.call('HINCRBY', [book, field, by])
    assert.deepEqual(await resync(), { corrected: 1, busy: 0 })
    assert.partialDeepStrictEqual(await readHash(valkey, book), expected)
  }
  assert.deepEqual(await resync(), { corrected: 0, busy: 0 })
})

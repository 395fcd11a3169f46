import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { endWithFile } from '../../test/harness/end-with-file.ts'
import { waitUntil } from '../../test/harness/figures/measure.ts'
import { testConfig } from '../../test/harness/processes/service.ts'
import { openOrganization } from '../../test/harness/seed/tenants.ts'
import { createDatabase, urlForProcess } from '../../test/harness/servers/database.ts'
import { connectValkey, startValkey } from '../../test/harness/servers/valkey.ts'
import { HOUR_MS } from '../lib/time.ts'
import type { Log } from '../lib/log.ts'
import { announceVersions } from '../platform/use-case/announce.ts'
import { serveWorker } from '../start/serve-worker.ts'
import { balanceOf, changeFunds } from '../store/ledger/double-entry.ts'
import { openPostgres } from '../store/postgres/postgres.ts'
import { organizationKeys } from '../store/valkey/keys.ts'
import { expireCreditsJob } from './expire-credits.ts'

const quiet = () => {}
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
const { signal } = new AbortController()

const testDatabase = await createDatabase()
const owner = openPostgres(testDatabase.url, { queryTimeoutMs: 30_000 })
const own = openPostgres(urlForProcess(testDatabase.url, 'worker'), { queryTimeoutMs: 30_000 })
const server = await startValkey()
const valkey = await connectValkey([server.url], { timeoutMs: 30_000 })
endWithFile(valkey, server, own, owner, testDatabase)

const { database } = own
const job = () =>
  expireCreditsJob({
    database,
    valkey,
    announce: (raised) => announceVersions({ database, valkey, replicasMin: 0 }, raised),
  })

/** An organization whose credit ended this long ago. */
async function openWithCredit(endedHoursAgo: number, amount = 10): Promise<string> {
  const { id } = await openOrganization(owner.database, 'default')
  await changeFunds(owner.database, {
    organizationId: id,
    amount,
    kind: 'grant',
    reference: randomUUID(),
    madeBy: 'tester',
    reason: 'a test',
    expiresAt: new Date(Date.now() + HOUR_MS),
  })
  await owner.pool.query(
    `update credit_lots set expires_at = now() - $2 * interval '1 hour'
     where organization_id = $1`,
    [id, endedHoursAgo],
  )
  return id
}

async function balances(ids: readonly string[]): Promise<number[]> {
  const found = await Promise.all(ids.map((id) => balanceOf(owner.database, id)))
  return found.map(({ balance }) => balance)
}

test('two workers at once take back each credit once, and Valkey knows of it', async () => {
  const over = await Promise.all(Array.from({ length: 5 }, async () => openWithCredit(1)))
  const early = await openWithCredit(0.9)
  await Promise.all([job().run(signal), job().run(signal)])
  assert.deepEqual(await balances([...over, early]), [0, 0, 0, 0, 0, 10])
  const { rowCount } = await owner.pool.query(`select from transfers where kind = 'expiry'`)
  assert.equal(rowCount, 5)
  for (const id of over) {
    const known = await valkey.call('GET', [organizationKeys(id).version])
    const { rows } = await owner.pool.query('select version from organizations where id = $1', [id])
    assert.equal(Number(known), (rows[0] as { version: number }).version)
  }
  assert.equal((await owner.pool.query('select from announcements')).rowCount, 0)
})

test('what running requests hold, and usage that is not posted yet, is left', async () => {
  const id = await openWithCredit(5)
  await valkey.call('HSET', [organizationKeys(id).funds, 'reserved', 3, 'spent', 4])
  await job().run(signal)
  assert.deepEqual(await balances([id]), [7])
  await valkey.call('HSET', [organizationKeys(id).funds, 'reserved', 0, 'spent', 4])
  await job().run(signal)
  assert.deepEqual(await balances([id]), [4])
})

test('owners are told once of credits that end within a week, and of what is left', async () => {
  const soon = await openWithCredit(-24 * 6.9)
  const later = await openWithCredit(-24 * 7.1)
  const over = await openWithCredit(0.5)
  await Promise.all([job().run(signal), job().run(signal)])
  await job().run(signal)
  const { rows } = await owner.pool.query(
    `select organization_id as id, kind, facts ->> 'amount' as amount from letters
     where organization_id = any($1)`,
    [[soon, later, over]],
  )
  assert.deepEqual(rows, [{ id: soon, kind: 'credit_expires', amount: '10' }])
})

test('without Valkey nothing is taken, because nobody knows what requests hold', async () => {
  const id = await openWithCredit(5)
  await using gone = await connectValkey([server.url])
  await gone[Symbol.asyncDispose]()
  const announce = async () => assert.fail('nothing is announced')
  await assert.rejects(expireCreditsJob({ database, valkey: gone, announce }).run(signal))
  assert.deepEqual(await balances([id]), [10])
})

test('a worker with the shipped settings takes back what has expired', async () => {
  const id = await openWithCredit(2)
  const config = testConfig(urlForProcess(testDatabase.url, 'worker'), (given) => ({
    ...given,
    engines: [],
    valkey_urls: [server.url],
    worker: { ...given.worker, health_port: 0 },
  }))
  const worker = await serveWorker(config, log)
  try {
    await waitUntil('the credit has expired', async () => (await balances([id]))[0] === 0, 60_000)
  } finally {
    await worker.stop()
  }
})

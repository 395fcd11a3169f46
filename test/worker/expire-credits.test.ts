import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { testConfig } from '../harness/processes/service.ts'
import { creditEmails, openWithCredit } from '../harness/seed/credits.ts'
import { createDatabase, urlForProcess } from '../harness/servers/database.ts'
import { connectValkey, startValkey } from '../harness/servers/valkey.ts'
import type { Log } from '../../src/lib/log.ts'
import { announceVersions } from '../../src/platform/use-case/announce.ts'
import { serveWorker } from '../../src/start/serve-worker.ts'
import { balanceOf } from '../../src/store/ledger/double-entry.ts'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { findOrganization } from '../../src/store/tenants/organizations.ts'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import { expireCreditsJob } from '../../src/worker/money/expire-credits.ts'

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

async function balances(ids: readonly string[]): Promise<number[]> {
  const found = await Promise.all(ids.map((id) => balanceOf(owner.database, id)))
  return found.map(({ balance }) => balance)
}

test('two workers at once take back each credit once, and Valkey knows of it', async () => {
  const over = await Promise.all(Array.from({ length: 5 }, async () => openWithCredit(owner, 1.01)))
  const early = await openWithCredit(owner, 0.9)
  await Promise.all([job().run(signal), job().run(signal)])
  assert.deepEqual(await balances([...over, early]), [0, 0, 0, 0, 0, 10])
  const { rowCount } = await owner.pool.query(`select from transfers where kind = 'expiry'`)
  assert.equal(rowCount, 5)
  for (const id of over) {
    const known = await valkey.call('GET', [organizationKeys(id).version])
    assert.equal(Number(known), (await findOrganization(owner.database, id)).version)
  }
  assert.equal((await owner.pool.query('select from announcements')).rowCount, 0)
})

test('what running requests hold, and usage that is not posted yet, is left', async () => {
  const id = await openWithCredit(owner, 5)
  await valkey.call('HSET', [organizationKeys(id).funds, 'reserved', 3, 'spent', 4])
  await job().run(signal)
  assert.deepEqual(await balances([id]), [7])
  await valkey.call('HSET', [organizationKeys(id).funds, 'reserved', 0, 'spent', 4])
  await job().run(signal)
  assert.deepEqual(await balances([id]), [4])
})

test('owners are told once of credits that end within a week, and of what is left', async () => {
  const soon = await openWithCredit(owner, -24 * 6.9)
  const later = await openWithCredit(owner, -24 * 7.1)
  const over = await openWithCredit(owner, 0.5)
  await Promise.all([job().run(signal), job().run(signal)])
  await job().run(signal)
  assert.deepEqual(await creditEmails(owner, [soon, later, over]), [[soon, 10]])
})

test('without Valkey nothing is taken, because nobody knows what requests hold', async () => {
  const id = await openWithCredit(owner, 5)
  await using gone = await connectValkey([server.url])
  await gone[Symbol.asyncDispose]()
  const announce = async () => assert.fail('nothing is announced')
  await assert.rejects(expireCreditsJob({ database, valkey: gone, announce }).run(signal))
  assert.deepEqual(await balances([id]), [10])
})

test('a worker with the shipped settings takes back what has expired', async () => {
  const id = await openWithCredit(owner, 2)
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

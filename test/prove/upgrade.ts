/**
 * The migrations of a next release on a full database, while processes of this release work.
 * covers: migrations/** src/store/postgres/**
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Pool } from 'pg'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { startEnvironment, type Environment } from '../harness/environment.ts'
import { startCountingEngine } from '../harness/fake-engine/counting.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { meteredOptions, waitUntilPosted } from '../harness/load/metered.ts'
import { startPostgres } from '../harness/servers/postgres-server.ts'
import { findWrongSums, sumRecords } from '../harness/seed/posted-usage.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { requireStack, stackEnvironment } from '../harness/processes/service.ts'
import { fill } from './upgrade/fill.ts'
import { makeIndexByHand, migrateToNextRelease } from './upgrade/next-release.ts'
import { watchLocks } from './upgrade/watch-locks.ts'
import { startWork, type Counts } from './upgrade/work.ts'

const RECORDS = 100_000
const RECORDS_SOAK = 20_000_000
const ENGINE = 'counting'
/** Of each kind, before the migration, after it and after a rollback. */
const GENERATIONS = 100
const PAGES = 20
/** The request path gives up a statement after so long. */
const WAIT_MS_MAX = 2_000
const TIMEOUT_MS = 120_000
const QUERY_TIMEOUT_MS = 1_800_000
const ERROR_LEVEL = 50
const MAIN = new URL('../../src/main.ts', import.meta.url).pathname
const SETTINGS = ['wal_level=minimal', 'max_wal_senders=0', 'max_wal_size=8GB'].concat(
  'shared_buffers=1GB',
  'maintenance_work_mem=256MB',
)

async function startSetting(run: ProofRun, stack: AsyncDisposableStack, records: number) {
  const server = stack.use(await startPostgres({ settings: SETTINGS }))
  const { pool } = stack.use(openPostgres(server.url, { queryTimeoutMs: QUERY_TIMEOUT_MS }))
  const sinceMs = performance.now()
  await fill(pool, records)
  for (const wrong of await findWrong(pool)) run.fail(`filled in: ${wrong}`)
  console.log(`${records} records filled in ${((performance.now() - sinceMs) / 1000).toFixed(0)} s`)
  const engine = stack.use(await startCountingEngine())
  const errors: string[] = []
  const onLog = (line: string) => {
    const { level, msg } = JSON.parse(line) as { level: number; msg: string }
    // The records that were filled in are unknown to Valkey, and reconciliation says so.
    if (level >= ERROR_LEVEL && !msg.startsWith('posted usage differs')) errors.push(line)
  }
  const environment = stack.use(
    await startEnvironment({
      ...meteredOptions([{ name: ENGINE, url: engine.url }]),
      databaseUrl: server.url,
      valkey: 'own',
      onLog,
    }),
  )
  return { pool, environment, errors }
}

/** Sums that are not those of the records. */
async function findWrong(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ wrong: number }>(
    `select (select sum(cost) from usage_totals) - (select sum(cost) from usage_records) as wrong`,
  )
  const wrong = await findWrongSums(pool)
  return Number(rows[0]?.wrong) === 0 ? wrong : [...wrong, `totals: ${rows[0]?.wrong}`]
}

/** Migrates while the service works. Returns how long it took and how long others waited. */
async function migrateBeside({ counts }: { counts: Counts }, pool: Pool, databaseUrl: string) {
  const locks = watchLocks(pool)
  const before = counts.complete
  const sinceMs = performance.now()
  await makeIndexByHand(databaseUrl)
  const byHandMs = performance.now() - sinceMs
  await migrateToNextRelease(databaseUrl)
  const migrateMs = performance.now() - sinceMs - byHandMs
  const during = counts.complete - before
  const { longestMs } = await locks.stop()
  return { byHandMs, migrateMs, longestMs, during }
}

/** `headrace migrate` of this release, which finds nothing to do in a database that is ahead. */
async function runMigrate({ databaseUrl, valkeyUrls, file }: Environment): Promise<void> {
  const child = spawn(process.execPath, [MAIN, 'migrate'], {
    env: {
      ...stackEnvironment(requireStack(), databaseUrl),
      HEADRACE_VALKEY_URL: valkeyUrls.join(','),
      HEADRACE_CONFIG: file,
    },
    stdio: 'inherit',
  })
  const [code] = (await once(child, 'exit')) as [number]
  if (code !== 0) throw new Error(`headrace migrate ended with ${code}`)
}

async function prove(run: ProofRun) {
  const records = Number(run.values['records'] ?? (run.soak ? RECORDS_SOAK : RECORDS))
  await using stack = new AsyncDisposableStack()
  const { pool, environment, errors } = await startSetting(run, stack, records)
  const before = await sumRecords(pool)
  const apis = [await environment.startApi()]
  const workers = [await environment.startWorker()]
  const console_ = await environment.startConsole()
  const work = await startWork({ environment, engine: ENGINE, apis, console: console_ })
  const { counts } = work
  const continued = async (when: string) => {
    const { complete, pages } = counts
    const isDone = () => counts.complete >= complete + GENERATIONS && counts.pages >= pages + PAGES
    await waitUntil(`clients to be served ${when}`, isDone, TIMEOUT_MS)
  }
  await continued('before the migration')
  const migrated = await migrateBeside(work, pool, environment.databaseUrl)
  await continued('after the migration')
  // As after a rollback: processes of this release start on the database of the next one.
  await runMigrate(environment)
  apis.push(await environment.startApi())
  workers.push(await environment.startWorker())
  await continued('after a rollback')
  await work.stop()
  await waitUntilPosted(environment.valkey)

  const after = await sumRecords(pool)
  const expected = before.requests + counts.complete
  if (after.requests !== expected) run.fail(`${after.requests} records instead of ${expected}`)
  for (const wrong of await findWrong(pool)) run.fail(`sums: ${wrong}`)
  for (const failed of [...counts.failed, ...errors]) run.fail(failed)
  for (const { crashes } of [...apis, ...workers, console_])
    if (crashes > 0) run.fail('a process ended')
  if (migrated.longestMs > WAIT_MS_MAX)
    run.fail(`a lock was waited for ${migrated.longestMs.toFixed(0)} ms`)
  return {
    records,
    by_hand_ms: migrated.byHandMs.toFixed(0),
    migrate_ms: migrated.migrateMs.toFixed(0),
    longest_lock_wait_ms: migrated.longestMs.toFixed(0),
    requests: counts.complete,
    during: migrated.during,
    pages: counts.pages,
    failed: counts.failed.length,
    exact: String(run.failures.length === 0),
  }
}

await runProof('upgrade', prove, { records: { type: 'string' } })

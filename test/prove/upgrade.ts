/**
 * The migration of a full database, while processes of the release before it run.
 * covers: migrations/** src/store/postgres/**
 */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import type { Pool } from 'pg'
import { migrate } from '../../src/store/postgres/migrate.ts'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { modelOn, startEnvironment, type Environment } from '../harness/environment.ts'
import { requestOf, startCountingEngine } from '../harness/fake-engine/counting.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { meteredOptions, openFundedCaller, waitUntilPosted } from '../harness/load/metered.ts'
import { startPostgres } from '../harness/servers/postgres-server.ts'
import { findWrongSums, sumRecords } from '../harness/seed/posted-usage.ts'
import { startProcess, type HeadraceProcess } from '../harness/processes/process.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { requireStack, stackEnvironment } from '../harness/processes/service.ts'
import { openKey } from '../harness/seed/tenants.ts'
import { exchange } from '../harness/clients/usage-client.ts'
import { fill } from './upgrade/fill.ts'
import { startPreviousRelease } from './upgrade/previous-release.ts'
import { watchLocks } from './upgrade/watch-locks.ts'

const RECORDS = 100_000
const RECORDS_SOAK = 20_000_000
const ENGINE = 'counting'
const CLIENTS = 4
/** Of each kind, before and after the migration. */
const STEPS = 100
/** The request path gives up a statement after so long. */
const WAIT_MS_MAX = 2_000
const TIMEOUT_MS = 120_000
const QUERY_TIMEOUT_MS = 1_800_000
const ERROR_LEVEL = 50
const MIGRATIONS = new URL('../../migrations/', import.meta.url).pathname
const MAIN = new URL('../../src/main.ts', import.meta.url).pathname
const SETTINGS = ['wal_level=minimal', 'max_wal_senders=0', 'max_wal_size=8GB'].concat(
  'shared_buffers=1GB',
  'maintenance_work_mem=256MB',
)

/** Applies the migrations of the previous release only. */
async function migrateAsBefore(url: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-before-'))
  for (const name of ['0001-accounts-organizations-keys.sql', '0002-usage-money-content.sql'])
    await cp(join(MIGRATIONS, name), join(folder, name))
  await migrate(url, pathToFileURL(`${folder}/`))
  await rm(folder, { recursive: true })
}

/** `headrace migrate`. Returns how long it took, in milliseconds. */
async function runMigrate({ databaseUrl, valkeyUrls, file }: Environment): Promise<number> {
  const sinceMs = performance.now()
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
  return performance.now() - sinceMs
}

/** Sends requests to the apis that run. Each has a key of its own, which no process has cached. */
async function startRequests(environment: Environment, apis: readonly HeadraceProcess[]) {
  const { postgres } = environment
  const { projectId } = await openFundedCaller(environment)
  // The sum of the month is read for a project with a limit only.
  await postgres.pool.query('update projects set spending_limit = 900000000000000')
  const work = { cached: 0, tokens: 3, reasoning: 0, calls: false, everyMs: 1 }
  const stopping = new AbortController()
  const counts = { complete: 0, failed: 0 }
  let sent = 0
  const run = async () => {
    while (!stopping.signal.aborted) {
      const { text: key } = await openKey(postgres.database, projectId)
      sent += 1
      const { apiRoot } = apis[sent % apis.length]!
      const request = requestOf(modelOn(ENGINE), { ...work, prompt: sent }, true)
      const { complete } = await exchange({ apiRoot, key }, request)
      counts[complete ? 'complete' : 'failed'] += 1
    }
  }
  const running = Array.from({ length: CLIENTS }, run)
  return {
    counts,
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

async function startSetting(run: ProofRun, stack: AsyncDisposableStack, records: number) {
  const server = stack.use(await startPostgres({ migrated: false, settings: SETTINGS }))
  await migrateAsBefore(server.url)
  const { pool } = stack.use(openPostgres(server.url, { queryTimeoutMs: QUERY_TIMEOUT_MS }))
  const sinceMs = performance.now()
  await fill(pool, records)
  const wrong = await findWrongSumsBefore(pool)
  console.log(`${records} records filled in ${seconds(sinceMs)} s`)
  if (wrong > 0) run.fail(`the filled database has ${wrong} wrong sums`)
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
  return { pool, environment, errors, onLog }
}

/** Roll-ups and accounts of the previous release that do not match the records. */
async function findWrongSumsBefore(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ wrong: number }>(`
    select ((select sum(cost) from usage_records) <> (select sum(cost) from usage_hourly))::int
      + ((select sum(cost) from usage_records) <> (select sum(cost) from usage_daily))::int
      + ((select sum(cost) from usage_records) <> (select sum(amount) from transfers))::int
      + ((select sum(debits - credits) from ledger_accounts) <> 0)::int as wrong`)
  return rows[0]?.wrong ?? Number.NaN
}

async function prove(run: ProofRun) {
  const records = Number(run.values['records'] ?? (run.soak ? RECORDS_SOAK : RECORDS))
  await using stack = new AsyncDisposableStack()
  const { pool, environment, errors, onLog } = await startSetting(run, stack, records)
  const { databaseUrl, valkeyUrls, file } = environment
  const before = await sumRecords(pool)
  const { pool: previousPool } = stack.use(
    openPostgres(databaseUrl, { queryTimeoutMs: TIMEOUT_MS }),
  )
  const previous = await startPreviousRelease(previousPool)
  const apis: HeadraceProcess[] = []
  if (run.values['previous'] !== undefined) {
    const main = join(run.values['previous'], 'src/main.ts')
    const options = { main, databaseUrl, valkeyUrls, file, onLog }
    apis.push(stack.use(await startProcess('api', options)))
    stack.use(await startProcess('worker', options))
  }
  const requestsBefore = apis.length === 0 ? undefined : await startRequests(environment, apis)
  const isPosted = () => previous.posted >= STEPS
  await waitUntil('usage to be posted before the migration', isPosted, TIMEOUT_MS)

  const locks = watchLocks(pool)
  const migrateMs = await runMigrate(environment)
  const waits = await locks.stop()
  const postedBefore = previous.posted
  apis.push(await environment.startApi())
  await environment.startWorker()
  const requests = requestsBefore ?? (await startRequests(environment, apis))
  const completeBefore = requests.counts.complete
  const areBothUsed = () => {
    const done = requests.counts.complete - completeBefore
    return previous.posted - postedBefore >= STEPS && done >= STEPS
  }
  await waitUntil('both releases to work beside each other', areBothUsed, TIMEOUT_MS)
  await requests.stop()
  await previous.stop()
  await waitUntilPosted(environment.valkey)

  const after = await sumRecords(pool)
  const expected = before.requests + previous.posted + requests.counts.complete
  if (after.requests !== expected) run.fail(`${after.requests} records instead of ${expected}`)
  for (const wrong of await findWrongSums(pool)) run.fail(`sums: ${wrong}`)
  for (const error of [...previous.errors.map(String), ...errors]) run.fail(error)
  if (requests.counts.failed > 0) run.fail(`${requests.counts.failed} requests failed`)
  if (waits.longestMs > WAIT_MS_MAX) run.fail(`a lock was waited for ${waits.longestMs} ms`)
  return {
    records,
    migrate_ms: migrateMs.toFixed(0),
    steps_ms: (await readSteps(pool)).join('/'),
    longest_lock_wait_ms: waits.longestMs.toFixed(0),
    previous_posts: previous.posted,
    previous_reads: previous.reads,
    requests: requests.counts.complete,
    failed: requests.counts.failed,
    exact: String(run.failures.length === 0),
  }
}

/** The time between the starts of the transactions of the migrations, in milliseconds. */
async function readSteps(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ ms: number }>(
    `select round(extract(epoch from applied_at - lag(applied_at) over (order by name)) * 1000)::int
       as ms from migrations where name > '0003'`,
  )
  return rows.map(({ ms }) => ms).filter((ms) => ms !== null)
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1_000).toFixed(0)
}

await runProof('upgrade', prove, { records: { type: 'string' }, previous: { type: 'string' } })

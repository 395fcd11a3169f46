import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { Client } from 'pg'
import { createCommands, type Commands } from '../harness/processes/command.ts'
import { copyDatabase, type TestDatabase } from '../harness/servers/database.ts'
import {
  findWrongSums,
  readDifferences,
  readPosted,
  readPostedCost,
  sumRecords,
} from '../harness/seed/posted-usage.ts'
import { openKey, openOrganization } from '../harness/seed/tenants.ts'
import { INSTANCE, openedRecord, readHash, usageRecord } from '../harness/seed/usage-records.ts'
import { connectValkey, startValkey, type ValkeyServer } from '../harness/servers/valkey.ts'
import type { Log } from '../../src/lib/log.ts'
import { HOUR_MS } from '../../src/lib/time.ts'
import { uuidV7 } from '../../src/lib/uuid.ts'
import { openPostgres, type Postgres } from '../../src/store/postgres/postgres.ts'
import { openUsageLog } from '../../src/store/usage/usage-log.ts'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import type { Valkey } from '../../src/store/valkey/valkey.ts'
import { postUsageJob } from '../../src/worker/post-usage.ts'
import { createWorkerMetrics } from '../../src/worker/worker-metrics.ts'

const quiet = () => {}
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet }

let commands: Commands
let server: ValkeyServer
let valkey: Valkey
/** The database before it was lost. */
let postgres: Postgres
const backups: TestDatabase[] = []

before(async () => {
  commands = await createCommands()
  server = await startValkey()
  valkey = await connectValkey([server.url])
  postgres = openPostgres(commands.databaseUrl)
})
after(async () => {
  for (const part of [valkey, server, postgres]) await part[Symbol.asyncDispose]()
  for (const backup of backups) await backup[Symbol.asyncDispose]()
  await commands[Symbol.asyncDispose]()
})
afterEach(async () => {
  await valkey.call('FLUSHALL', [])
})

/** Copies the database as it is now; it is restored to this later. */
async function backUp(): Promise<string> {
  await postgres[Symbol.asyncDispose]()
  const copy = await copyDatabase(commands.databaseUrl)
  postgres = openPostgres(commands.databaseUrl)
  backups.push(copy)
  return copy.url
}

/** Settles requests of an organization that cost 156 micro-units each, and posts them. */
async function use(organizationId: string, count: number, keepHours: number): Promise<void> {
  const usageLog = openUsageLog(valkey, { log })
  for (let each = 0; each < count; each += 1) {
    const opened = openedRecord({ organizationId })
    await usageLog.settle(usageRecord({ ...opened, model: 'example/large' }), opened)
  }
  await usageLog[Symbol.asyncDispose]()
  const metrics = createWorkerMetrics()
  const keepMs = keepHours * HOUR_MS
  const settings = { batchRecords: 1_000, keepMs, metrics, log }
  await postUsageJob({ pool: postgres.pool, valkey, ...settings }).run(new AbortController().signal)
}

async function recover(databaseUrl: string, ...args: string[]) {
  const environment = { HEADRACE_DATABASE_URL: databaseUrl, HEADRACE_VALKEY_URL: server.url }
  return commands.run(['recover', ...args], environment)
}

type Answer = Readonly<Record<string, number | boolean>> & {
  readonly hours: readonly Readonly<Record<string, number | string>>[]
}

async function answer(databaseUrl: string, ...args: string[]): Promise<Answer> {
  const { code, stdout, stderr } = await recover(databaseUrl, '--json', ...args)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout) as Answer
}

const CHANGES = [
  'versions_raised',
  'open_requests_closed',
  'waiting_records_posted',
  'kept_records_posted',
  'cached_funds_dropped',
  'counters_rebuilt',
] as const

function changesOf(found: Answer): (number | boolean | undefined)[] {
  return CHANGES.map((name) => found[name])
}

/** Gives Valkey a newer version than PostgreSQL has, and funds of an organization and a key. */
async function spoil(organizationId: string, limitsId: string): Promise<void> {
  const keys = organizationKeys(organizationId)
  await valkey.call('HSET', [`${keys.key}${limitsId}`, 'spent', 7, 'month', 202605])
  await valkey.call('SET', [keys.version, 41])
  await valkey.call('HSET', [keys.funds, 'spent', 999, 'reserved', 5])
}

async function readVersion({ database }: Postgres, id: string): Promise<number | undefined> {
  const row = database.selectFrom('organizations').select('version').where('id', '=', id)
  return (await row.executeTakeFirst())?.version
}

test('kept usage is posted again, versions rise and funds are dropped, once', async () => {
  const { id, projectId } = await openOrganization(postgres.database, 'free')
  const key = await openKey(postgres.database, projectId)
  await use(id, 10, 1)
  const url = await backUp()
  await use(id, 30, 1)
  await spoil(id, key.id)
  const planned = await answer(url, '--dry-run')
  assert.deepEqual(changesOf(planned), [1, 0, 0, 30, 2, 0])
  assert.deepEqual([planned['kept_records'], planned['missing_records']], [40, 30])
  const done = await answer(url, '--by', 'Grace')
  assert.deepEqual(changesOf(done), [1, 0, 0, 30, 2, 0])
  assert.deepEqual([done['missing_records'], done['missing_tokens']], [0, 0])
  await using copy = openPostgres(url)
  assert.equal((await sumRecords(copy.pool)).requests, (await sumRecords(postgres.pool)).requests)
  assert.deepEqual(await findWrongSums(copy.pool), [])
  assert.equal(await readPostedCost(copy.pool, id), await readPostedCost(postgres.pool, id))
  assert.equal(await readVersion(copy, id), 42)
  assert.equal(await valkey.call('GET', [organizationKeys(id).version]), '42')
  const { funds, key: prefix } = organizationKeys(id)
  assert.equal(await valkey.call('EXISTS', [funds, `${prefix}${key.id}`]), 0)
  const events = await copy.database
    .selectFrom('audit_events')
    .select(['actor_label', 'changes'])
    .where('action', '=', 'organizations.restore_versions')
    .execute()
  assert.deepEqual(events, [{ actor_label: 'Grace', changes: { restored: [0, 1] } }])
  const { code, stdout } = await recover(url)
  assert.equal(code, 0)
  assert.match(stdout, /^nothing to do\nPostgreSQL has all usage/)
})

test('without kept records the loss is reported by hour, and reported again', async () => {
  const { id } = await openOrganization(postgres.database, 'free')
  const url = await backUp()
  await use(id, 7, 0)
  for (const isDone of [false, true]) {
    if (!isDone) await spoil(id, id)
    const found = await answer(url)
    assert.equal(found['nothing_to_do'], isDone)
    assert.deepEqual([found['missing_records'], found['missing_tokens']], [7, 7 * 120])
    assert.equal(found.hours.at(-1)?.['missing_records'], 7)
  }
  await using copy = openPostgres(url)
  assert.ok(Number((await readDifferences(copy.pool))['usage_log all']) > 0)
  const { stdout } = await recover(url)
  assert.match(stdout, /PostgreSQL lacks 7 usage records \(840 tokens\)/)
})

test('open requests are closed and waiting records posted before funds are dropped', async () => {
  const { id } = await openOrganization(postgres.database, 'free')
  const keys = organizationKeys(id)
  const opened = openedRecord({ organizationId: id, id: uuidV7() })
  await valkey.call('HSET', [keys.open, opened.id, JSON.stringify(opened)])
  await valkey.call('HSET', [keys.progress, opened.id, '100,0,3,0'])
  await valkey.call('HSET', [keys.leases, INSTANCE, Date.now() - 60_000])
  const waiting = usageRecord({ organizationId: id })
  const ids = [opened.id, waiting.id]
  await valkey.call('XADD', [keys.usage, '*', 'record', JSON.stringify(waiting)])
  const done = await answer(commands.databaseUrl)
  assert.deepEqual([done['open_requests_closed'], done['waiting_records_posted']], [1, 2])
  const posted = (await readPosted(postgres.pool)).filter((each) => ids.includes(each.id))
  assert.deepEqual(posted.map(({ outcome, completion }) => `${outcome} ${completion}`).toSorted(), [
    'completed 20',
    'lost 3',
  ])
  assert.deepEqual(await readHash(valkey, keys.leases), {})
})

test('after Valkey was lost its sums come from PostgreSQL; then nothing is left', async () => {
  const { id } = await openOrganization(postgres.database, 'free')
  await use(id, 5, 0)
  await valkey.call('FLUSHALL', [])
  const done = await answer(commands.databaseUrl)
  assert.ok(Number(done['counters_rebuilt']) > 0)
  assert.equal(done['missing_records'], 0)
  const again = await answer(commands.databaseUrl)
  assert.equal(again['nothing_to_do'], true)
  // Usage goes on from these sums.
  await use(id, 2, 0)
  const later = await answer(commands.databaseUrl)
  assert.deepEqual([later['nothing_to_do'], later['missing_records']], [true, 0])
  assert.equal((await readDifferences(postgres.pool))['usage_log all'], 0)
})

test('it refuses while a worker or an api runs, and goes on with --force', async () => {
  const worker = new Client({
    connectionString: commands.databaseUrl,
    application_name: 'headrace leader',
  })
  await worker.connect()
  const refused = await recover(commands.databaseUrl)
  const dry = await recover(commands.databaseUrl, '--dry-run')
  await worker.end()
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.match(refused.stderr, /still running \(0 in Valkey, 1 connections to PostgreSQL\)/)
  assert.equal(dry.code, 0)
  assert.match(dry.stdout, /is running \(0 in Valkey, 1 connections to PostgreSQL\): .* refused$/m)

  const { leases } = organizationKeys(openedRecord().organizationId)
  const beat = () => void valkey.call('HSET', [leases, INSTANCE, Date.now()])
  beat()
  const heart = setInterval(beat, 100)
  const again = await recover(commands.databaseUrl)
  assert.match(again.stderr, /still running \(1 in Valkey, 0 connections to PostgreSQL\)/)
  assert.equal((await recover(commands.databaseUrl, '--force')).code, 0)
  clearInterval(heart)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../../test/harness/end-with-file.ts'
import { startCuttableWay } from '../../test/harness/servers/cuttable-way.ts'
import { startEnvironment } from '../../test/harness/environment.ts'
import { waitUntil } from '../../test/harness/figures/measure.ts'
import { countReconciliations, sumRecords } from '../../test/harness/seed/posted-usage.ts'
import { startPostgres } from '../../test/harness/servers/postgres-server.ts'
import { usageRecord } from '../../test/harness/seed/usage-records.ts'
import { readLoad } from '../../test/harness/servers/valkey.ts'
import { PARTITIONS, organizationKeys } from '../store/valkey/keys.ts'

/** Generous, for busy test machines; the promises are 2 s and 12 s. */
const KILLED_MS_MAX = 15_000
const CUT_MS_MAX = 30_000
const WINDOW_MS = 10_000

let countRuns: () => Promise<number>

const server = await startPostgres()
const way = await startCuttableWay(server.url)
const environment = await startEnvironment({
  databaseUrl: server.url,
  valkey: 'own',
  engines: [],
  models: [],
  sections: { worker: { health_port: 0, reconcile_seconds: 1 } },
  onLog: () => undefined,
})
countRuns = await countReconciliations(environment.postgres.pool)
await settle(1)
/** The first one's connections to PostgreSQL can be cut. */
const workers = [await environment.startWorker({ HEADRACE_DATABASE_URL: way.url })]
await waitUntil('a reconciliation', async () => (await countRuns()) > 0, CUT_MS_MAX)
workers.push(await environment.startWorker(), await environment.startWorker())

endWithFile(environment, way, server)

async function settle(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const record = usageRecord()
    const { usage } = organizationKeys(record.organizationId)
    await environment.valkey.call('XADD', [usage, '*', 'record', JSON.stringify(record)])
  }
}

/** The numbers of the workers that lead. */
async function leaders(): Promise<number[]> {
  const leading: number[] = []
  for (const [at, worker] of workers.entries())
    if (worker.isRunning() && (await worker.metric('headrace_worker_leader')) === 1)
      leading.push(at)
  return leading
}

async function isLeader(which: (at: number) => boolean, timeoutMs: number): Promise<void> {
  await waitUntil('a worker to lead', async () => (await leaders()).some(which), timeoutMs)
}

test('one of three workers reconciles', async () => {
  const had = await countRuns()
  const sinceMs = performance.now()
  // time is under test: what three workers do in this time.
  await new Promise((resolve) => setTimeout(resolve, WINDOW_MS))
  const runs = (await countRuns()) - had
  const seconds = (performance.now() - sinceMs) / 1_000
  assert.ok(
    runs >= 1 && runs <= seconds + 1,
    `${runs} runs in ${seconds} s, one is due each second`,
  )
  assert.deepEqual(await leaders(), [0])
})

test('a leader whose connections are cut stops, and another takes over', async () => {
  way.cut()
  await isLeader((at) => at !== 0, CUT_MS_MAX)
  const hasStopped = async () => !(await leaders()).includes(0)
  await waitUntil('the old leader to stop', hasStopped, CUT_MS_MAX)
  way.mend()
  assert.equal((await leaders()).length, 1)
})

test('after kill -9 of the leader another takes over', async () => {
  const [killed = 0] = await leaders()
  await workers[killed]?.kill()
  await isLeader((at) => at !== killed, KILLED_MS_MAX)
  await workers[killed]?.start()
  assert.equal((await leaders()).length, 1)
})

test('an outage of PostgreSQL adds no load to Valkey', async () => {
  // Of posting, or of the partitions that a new worker makes first.
  const errors = 'headrace_job_errors_total\\{task="[^"]+"\\}(?= [1-9])'
  await server.kill()
  await settle(2_000)
  const failed = async () => {
    const counts = await Promise.all(workers.map((worker) => worker.metric(errors)))
    return counts.every((count) => count > 0) && (await leaders()).length === 0
  }
  await waitUntil('every worker to fail, and none to lead', failed, CUT_MS_MAX)
  const earlier = await readLoad(environment.valkey)
  // time is under test: what three workers send in this time.
  await new Promise((resolve) => setTimeout(resolve, WINDOW_MS))
  const later = await readLoad(environment.valkey)
  const calls = (name: string) => (later.calls.get(name) ?? 0) - (earlier.calls.get(name) ?? 0)
  // Each worker measures the backlog and looks at leases every 5 s, with constant answers.
  const rounds = workers.length * (WINDOW_MS / 5_000 + 1)
  for (const name of ['eval', 'evalsha', 'hmget', 'hscan']) assert.equal(calls(name), 0, name)
  assert.ok(calls('xrange') <= rounds * PARTITIONS, `${calls('xrange')} reads of streams`)
  const sent = later.sentBytes - earlier.sentBytes
  assert.ok(sent < rounds * PARTITIONS * 1_000, `${sent} bytes sent`)
  await server.start()
  const posted = async () => (await sumRecords(environment.postgres.pool)).requests === 2_001
  await waitUntil('all usage to be posted', posted, CUT_MS_MAX)
})

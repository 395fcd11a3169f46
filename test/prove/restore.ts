// Restores after PostgreSQL or Valkey is lost: what comes back, what is lost, and what is reported.
// covers: src/store/** src/worker/** src/cli/recover.ts
import { setTimeout as pause } from 'node:timers/promises'
import { waitUntilPosted } from '../harness/load/metered.ts'
import { timeUntil } from '../harness/figures/measure.ts'
import { findWrongSums, readPosted, readPostedCost } from '../harness/seed/posted-usage.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import type { Key } from '../harness/seed/tenants.ts'
import { readSpent, startBench, type Bench } from './restore/bench.ts'
import type { Served } from './restore/clients.ts'

/** Of each part of the load, three in all. */
const EACH = 200
const EACH_NOT_KEPT = 50
/** Records that wait in Valkey when it is lost. */
const WAITING = 20
const SOAK_FACTOR = 10
const ASKED = 100
/** Of the first request after a start, and of one whose lookup was joined by nobody. */
const LOOKUPS_MAX = 2
/** What `appendfsync everysec` may lose with its machine. */
const AOF_BOUND_MS = 2_000
const UNDER_LOAD_MS = 1_000
const TIMEOUT_MS = 20_000

type Answer = Readonly<Record<string, unknown>>

async function recover(bench: Bench): Promise<Answer> {
  return JSON.parse(await bench.run('recover', '--json')) as Answer
}

/** Requests before the backup, before the last archived WAL segment, and after it: each so many. */
async function serveInParts(bench: Bench, each: number, beforeLast?: () => Promise<void>) {
  const { environment, postgres } = bench
  await bench.clients.serve(each)
  await waitUntilPosted(environment.valkey)
  await postgres.backUp()
  await bench.clients.serve(each)
  await waitUntilPosted(environment.valkey)
  await postgres.archive()
  const archived = [...bench.clients.served]
  await beforeLast?.()
  await bench.clients.serve(each)
  await waitUntilPosted(environment.valkey)
  return archived
}

/** Steps 1 to 5 of docs/operating/backup.md; here a disaster stops everything. */
async function restorePostgres(bench: Bench): Promise<Answer> {
  await bench.kill('postgres', 'valkey')
  await bench.postgres.restore()
  await bench.run('migrate')
  await bench.startValkey('kept')
  return recover(bench)
}

/** After the worker and the api were started again: versions, funds, keys, reconciliation. */
async function checkService(
  run: ProofRun,
  bench: Bench,
  doomed: Key,
  kept: readonly Served[],
): Promise<number> {
  const { environment, postgres, caller } = bench
  const linesBefore = bench.lines.length
  const before = await postgres.server.countStatements()
  for (let each = 0; each < ASKED; each += 1)
    if ((await bench.ask(caller.key)) !== 200) run.fail('a request was refused')
  await postgres.server.countStatements()
  const lookups = postgres.server.statements
    .slice(before)
    .filter(({ name }) => name?.endsWith('-by-key-hash')).length
  if (lookups > LOOKUPS_MAX) run.fail(`${lookups} lookups for ${ASKED} requests`)
  if (bench.lines.slice(linesBefore).some((line) => line.includes('version restored')))
    run.fail('a version was still behind')
  // Revoked after the last archived segment: it works again until it is revoked anew.
  if ((await bench.ask(doomed.text)) !== 200) run.fail('the revocation was not lost')
  await bench.run('key', 'revoke', doomed.id, '--reason', 'again')
  if ((await bench.ask(doomed.text)) !== 401) run.fail('it cannot be revoked anew')
  await bench.clients.serve(1)
  await waitUntilPosted(environment.valkey)
  const last = bench.clients.served.at(-1)
  const expected = [...kept, ...(last === undefined ? [] : [last])]
  const posted = await checkPosted(run, bench, expected)
  await checkFunds(run, bench)
  return posted
}

/** These requests and no others are posted, at their cost. Returns how many. */
async function checkPosted(
  run: ProofRun,
  { environment, caller }: Bench,
  expected: readonly Served[],
): Promise<number> {
  const { pool } = environment.postgres
  const ids = new Set((await readPosted(pool)).map(({ id }) => id))
  const missing = expected.filter(({ id }) => !ids.has(id)).length
  if (missing > 0 || ids.size !== expected.length)
    run.fail(`${ids.size} records posted, ${expected.length} expected, ${missing} missing`)
  const cost = expected.reduce((sum, each) => sum + each.cost, 0)
  const posted = await readPostedCost(pool, caller.organizationId)
  if (posted !== cost) run.fail(`the cost is ${posted} instead of ${cost}`)
  for (const wrong of await findWrongSums(pool)) run.fail(`wrong sums: ${wrong}`)
  return ids.size
}

/** The difference in records that the worker found for the current hours. */
async function readDifference({ environment }: Bench): Promise<number> {
  const { rows } = await environment.postgres.pool.query<{ missing: number }>(
    `select coalesce(sum(counted_records - ledger_records), 0)::int as missing
     from reconciliations where source = 'usage_log' and name = 'all'`,
  )
  return rows[0]?.missing ?? 0
}

async function awaitDifference(run: ProofRun, bench: Bench, expected: number): Promise<void> {
  const isFound = async () => (await readDifference(bench)) === expected
  if ((await timeUntil(isFound, TIMEOUT_MS)) === null)
    run.fail(`reconciliation found ${await readDifference(bench)} instead of ${expected}`)
}

/** With kept records nothing is lost. */
async function proveKept(run: ProofRun, bench: Bench) {
  const each = EACH * (run.soak ? SOAK_FACTOR : 1)
  const doomed = await bench.openKey()
  await bench.start(1)
  await serveInParts(bench, each, async () => {
    await bench.run('key', 'revoke', doomed.id, '--reason', 'a proof')
    if ((await bench.ask(doomed.text)) !== 401) run.fail('a revoked key worked')
  })
  const startedMs = performance.now()
  const done = await restorePostgres(bench)
  const recoveryMs = performance.now() - startedMs
  const { versions_raised: versions, kept_records_posted: recovered, missing_records: lost } = done
  if (versions !== 1 || recovered !== each || lost !== 0)
    run.fail(`recover did ${JSON.stringify(done)}`)
  const again = await recover(bench)
  if (again['nothing_to_do'] !== true) run.fail(`a second run did ${JSON.stringify(again)}`)
  const before = [...bench.clients.served]
  await bench.start(0)
  const posted = await checkService(run, bench, doomed, before)
  await awaitDifference(run, bench, 0)
  return { posted, recovered: each, recovery_ms: Math.round(recoveryMs) }
}

/** Without them, what was posted after the last archived WAL segment is lost and reported. */
async function proveNotKept(run: ProofRun, bench: Bench): Promise<number> {
  const each = EACH_NOT_KEPT * (run.soak ? SOAK_FACTOR : 1)
  const archived = await serveInParts(bench, each)
  const done = await restorePostgres(bench)
  if (done['missing_records'] !== each)
    run.fail(`${String(done['missing_records'])} reported missing instead of ${each}`)
  await checkPosted(run, bench, archived)
  await bench.start(0)
  await bench.clients.serve(1)
  await waitUntilPosted(bench.environment.valkey)
  await checkFunds(run, bench)
  await awaitDifference(run, bench, each)
  return each
}

/** What Valkey has of the funds is what is posted. */
async function checkFunds(run: ProofRun, bench: Bench): Promise<void> {
  const spent = await readSpent(bench)
  const { environment, caller } = bench
  const cost = await readPostedCost(environment.postgres.pool, caller.organizationId)
  if (spent !== cost) run.fail(`Valkey has spent ${spent}, PostgreSQL ${cost}`)
}

/** Valkey is killed under load: its file has all but the last moments. */
async function proveValkeyKilled(run: ProofRun, bench: Bench): Promise<string> {
  const { pool } = bench.environment.postgres
  const first = bench.clients.served.length
  const before = await readPosted(pool)
  const load = bench.clients.serve(Infinity)
  // time is under test: the load runs for a second before the server dies.
  await pause(UNDER_LOAD_MS)
  const killedMs = performance.now()
  await bench.kill('valkey')
  await load
  const during = bench.clients.served.slice(first)
  await bench.startValkey('kept')
  await recover(bench)
  const ids = new Set((await readPosted(pool)).map(({ id }) => id))
  const missing = during.filter(({ id }) => !ids.has(id))
  for (const { endedMs } of missing)
    if (killedMs - endedMs > AOF_BOUND_MS) run.fail('a record older than the bound was lost')
  for (const { id } of before) if (!ids.has(id)) run.fail(`${id} was lost`)
  for (const wrong of await findWrongSums(pool)) run.fail(`wrong sums: ${wrong}`)
  return `${missing.length}/${during.length}`
}

/** Valkey's disk is lost: the records that waited are lost with it, and nothing else. */
async function proveValkeyLost(run: ProofRun, bench: Bench): Promise<number> {
  const { environment } = bench
  await bench.start(0)
  await bench.clients.serve(WAITING)
  await waitUntilPosted(environment.valkey)
  const posted = (await readPosted(environment.postgres.pool)).length
  await bench.killWorker()
  await bench.clients.serve(WAITING)
  await bench.kill('valkey')
  await bench.startValkey('lost')
  const done = await recover(bench)
  if (Number(done['counters_rebuilt']) === 0) run.fail('no counters were rebuilt')
  const left = (await readPosted(environment.postgres.pool)).length
  if (left !== posted) run.fail(`${left} records instead of ${posted}`)
  await bench.start(0)
  await bench.clients.serve(1)
  await waitUntilPosted(environment.valkey)
  await awaitDifference(run, bench, 0)
  await checkFunds(run, bench)
  return WAITING
}

await runProof('restore', async (run) => {
  await using bench = await startBench()
  const kept = await proveKept(run, bench)
  const notKept = await proveNotKept(run, bench)
  const killed = await proveValkeyKilled(run, bench)
  const waiting = await proveValkeyLost(run, bench)
  return { ...kept, lost: 0, not_kept_lost: notKept, valkey_killed: killed, valkey_lost: waiting }
})

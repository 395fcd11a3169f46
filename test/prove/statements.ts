// Statements have every usage record exactly once, by month, project and model, while real workers
// that issue them are killed with their rows half written, and others issue at the same time.
// covers: src/store/ledger/issue-statements.ts src/worker/money/issue-statements.ts
// covers: src/store/ledger/usage-records.ts src/store/ledger/roll-ups.ts migrations/**
import { startEnvironment, type Environment } from '../harness/environment.ts'
import { timeUntil, waitUntil } from '../harness/figures/measure.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import type { HeadraceProcess } from '../harness/processes/process.ts'
import type { UsageRecord } from '../../src/tenancy/usage-record.ts'
import {
  cellsOf,
  digestStatements,
  findDifferences,
  lessBilled,
  readStated,
  readTotals,
  readUsed,
  sumOf,
  type ByOrganization,
  type Cells,
} from './statements/compare.ts'
import { installGate, type Gate } from './statements/gate.ts'
import { monthFrom, nameOfMonth } from './statements/months.ts'
import { deleteSome, existedIn, openCustomers, type Customer } from './statements/organizations.ts'
import { drawUsage, postAll } from './statements/usage.ts'
import { killAll, killLeader, startWorkers } from './statements/workers.ts'

/** More than a worker issues at once. */
const ORGANIZATIONS = { short: 250, fast: 400, soak: 1_000 }
const MONTHS = { short: 3, fast: 6, soak: 12 }
const DAY_MS = 86_400_000
const TIMEOUT_MS = 60_000
/** Days of months begin and end with UTC, whatever PostgreSQL thinks of time. */
const ZONES = ['Pacific/Kiritimati', 'America/Los_Angeles', 'Asia/Kolkata']

type Setting = {
  readonly run: ProofRun
  readonly environment: Environment
  readonly gate: Gate
  readonly customers: readonly Customer[]
  /** What each organization's statements have so far, by the records that they were made from. */
  readonly billed: Map<string, Cells>
  readonly counted: {
    cells: number
    kills: number
    late: number
    replaced: number
    deleted: number
  }
}

await runProof('statements', async (run) => {
  const form = run.soak ? 'soak' : run.short ? 'short' : 'fast'
  await using environment = await startEnvironment({
    engines: [],
    valkey: 'own',
    sections: { models: [] },
  })
  const { postgres, databaseUrl } = environment
  const zone = run.random.pick(ZONES)
  await postgres.pool.query(
    `do $$ begin execute format('alter database %I set timezone = ''${zone}''',
       current_database()); end $$`,
  )
  await using gate = await installGate(postgres, databaseUrl)
  const last = monthFrom(Date.now() - DAY_MS, -1)
  const months = Array.from({ length: MONTHS[form] }, (_, at) =>
    monthFrom(last, at + 1 - MONTHS[form]),
  )
  const customers = await openCustomers(postgres, run.random, ORGANIZATIONS[form], months)
  const counted = { cells: 0, kills: 0, late: 0, replaced: 0, deleted: 0 }
  const setting = { run, environment, gate, customers, billed: new Map(), counted }
  // The first statement has the month before, too.
  let late: readonly UsageRecord[] = drawUsage(
    run.random,
    customers,
    monthFrom(months[0]!, -1),
    false,
  ).inTime
  for (const [at, month] of months.entries()) {
    const drawn = drawUsage(run.random, customers, month, month !== last)
    const half = Math.floor(drawn.late.length / 2)
    const meanwhile = drawn.late.slice(0, half)
    await issueMonth(setting, month, {
      before: [...late, ...drawn.inTime],
      meanwhile,
      endsDead: at % 2 === 0,
    })
    counted.late += drawn.late.length
    late = drawn.late.slice(half)
  }
  await compareAll(setting)
  const { rows } = await postgres.pool.query<{ statements: number; records: number }>(
    `select (select count(*)::int from statements) as statements,
       (select count(*)::int from usage_records) as records`,
  )
  const [{ statements, records } = { statements: 0, records: 0 }] = rows
  if (counted.late === 0 || counted.replaced === 0 || counted.deleted === 0)
    run.fail('nothing was late, nothing was replaced or nobody was deleted')
  return { months: months.length, organizations: customers.length, records, statements, ...counted }
})

type Round = {
  /** Posted before anybody issues the statements of the month. */
  readonly before: readonly UsageRecord[]
  /** Of the same month, posted while a worker issues: on this statement or on the next. */
  readonly meanwhile: readonly UsageRecord[]
  /** Whether PostgreSQL learns at once that the first worker died. */
  readonly endsDead: boolean
}

/** Posts, issues while workers die, issues again, and compares. */
async function issueMonth(setting: Setting, month: number, round: Round): Promise<void> {
  const { run, environment, gate, customers, counted } = setting
  const { pool } = environment.postgres
  counted.deleted += await deleteSome(environment.postgres, customers, month)
  counted.replaced += await postAll(pool, round.before)
  const former = await digestStatements(pool)
  const snapshots = [await readUsed(pool)]
  const expected = customers.filter((each) => existedIn(each, month)).map(({ id }) => id)
  await gate.close(run.random.pick(expected))
  const workers = await startWorkers(environment, month)
  await gate.untilWaiting(1)
  counted.replaced += await postAll(pool, round.meanwhile)
  snapshots.push(await readUsed(pool))
  counted.kills += await killLeader(workers)
  await gate.untilWaiting(2)
  if (round.endsDead) await gate.endOldest()
  counted.kills += await killLeader(workers)
  await gate.open()
  const name = nameOfMonth(month)
  const again = await startWorkers(environment, month)
  const issued = async () => (await readTotals(pool, name)).size
  const took = await timeUntil(async () => (await issued()) >= expected.length, TIMEOUT_MS)
  if (took === null) run.fail(`${name}: ${await issued()} statements of ${expected.length}`)
  await gate.untilNobodyIssues()
  const whole = await digestStatements(pool)
  await issueAgain(setting, again)
  await killAll([...workers, ...again])
  const digests = await digestStatements(pool)
  for (const [each, digest] of [...former, ...whole])
    if (digests.get(each) !== digest) run.fail(`${name}: a statement of ${each} has changed`)
  await compareMonth(setting, name, new Set(expected), snapshots)
}

/** The leader dies when everything is issued, and the other one issues the month again. */
async function issueAgain(
  { gate, counted }: Setting,
  workers: readonly HeadraceProcess[],
): Promise<void> {
  const attempts = await gate.attempts()
  counted.kills += await killLeader(workers)
  const isTried = async () => (await gate.attempts()) > attempts
  await waitUntil('another worker to issue the month again', isTried, TIMEOUT_MS)
  await gate.untilNobodyIssues()
}

/** Each statement has what its records say, as they were at one of these moments. */
async function compareMonth(
  { run, environment, billed, counted }: Setting,
  name: string,
  expected: ReadonlySet<string>,
  snapshots: readonly ByOrganization[],
): Promise<void> {
  const { pool } = environment.postgres
  const [stated, totals] = await Promise.all([readStated(pool, name), readTotals(pool, name)])
  for (const id of totals.keys())
    if (!expected.has(id)) run.fail(`${name}: ${id} did not exist and has a statement`)
  for (const id of expected) {
    const found = cellsOf(stated, id)
    const before = billed.get(id) ?? new Map()
    const differences = snapshots.map((used) =>
      findDifferences(lessBilled(cellsOf(used, id), before), found),
    )
    const at = differences.findIndex((each) => each.length === 0)
    for (const difference of at === -1 ? differences.at(-1)! : [])
      run.fail(`${name} of ${id}: ${difference}`)
    billed.set(id, cellsOf(snapshots.at(at)!, id))
    const total = totals.get(id)?.join(' ') ?? 'no statement'
    if (total !== sumOf(found).join(' '))
      run.fail(`${name} of ${id}: ${total} is not its lines' sum`)
    counted.cells += found.size
  }
}

/** All statements together are all records. */
async function compareAll({ run, environment, customers }: Setting): Promise<void> {
  const { pool } = environment.postgres
  const [used, stated] = await Promise.all([readUsed(pool), readStated(pool)])
  for (const { id } of customers)
    for (const difference of findDifferences(
      lessBilled(cellsOf(used, id), new Map()),
      lessBilled(cellsOf(stated, id), new Map()),
    ))
      run.fail(`all statements of ${id}: ${difference}`)
}

// Postpaid organizations get one invoice a month for what they used, and what they pay, owe and are
// forgiven is in the ledger to the cent, whatever is killed, lost, repeated or decided at once.
// covers: src/platform/payments/invoices/** src/store/payments/invoices.ts src/payments/**
// covers: src/store/ledger/issue-statements.ts src/worker/money/issue-statements.ts
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limitsOf, startEnvironment, type Environment } from '../harness/environment.ts'
import { chunk, ending, ROLE } from '../harness/fake-engine/events.ts'
import { begin, startFakeEngine } from '../harness/fake-engine/server.ts'
import { timeUntil, waitUntil } from '../harness/figures/measure.ts'
import { createRandom, type Random } from '../harness/figures/random.ts'
import { forkProvider } from '../harness/payments/forked-provider.ts'
import type { ProviderControl } from '../harness/payments/provider-client.ts'
import type { Fault } from '../harness/payments/scripted-provider.ts'
import { startStripeMock } from '../harness/payments/stripe-mock.ts'
import { PUBLIC_URL } from '../harness/processes/console.ts'
import type { HeadraceProcess } from '../harness/processes/process.ts'
import { runProof, type Figures, type ProofRun } from '../harness/proof.ts'
import { compareAll, type Comparison } from './invoices/compare.ts'
import { changeSome, openDebtors, POSTPAID, PREPAID, type Debtor } from './invoices/debtors.ts'
import { ENDS, workAtDesk, type DeskWork } from './invoices/desk.ts'
import { keysOf, MODEL } from './invoices/stop-and-run.ts'
import { killAtSteps, pollNow, stopAll, supervise } from './payments/chaos.ts'
import { compareDays } from './payments/compare-days.ts'
import { deliverBadly } from './payments/mischief.ts'
import { installGate, type Gate } from './statements/gate.ts'
import { monthFrom, nameOfMonth } from './statements/months.ts'
import { drawUsage, postAll } from './statements/usage.ts'
import { killAll, killLeader, startWorkers } from './statements/workers.ts'

const ORGANIZATIONS = { short: 20, fast: 40, soak: 200 }
const MONTHS = { short: 2, fast: 4, soak: 12 }
/** In each turn, beside what kills somebody. */
const LOST_ANSWERS = 4
/** Of consoles: a process that starts takes seconds. */
const RESTARTS = { short: 5, fast: 40, soak: 1_000 }
const CONSOLES = 2
const DAY_MS = 86_400_000
const SECRET = 'whsec_proof_0123456789abcdef'
const ISSUED_MS_MAX = 120_000
/** As in `payments`: lists are read every 60 s, and who died while reading is waited for. */
const SETTLED_MS_MAX = 180_000
const COMPARED_EVERY_MS = 500
const CONTEXT = 1_000
const PRICE = { input: 31.234567, cached_input: 7.654321, output: 93.456789 }

const STEPS = [
  'POST /v1/invoices',
  'POST /v1/invoiceitems',
  'POST /v1/invoices/',
  'GET /v1/invoices/',
  'POST /v1/customers',
  'GET /v1/events',
  'POST /v1/refunds',
] as const

await runProof('invoices', async (run) => {
  const form = run.soak ? 'soak' : run.short ? 'short' : 'fast'
  const folder = await mkdtemp(join(tmpdir(), 'invoices-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(async () => rm(folder, { recursive: true, force: true }))
  const { provider, isChecked } = await startProvider(stack, join(folder, 'journal'))
  const engine = stack.use(await startFakeEngine(({ response }) => answer(response)))
  const environment = stack.use(await startInvoicing(provider.url, engine.url))
  const gate = stack.use(await installGate(environment.postgres, environment.databaseUrl))
  const months = lastMonths(MONTHS[form])
  const debtors = await openDebtors(environment, run.random, ORGANIZATIONS[form], months[0]!)
  const { apiRoot } = await environment.startApi()
  const consoles = await Promise.all(
    Array.from({ length: CONSOLES }, async () => environment.startConsole()),
  )
  const supervised = consoles.map(supervise)
  stack.defer(async () => stopAll(supervised))
  const restarts = () => supervised.reduce((sum, each) => sum + each.starts(), 0)
  const picking = createRandom(run.seed + 1)
  const roots = () => picking.pick(consoles).apiRoot
  const work: DeskWork = { ends: new Map(), stopped: [], faults: [], taken: new Set() }
  let isOver = false
  const over = () => isOver
  const delivering = deliverBadly(provider, roots, SECRET, createRandom(run.seed + 2), over)
  const done = () => work.taken.size + sumOf(work.ends)
  const losing = createRandom(run.seed + 5)
  const mayKill = () => restarts() < RESTARTS[form]
  const pids = () => (mayKill() ? consoles.flatMap(({ child }) => child.pid ?? []) : [])
  const also = () => Array.from({ length: LOST_ANSWERS }, () => loseAnswer(losing, pids()))
  const chaos = { steps: STEPS, outcomes: () => [], also, mayKill }
  const progress = { isOver: over, done }
  const killing = killAtSteps(provider, consoles, createRandom(run.seed + 3), progress, chaos)
  const desk = {
    environment,
    provider,
    roots,
    random: createRandom(run.seed + 4),
    apiRoot,
    debtors,
  }
  let isIssued = false
  const working = workAtDesk(desk, work, () => isIssued)
  const lived = await live({ run, environment, gate, debtors, roots }, months)
  await untilIssued(environment)
  isIssued = true
  await working
  isOver = true
  const [killed, deliveries] = [await killing, await delivering]
  if (run.short) await pollNow(environment, consoles)
  const { settledMs, found } = await settle(environment, provider, debtors)
  await judge(run, environment, found, work)
  const days = await compareDays(environment, provider.url, await provider.sums())
  for (const each of days.wrong) run.fail(each)
  await killAll(lived.workers)
  return {
    organizations: debtors.length,
    months: months.length,
    invoices: found.invoices,
    ...endsOf(work),
    difference_cents: found.theirs - found.ours,
    ...livedAs(lived),
    restarts: restarts(),
    provider_restarts: provider.starts() - 1,
    killed_at_any_time: killed,
    webhooks_lost: deliveries.lost,
    repeated: deliveries.repeated,
    checked_by_stripe_mock: isChecked,
    settled_s: settledMs === null ? 'never' : Math.round(settledMs / 1000),
  }
})

/** Of a step of an invoice: who took it does not know whether it was done, or is dead. */
function loseAnswer(random: Random, pids: readonly number[]): Fault {
  const [at, when] = [random.pick(STEPS.slice(0, 3)), random.pick(['before', 'after'] as const)]
  if (random.chance(0.2)) return { at, when, status: 500 }
  return { at, when, kill: random.chance(0.6) && pids.length > 0 ? [random.pick(pids)] : [] }
}

function answer(response: Parameters<typeof begin>[0]): void {
  begin(response).end(ROLE + chunk({ content: 'Hi' }) + ending({ prompt: 10, completion: 5 }))
}

async function startProvider(stack: AsyncDisposableStack, journal: string) {
  const mock = await startStripeMock()
  if (mock !== undefined) stack.use(mock)
  const provider = stack.use(await forkProvider({ journal, mock: mock?.url }))
  return { provider, isChecked: mock === undefined ? 'no' : 'yes' }
}

/** Those that are over, each by its first moment. */
function lastMonths(count: number): number[] {
  const last = monthFrom(Date.now() - DAY_MS, -1)
  return Array.from({ length: count }, (_, at) => monthFrom(last, at + 1 - count))
}

async function startInvoicing(api_url: string, engine: string): Promise<Environment> {
  const prices = { [MODEL]: PRICE }
  const plan = { models: 'all', limits: limitsOf(), prices } as const
  return startEnvironment({
    engines: [{ name: 'one', url: engine }],
    models: [{ id: MODEL, engines: ['one'], context_length: CONTEXT }],
    valkey: 'own',
    plans: {
      [POSTPAID]: { ...plan, billing: 'postpaid' },
      [PREPAID]: { ...plan, billing: 'prepaid' },
    },
    sections: {
      console: { port: 0, health_port: 0, public_url: PUBLIC_URL },
      payments: { provider: 'stripe', tax: 'provider', api_url, page_hosts: ['127.0.0.1'] },
    },
    environment: {
      HEADRACE_STRIPE_KEY: 'rk_test_0123456789abcdef',
      HEADRACE_STRIPE_WEBHOOK_SECRETS: SECRET,
    },
  })
}

type Living = {
  readonly run: ProofRun
  readonly environment: Environment
  readonly gate: Gate
  readonly debtors: readonly Debtor[]
  readonly roots: () => string
}

/** Month after month: use, changes by operators, and statements by workers that are killed. */
async function live({ run, environment, gate, debtors, roots }: Living, months: readonly number[]) {
  const { pool } = environment.postgres
  const lived = { late: 0, changes: 0, killed: 0, workers: [] as HeadraceProcess[] }
  let late: Parameters<typeof postAll>[1] = []
  for (const month of months) {
    // The records that come late are posted when nobody issues, so that the sums are known.
    await killAll(lived.workers)
    const drawn = drawUsage(run.random, debtors, month, month !== months.at(-1))
    await postAll(pool, [...late, ...drawn.inTime])
    late = drawn.late
    lived.late += drawn.late.length
    lived.changes += await changeSome(environment, roots, run.random, debtors)
    await gate.close(run.random.pick(debtors).id)
    lived.workers = await startWorkers(environment, month)
    await gate.untilWaiting(1)
    lived.killed += await killLeader(lived.workers)
    // The other worker issues the same, while PostgreSQL still has the session of the dead one.
    await gate.untilWaiting(2)
    if (run.random.chance(0.5)) await gate.endOldest()
    await gate.open()
    const stated = async () => countStatements(environment, nameOfMonth(month))
    const what = `${debtors.length} statements of ${nameOfMonth(month)}`
    const areAll = async () => (await stated()) === debtors.length
    await waitUntil(what, areAll, ISSUED_MS_MAX, { seen: stated })
  }
  return lived
}

async function countStatements({ postgres }: Environment, month: string): Promise<number> {
  const { rows } = await postgres.pool.query<{ count: number }>(
    `select count(*)::int as count from statements where to_char(month, 'YYYY-MM') = $1`,
    [month],
  )
  return rows[0]?.count ?? 0
}

/** Each invoice can be paid or is over, so that somebody takes it up. */
async function untilIssued({ postgres }: Environment): Promise<void> {
  const waiting = async () => {
    const { rows } = await postgres.pool.query(
      `select id, failure, next_at, leased_until from payments
       where kind = 'invoice' and state = 'created'`,
    )
    return rows
  }
  const areIssued = async () => (await waiting()).length === 0
  await waitUntil('all invoices to be issued', areIssued, ISSUED_MS_MAX, { seen: waiting })
}

/** Compares until nothing differs, and once more when everything was read again. */
async function settle(
  environment: Environment,
  provider: ProviderControl,
  debtors: readonly Debtor[],
) {
  const compare = async () => compareAll(environment, provider, debtors)
  const isSettled = async () => (await compare()).faults.length === 0
  const settledMs = await timeUntil(isSettled, SETTLED_MS_MAX, COMPARED_EVERY_MS)
  await readAgain(environment)
  return { settledMs, found: await compare() }
}

/** Whoever reads everything once more, finds nothing to do. */
async function readAgain({ postgres: { pool } }: Environment): Promise<void> {
  await pool.query(`update payments set next_at = now(), read_at = null, hints = hints + 1`)
  const unread = async () =>
    (await pool.query('select id, state from payments where read_at is null')).rows
  const areRead = async () => (await unread()).length === 0
  await waitUntil('all invoices to be read again', areRead, ISSUED_MS_MAX, { seen: unread })
}

async function judge(
  run: ProofRun,
  environment: Environment,
  { faults }: Comparison,
  work: DeskWork,
): Promise<void> {
  for (const each of [...faults, ...work.faults]) run.fail(each)
  for (const { id, reminders } of work.stopped) {
    const keys = (await keysOf({ environment }, id)).join(' ')
    const wanted = [`invoice:${id}:issued`, ...reminders, `paid:${id}`].join(' ')
    if (keys !== wanted) run.fail(`emails about ${id}: ${keys}, not ${wanted}`)
  }
  const stopped = new Set(work.stopped.map(({ id }) => id))
  for (const id of work.taken) {
    if (stopped.has(id)) continue
    const keys = (await keysOf({ environment }, id)).filter((key) => key !== `paid:${id}`)
    if (keys.join(' ') !== `invoice:${id}:issued`) run.fail(`emails about ${id}: ${keys.join(' ')}`)
  }
  for (const end of ENDS)
    if (!work.ends.has(end)) run.fail(`no invoice was ${end}: there are too few for this proof`)
}

function livedAs({ late, changes, killed }: Awaited<ReturnType<typeof live>>): Figures {
  return { late_records: late, changes, workers_killed: killed }
}

function endsOf({ ends }: DeskWork): Figures {
  const entries = ENDS.map((end) => [end.replaceAll(/[ ,]+/g, '_'), ends.get(end) ?? 0])
  return Object.fromEntries(entries)
}

function sumOf(ends: ReadonlyMap<string, number>): number {
  return [...ends.values()].reduce((sum, each) => sum + each, 0)
}

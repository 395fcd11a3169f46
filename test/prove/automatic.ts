// Saved cards are charged once for each gap and never beyond the bounds, whatever is killed.
// covers: src/worker/money/start-top-ups.ts src/platform/payments/** src/store/payments/**
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { limitsOf, startEnvironment, type Environment } from '../harness/environment.ts'
import { timeUntil } from '../harness/figures/measure.ts'
import { createRandom } from '../harness/figures/random.ts'
import { forkProvider } from '../harness/payments/forked-provider.ts'
import type { Outcome } from '../harness/payments/provider-books.ts'
import type { ProviderControl } from '../harness/payments/provider-client.ts'
import { startStripeMock } from '../harness/payments/stripe-mock.ts'
import { PUBLIC_URL } from '../harness/processes/console.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { compareCharges, type ChargesFound } from './automatic/compare-charges.ts'
import {
  balanceSome,
  confirmSome,
  openSpender,
  resumeSome,
  spend,
  type Spender,
} from './automatic/spend.ts'
import { killAtSteps, pollNow, stopAll, supervise } from './payments/chaos.ts'

const ORGANIZATIONS = 200
const ORGANIZATIONS_SHORT = 20
const SPENDING_MS = 180_000
const SPENDING_MS_SHORT = 35_000
/** A busy machine gets so much longer, until there are as many charges as organizations. */
const LONGER_MAX = 4
const SETTLED_MS_MAX = 120_000
const EVERY_MS = 500
/** Few: each organization is looked at every 10 s, and shall reach it. */
const PER_DAY = 2

const STEPS = [
  'POST /v1/invoices',
  'POST /v1/invoiceitems',
  'POST /v1/invoices/',
  'GET /v1/invoices/',
] as const

await runProof('automatic', async (run) => {
  const folder = await mkdtemp(join(tmpdir(), 'automatic-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(async () => rm(folder, { recursive: true, force: true }))
  const mock = await startStripeMock()
  if (mock !== undefined) stack.use(mock)
  const provider = stack.use(
    await forkProvider({ journal: join(folder, 'journal'), mock: mock?.url }),
  )
  const environment = stack.use(await startCharging(provider.url))
  const [consoles, workers] = await Promise.all([
    Promise.all([environment.startConsole(), environment.startConsole()]),
    Promise.all([environment.startWorker(), environment.startWorker()]),
  ])
  const count = run.short ? ORGANIZATIONS_SHORT : ORGANIZATIONS
  const spenders: Spender[] = []
  while (spenders.length < count)
    spenders.push(await openSpender(environment, provider, run.random))
  const processes = [...consoles, ...workers]
  const supervised = processes.map(supervise)
  stack.defer(async () => stopAll(supervised))
  let isOver = false
  let rounds = 0
  const progress = { isOver: () => isOver, done: () => rounds }
  const killing = killAtSteps(provider, processes, createRandom(run.seed + 1), progress, {
    steps: STEPS,
    outcomes: outcomesOf(run),
  })
  const roots = () => run.random.pick(consoles).apiRoot
  const [mostAtOnce, lowest] = await live(run, environment, provider, spenders, roots, () => {
    rounds += 1
  })
  isOver = true
  const killed = await killing
  if (run.short) await pollNow(environment, consoles)
  const settledMs = await timeUntil(async () => {
    if (!(await isSettled(environment))) return false
    return (await compareCharges(environment.postgres, provider)).lost.length === 0
  }, SETTLED_MS_MAX)
  const found = await compareCharges(environment.postgres, provider)
  if (mostAtOnce > 1) run.fail(`${mostAtOnce} charges of an organization at once`)
  if (lowest < 0) run.fail(`a balance of ${lowest}`)
  if (settledMs === null) run.fail('charges are not over')
  judge(run, found)
  return {
    organizations: count,
    charges: found.charges,
    paid: found.paid,
    declined: found.declined,
    other_amount: found.otherAmount,
    to_confirm: found.toConfirm,
    difference_cents: found.theirs - found.ours,
    at_once_max: mostAtOnce,
    a_day_max: found.aDay,
    above_month: found.aboveMonth,
    after_hard_decline: found.afterHardDecline,
    asked_twice: found.askedTwice,
    restarts: supervised.reduce((sum, each) => sum + each.starts(), 0),
    provider_restarts: provider.starts() - 1,
    killed_at_any_time: killed,
    settled_s: settledMs === null ? 'never' : Math.round(settledMs / 1000),
  }
})

async function startCharging(api_url: string): Promise<Environment> {
  return startEnvironment({
    engines: [],
    plans: { prepaid: { models: 'all', limits: limitsOf(), billing: 'prepaid' } },
    sections: {
      models: [],
      console: { port: 0, health_port: 0, public_url: PUBLIC_URL },
      payments: {
        provider: 'stripe',
        api_url,
        page_hosts: ['127.0.0.1'],
        automatic_minutes: 0,
        automatic_per_day: PER_DAY,
      },
    },
    environment: {
      HEADRACE_STRIPE_KEY: 'rk_test_0123456789abcdef',
      HEADRACE_STRIPE_WEBHOOK_SECRETS: 'whsec_proof_0123456789abcdef',
    },
  })
}

/** What banks say to the next charges. */
function outcomesOf(run: ProofRun): () => readonly Outcome[] {
  const random = createRandom(run.seed + 2)
  const draw = (): Outcome =>
    random.pick([
      ...(['ok', 'ok', 'ok', 'ok', 'ok', 'ok'] as const),
      'declined',
      'insufficient_funds',
      'authentication_required',
    ])
  return () => [draw(), draw()]
}

/** Everybody spends, confirms and resumes. Returns the most in flight and the lowest balance. */
async function live(
  run: ProofRun,
  environment: Environment,
  provider: ProviderControl,
  spenders: readonly Spender[],
  roots: () => string,
  onRound: () => void,
): Promise<readonly [number, number]> {
  const begunMs = performance.now()
  const leastMs = run.short ? SPENDING_MS_SHORT : SPENDING_MS
  const isEnough = async () => {
    const spentMs = performance.now() - begunMs
    if (spentMs < leastMs) return false
    return spentMs > leastMs * LONGER_MAX || (await countPaid(environment)) >= spenders.length
  }
  let [mostAtOnce, lowest] = [0, Infinity]
  while (!(await isEnough())) {
    const left = await spend(environment.postgres, spenders, run.random)
    lowest = Math.min(lowest, left)
    mostAtOnce = Math.max(mostAtOnce, await inFlight(environment))
    await confirmSome(environment.postgres, provider, run.random)
    if (run.random.chance(0.3))
      await balanceSome(environment.postgres, provider, spenders, run.random)
    await resumeSome(environment.postgres, spenders, roots, run.random)
    onRound()
    // pacing: requests spend meanwhile.
    await pause(EVERY_MS)
  }
  return [mostAtOnce, lowest]
}

async function countPaid({ postgres: { pool } }: Environment): Promise<number> {
  const { rows } = await pool.query<{ paid: number }>(
    `select count(*)::int as paid from payments where kind = 'automatic' and state = 'succeeded'`,
  )
  return rows[0]?.paid ?? 0
}

async function inFlight({ postgres: { pool } }: Environment): Promise<number> {
  const { rows } = await pool.query<{ most: number }>(
    `select coalesce(max(n), 0)::int as most from (select count(*) as n from payments
       where kind = 'automatic' and state in ('created', 'open', 'processing', 'needs_customer')
       group by organization_id) as counted`,
  )
  return rows[0]?.most ?? 0
}

/** A charge that waits for its customer may wait. */
async function isSettled({ postgres: { pool } }: Environment): Promise<boolean> {
  const { rows } = await pool.query(
    `select from payments where kind = 'automatic' and state in ('created', 'open', 'processing')`,
  )
  return rows.length === 0
}

function judge(run: ProofRun, found: ChargesFound): void {
  const { theirs, ours, surplus, lost, aDay, aboveMonth, afterHardDecline, askedTwice } = found
  if (theirs !== ours) run.fail(`the provider holds ${theirs} cents, our ledger says ${ours}`)
  for (const id of lost) run.fail(`${id} is paid and not credited`)
  for (const id of surplus) run.fail(`${id} is credited and not paid`)
  if (found.paid === 0) run.fail('nothing was charged')
  if (aDay > PER_DAY) run.fail(`${aDay} charges of an organization in a day`)
  if (aboveMonth > 0) run.fail(`${aboveMonth} organizations above the bound of their month`)
  if (afterHardDecline > 0) run.fail(`${afterHardDecline} charges after a hard decline`)
  if (askedTwice > 0) run.fail(`the bank was asked twice for ${askedTwice} charges`)
  if (found.payable > 0) run.fail(`${found.payable} charges are over and can still be paid`)
  if (found.attention > 0) run.fail(`${found.attention} charges wait for an operator`)
  for (const violation of new Set(found.violations)) run.fail(`stripe-mock refused ${violation}`)
}

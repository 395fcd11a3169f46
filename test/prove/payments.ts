// Every payment is credited exactly once and goes back at most once, whatever is killed or lost.
// covers: src/payments/** src/platform/payments/** src/store/payments/**
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../harness/environment.ts'
import { percentile, timeUntil } from '../harness/figures/measure.ts'
import { createRandom, type Random } from '../harness/figures/random.ts'
import { forkProvider } from '../harness/payments/forked-provider.ts'
import type { ProviderControl } from '../harness/payments/provider-client.ts'
import { startStripeMock } from '../harness/payments/stripe-mock.ts'
import { runProof, type Figures, type ProofRun } from '../harness/proof.ts'
import { askLocalstripe } from './payments/ask-localstripe.ts'
import { killAtSteps, pollNow, stopAll, supervise } from './payments/chaos.ts'
import { compareBooks, type Comparison } from './payments/compare-books.ts'
import { compareDays } from './payments/compare-days.ts'
import { compareReturned, type ReturnedComparison } from './payments/compare-returned.ts'
import { disturbDatabase } from './payments/database-faults.ts'
import { deliverBadly, type Deliveries } from './payments/mischief.ts'
import { workInOffice, type OfficeWork } from './payments/office.ts'
import { startPaidSetting, WEBHOOK_SECRET } from './payments/setting.ts'
import { drawIntent, openShopper, visit, type Roots, type Visit } from './payments/shop.ts'

const PAYMENTS = 300
const PAYMENTS_SHORT = 60
const PAYMENTS_SOAK = 2_000
const SHOPPERS_AT_ONCE = 6
/** Of the limits: 3 open pages of an organization, 5 payments of an account in an hour. */
const PAYMENTS_PER_SHOPPER = 3
/**
 * After a return, as the console asks every half second, for half of the customers. The others may
 * wait for processes that are killed and start again: that ends when the shoppers lose patience.
 */
const RETURNED_P50_MS_MAX = 10_000
/**
 * Events are listed every 60 s, and whoever died while listing or reading is waited for as long;
 * what is then found is read, and read again if that failed.
 */
const SETTLED_MS_MAX = 180_000

await runProof('payments', prove, { payments: { type: 'string' } })

async function prove(run: ProofRun): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'payments-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(async () => rm(folder, { recursive: true, force: true }))
  const judgedByLocalstripe = await askLocalstripe(run)
  const mock = await startStripeMock()
  if (mock !== undefined) stack.use(mock)
  const journal = join(folder, 'journal')
  const provider = stack.use(await forkProvider({ journal, mock: mock?.url }))
  const setting = await startPaidSetting(stack, provider.url, run.soak ? 'none' : 'provider')
  const { environment, consoles, way } = setting
  const supervised = consoles.map(supervise)
  stack.defer(async () => stopAll(supervised))
  const picking = createRandom(run.seed + 1)
  const roots = () => picking.pick(consoles).apiRoot
  let isOver = false
  const over = () => isOver
  const delivering = deliverBadly(provider, roots, WEBHOOK_SECRET, createRandom(run.seed + 2), over)
  const visits: Visit[] = []
  const progress = { isOver: over, done: () => visits.length }
  const killing = killAtSteps(provider, consoles, createRandom(run.seed + 3), progress)
  const disturbing = disturbDatabase(setting, createRandom(run.seed + 5), progress)
  const working = workInOffice(environment, provider, roots, createRandom(run.seed + 4), over)
  await shop(run, environment, roots, visits)
  isOver = true
  const [killedAtAnyTime, office, deliveries] = [await killing, await working, await delivering]
  const databaseKills = await disturbing
  if (run.short) await pollNow(environment, consoles)
  const settledMs = await timeUntil(
    async () =>
      isSettled(await compare(environment, provider), await returned(environment, provider)),
    SETTLED_MS_MAX,
  )
  const books = await compare(environment, provider)
  const sums = await provider.sums()
  judge(run, books, sums.violations, deliveries.forgedAccepted)
  const back = await returned(environment, provider)
  judgeReturned(run, back)
  const compared = await compareDays(environment, provider.url, sums)
  for (const each of compared.wrong) run.fail(each)
  const creditedMs = visits.flatMap((each) => each.creditedMs ?? [])
  if (!run.short && percentile(creditedMs, 0.5) > RETURNED_P50_MS_MAX)
    run.fail(`half are credited ${Math.round(percentile(creditedMs, 0.5))} ms after the return`)
  return {
    payments: visits.length,
    paid: visits.filter(({ isPaid }) => isPaid).length,
    credited: books.credits,
    difference_cents: books.theirs - books.ours,
    double_pages: books.doublePages,
    days_compared: compared.days,
    fees_cents: compared.feesCents,
    refunds: back.refunds,
    credit_notes: back.creditNotes,
    disputes: back.disputes,
    ...figuresOf(office, deliveries),
    restarts: supervised.reduce((sum, each) => sum + each.starts(), 0),
    provider_restarts: provider.starts() - 1,
    killed_at_any_time: killedAtAnyTime,
    database_kills: databaseKills,
    lost_before_commit: way.broken.before,
    lost_after_commit: way.broken.after,
    checked_by_stripe_mock: mock === undefined ? 'no' : 'yes',
    webhooks_of_localstripe: judgedByLocalstripe,
    returned_p50_ms: Math.round(percentile(creditedMs, 0.5)),
    returned_p99_ms: Math.round(percentile(creditedMs, 0.99)),
    settled_s: settledMs === null ? 'never' : Math.round(settledMs / 1000),
  }
}

function figuresOf(
  { requested, refused, sentBack, won }: OfficeWork,
  { lost, delivered, repeated, delayed, forged, forgedAccepted }: Deliveries,
) {
  return {
    refunds_requested: requested,
    refunds_refused: refused,
    refunds_sent_back: sentBack,
    disputes_won: won,
    webhooks_lost: lost,
    delivered,
    repeated,
    delayed,
    forged,
    forged_accepted: forgedAccepted,
  }
}

async function shop(
  run: ProofRun,
  environment: Environment,
  roots: Roots,
  visits: Visit[],
): Promise<void> {
  const usual = run.soak ? PAYMENTS_SOAK : run.short ? PAYMENTS_SHORT : PAYMENTS
  const total = Number(run.values['payments'] ?? usual)
  let begun = 0
  const shopOn = async (random: Random) => {
    while (begun < total) {
      const shopper = await openShopper(environment)
      for (let each = 0; each < PAYMENTS_PER_SHOPPER && begun < total; each += 1) {
        begun += 1
        const drawn = drawIntent(random)
        // Pages without return are found when they are read again, which takes its time.
        const intent = run.short ? { ...drawn, returns: true } : drawn
        visits.push(await visit(roots, shopper, intent))
      }
    }
  }
  const shoppers = Array.from({ length: SHOPPERS_AT_ONCE }, async (_, index) =>
    shopOn(createRandom(run.seed + 10 + index)),
  )
  await Promise.all(shoppers)
}

async function compare({ postgres }: Environment, provider: ProviderControl): Promise<Comparison> {
  return compareBooks(postgres, await provider.sums(), await provider.objects())
}

async function returned({ postgres }: Environment, provider: ProviderControl) {
  return compareReturned(postgres, await provider.objects())
}

function isSettled(
  { lost, theirs, ours }: Comparison,
  { wrong, unfinished }: ReturnedComparison,
): boolean {
  return lost.length === 0 && theirs === ours && wrong.length === 0 && unfinished === 0
}

function judgeReturned(run: ProofRun, { wrong, unfinished }: ReturnedComparison): void {
  for (const each of wrong) run.fail(each)
  if (unfinished > 0) run.fail(`${unfinished} refunds and disputes are not over`)
}

function judge(
  run: ProofRun,
  books: Comparison,
  violations: readonly string[],
  forgedAccepted: number,
): void {
  const { theirs, ours, doublePages, lost, surplus, attention, ledgerSum } = books
  if (theirs !== ours) run.fail(`the provider holds ${theirs} cents, our ledger says ${ours}`)
  for (const id of lost) run.fail(`${id} is paid and not credited`)
  for (const id of surplus) run.fail(`${id} is credited and not paid`)
  if (doublePages > 0) run.fail(`${doublePages} pages too many`)
  if (attention > 0) run.fail(`${attention} payments wait for an operator`)
  if (ledgerSum !== 0) run.fail(`the ledger sums to ${ledgerSum}`)
  if (forgedAccepted > 0) run.fail(`${forgedAccepted} forged webhooks were accepted`)
  for (const violation of new Set(violations)) run.fail(`stripe-mock refused ${violation}`)
}

// However many requests come at once, no more is spent than there is, and all of it can be spent.
// covers: src/store/limits/** src/store/ledger/** src/worker/** src/tenancy/**
import { balanceOf } from '../../src/store/ledger/double-entry.ts'
import { waitUntilPosted } from '../harness/load/metered.ts'
import { findWrongSums } from '../harness/seed/posted-usage.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import {
  GATED,
  REAL,
  grant,
  openCredit,
  openLimited,
  openLimitedKeys,
  openPrepaid,
  raiseCredit,
  startBudgetEnvironment,
  startGatedEngine,
  worstOf,
  type Budget,
} from './budget/environment.ts'
import { gatedRound, untilRejected, useUp } from './budget/rounds.ts'
import { readSpending, startSampler } from './budget/sampler.ts'
import { send, type Budgeting } from './budget/send.ts'

const AT_ONCE = 200
const FITTING = 20
/** More than fit into what the first round leaves. */
const AT_ONCE_LATER = 40
const TOKENS = 50
/** Where no request of one size fits any more, a smaller one may. */
const SIZES = [TOKENS, 10, 1]
const PROMPT_TOKENS_MAX = 100
const GRANTED_LATER = 3
const OF_OTHER_PROJECT = 30
const REAL_AT_ONCE = 24
const REAL_FITTING = 4
const REAL_TOKENS = 8
const FREE_ROUNDS_FAST = 2
const FREE_ROUNDS_SOAK = 40

/** A balance for twenty requests is used up; a later grant counts from the next request. */
async function provePrepaid(budgeting: Budgeting): Promise<Budget> {
  const { run, environment, sampler } = budgeting
  const budget = await openPrepaid(environment, FITTING * worstOf(TOKENS))
  sampler.watch(budget)
  const first = await gatedRound(budgeting, budget, { count: AT_ONCE, tokens: TOKENS })
  if (first.answered !== FITTING) run.fail(`${first.answered} of ${FITTING} at first`)
  await useUp(budgeting, budget, { count: AT_ONCE_LATER, sizes: SIZES })
  const more = await grant(environment, budget, GRANTED_LATER * worstOf(TOKENS))
  sampler.watch(more)
  const again = await gatedRound(budgeting, more, { count: AT_ONCE_LATER, tokens: TOKENS })
  if (again.answered !== GRANTED_LATER) run.fail(`${again.answered} after a grant`)
  await useUp(budgeting, more, { count: AT_ONCE_LATER, sizes: SIZES })
  return more
}

/** The same on credit: a limit that was raised counts from the next request. */
async function proveCredit(budgeting: Budgeting): Promise<void> {
  const { run, environment, sampler } = budgeting
  const budget = await openCredit(environment, FITTING * worstOf(TOKENS))
  sampler.watch(budget)
  const first = await gatedRound(budgeting, budget, { count: AT_ONCE, tokens: TOKENS })
  if (first.answered !== FITTING) run.fail(`${first.answered} of ${FITTING} on credit`)
  await useUp(budgeting, budget, { count: AT_ONCE_LATER, sizes: SIZES })
  const more = await raiseCredit(environment, budget, GRANTED_LATER * worstOf(TOKENS))
  sampler.watch(more)
  const order = { model: GATED, count: AT_ONCE_LATER, tokens: TOKENS, countLater: AT_ONCE_LATER }
  const { spent } = await readSpending(environment, more)
  await untilRejected(budgeting, more, order, spent)
}

/** The same with a limit of a project or a key, while another key of the organization has none. */
async function proveLimit(
  budgeting: Budgeting,
  openBudget: typeof openLimited,
  whose: 'project' | 'key',
): Promise<void> {
  const { run, environment, sampler } = budgeting
  const { limited, otherKey } = await openBudget(environment, FITTING * worstOf(TOKENS))
  sampler.watch(limited)
  const first = await gatedRound(budgeting, limited, { count: AT_ONCE, tokens: TOKENS })
  if (first.answered !== FITTING) run.fail(`${first.answered} within the limit of a ${whose}`)
  await useUp(budgeting, limited, { count: AT_ONCE_LATER, sizes: SIZES })
  const order = { keys: [otherKey], model: GATED, count: OF_OTHER_PROJECT, tokens: TOKENS }
  const { answered } = await send(budgeting, order)
  if (answered !== OF_OTHER_PROJECT)
    run.fail(`${answered} of ${OF_OTHER_PROJECT} beside a ${whose} without budget`)
}

/** No gate: requests are admitted, settled and rejected at the same time. */
async function proveUnordered(budgeting: Budgeting): Promise<void> {
  const rounds = budgeting.run.soak ? FREE_ROUNDS_SOAK : FREE_ROUNDS_FAST
  for (let round = 0; round < rounds; round += 1) {
    const budget = await openPrepaid(budgeting.environment, FITTING * worstOf(TOKENS))
    budgeting.sampler.watch(budget)
    const order = { model: GATED, count: AT_ONCE, tokens: TOKENS, countLater: AT_ONCE_LATER }
    await untilRejected(budgeting, budget, order)
  }
}

/** The same on a real engine, whose counts are its own. */
async function proveReal(budgeting: Budgeting): Promise<void> {
  const budget = await openPrepaid(budgeting.environment, REAL_FITTING * worstOf(REAL_TOKENS))
  budgeting.sampler.watch(budget)
  const order = { model: REAL, count: REAL_AT_ONCE, tokens: REAL_TOKENS, countLater: AT_ONCE_LATER }
  await untilRejected(budgeting, budget, order)
}

/** In the end ledger and Valkey agree, and nothing of the budget is unaccounted for. */
async function judgeEnd({ run, environment }: Budgeting, budget: Budget): Promise<number> {
  const { postgres, valkey, apis, worker } = environment
  await waitUntilPosted(valkey)
  for (const wrong of await findWrongSums(postgres.pool)) run.fail(wrong)
  for (const { crashes } of [...apis, worker])
    if (crashes > 0) run.fail('a process ended unexpectedly')
  const { spent, balance } = await balanceOf(postgres.database, budget.organizationId)
  const inValkey = await readSpending(environment, budget)
  if (spent !== inValkey.spent || spent + balance !== budget.bound)
    run.fail(`${spent} in the ledger, ${inValkey.spent} in Valkey, of ${budget.bound}`)
  return balance
}

async function prove(run: ProofRun) {
  await using engine = await startGatedEngine((tokensMax) => ({
    prompt: run.random.between(1, PROMPT_TOKENS_MAX),
    completion: run.random.between(1, tokensMax),
  }))
  await using environment = await startBudgetEnvironment(engine.url)
  const sampler = startSampler(environment, run.fail)
  const totals = { asked: 0, answered: 0, refused_402: 0, rounds: 0, repeated_503: 0 }
  const budgeting: Budgeting = { run, environment, engine, sampler, totals }
  const budget = await provePrepaid(budgeting)
  await proveCredit(budgeting)
  await proveLimit(budgeting, openLimited, 'project')
  await proveLimit(budgeting, openLimitedKeys, 'key')
  await proveUnordered(budgeting)
  await proveReal(budgeting)
  const left = await judgeEnd(budgeting, budget)
  return {
    ...totals,
    balance_for: FITTING,
    granted: budget.bound,
    left,
    worst_case_of_least: worstOf(1),
    samples: await sampler.stop(),
  }
}

await runProof('budget', prove)

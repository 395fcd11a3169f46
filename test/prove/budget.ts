// However many requests come at once, no more is spent than there is, and all of it can be spent.
import { parseArgs } from 'node:util'
import { balanceOf } from '../../src/store/ledger/double-entry.ts'
import { createRandom } from '../harness/random.ts'
import { startGatedEngine } from './budget/gated-engine.ts'
import { answered, costs, gatedRound, judgeSpending, send, useUp } from './budget/rounds.ts'
import type { Run } from './budget/rounds.ts'
import { readSpending, startSampler } from './budget/sampler.ts'
import {
  GATED,
  REAL,
  grant,
  openLimited,
  openPrepaid,
  startWorld,
  worstOf,
} from './budget/world.ts'
import type { Budget } from './budget/world.ts'
import { judgeSums } from './metering/ledger.ts'
import { settled } from './metering/metered.ts'

const AT_ONCE = 200
const FITTING = 20
/** More than fit into what the first round leaves. */
const AT_ONCE_LATER = 40
const TOKENS = 50
/** Where nothing of a size fits any more, a smaller one may. */
const SIZES = [TOKENS, 10, 1]
const PROMPT_TOKENS_MAX = 100
const GRANTED_LATER = 3
const BESIDE = 30
const REAL_AT_ONCE = 24
const REAL_FITTING = 4
const REAL_TOKENS = 8
const FREE_ROUNDS_FAST = 2
const FREE_ROUNDS_SOAK = 40

/** A balance for twenty, used up to the last; what is granted then counts at the next request. */
async function provePrepaid(run: Run): Promise<Budget> {
  const budget = await openPrepaid(run.world, FITTING * worstOf(TOKENS))
  run.sampler.watch(budget)
  const first = await gatedRound(run, budget, { count: AT_ONCE, tokens: TOKENS })
  if (first.fitting !== FITTING) run.faults.push(`${first.fitting} of ${FITTING} at first`)
  await useUp(run, budget, { count: AT_ONCE_LATER, sizes: SIZES })
  const more = await grant(run.world, budget, GRANTED_LATER * worstOf(TOKENS))
  run.sampler.watch(more)
  const again = await gatedRound(run, more, { count: AT_ONCE_LATER, tokens: TOKENS })
  if (again.fitting !== GRANTED_LATER) run.faults.push(`${again.fitting} after a grant`)
  await useUp(run, more, { count: AT_ONCE_LATER, sizes: SIZES })
  return more
}

/** The same with a project's limit, while another project of the organization has none. */
async function proveLimit(run: Run): Promise<void> {
  const { limited, besideKey } = await openLimited(run.world, FITTING * worstOf(TOKENS))
  run.sampler.watch(limited)
  const first = await gatedRound(run, limited, { count: AT_ONCE, tokens: TOKENS })
  if (first.fitting !== FITTING) run.faults.push(`${first.fitting} within a project's limit`)
  await useUp(run, limited, { count: AT_ONCE_LATER, sizes: SIZES })
  const order = { key: besideKey, model: GATED, count: BESIDE, tokens: TOKENS }
  const beside = answered(await send(run, order))
  if (beside !== BESIDE) run.faults.push(`${beside} of ${BESIDE} beside a used-up project`)
}

/** Nobody holds anything back: requests are let in, settled and refused all at the same time. */
async function proveUnordered(run: Run, times: number): Promise<void> {
  for (let round = 0; round < times; round += 1) {
    const budget = await openPrepaid(run.world, FITTING * worstOf(TOKENS))
    run.sampler.watch(budget)
    await untilRefused(run, budget, { model: GATED, count: AT_ONCE, tokens: TOKENS })
  }
}

/** The same on a real engine, whose counts nobody has chosen. */
async function proveReal(run: Run): Promise<void> {
  const budget = await openPrepaid(run.world, REAL_FITTING * worstOf(REAL_TOKENS))
  run.sampler.watch(budget)
  await untilRefused(run, budget, { model: REAL, count: REAL_AT_ONCE, tokens: REAL_TOKENS })
}

async function untilRefused(
  run: Run,
  budget: Budget,
  order: { readonly model: string; readonly count: number; readonly tokens: number },
): Promise<void> {
  let spent = 0
  for (let { count } = order; ; count = Math.min(count, AT_ONCE_LATER)) {
    const asked = await send(run, { ...order, count, key: budget.key })
    spent += costs(asked)
    run.totals.rounds += 1
    await judgeSpending(run, budget, spent)
    if (answered(asked) === 0) break
  }
  if (budget.bound - spent >= worstOf(order.tokens))
    run.faults.push(`refused with ${budget.bound - spent} left of ${budget.bound}`)
  if (spent > budget.bound) run.faults.push(`${spent} spent of ${budget.bound}`)
}

/** Books, Valkey and what clients were told say the same in the end. */
async function judgeEnd({ world, faults }: Run, budget: Budget): Promise<number> {
  await settled(world.valkey)
  faults.push(...(await judgeSums(world.postgres.pool)))
  if (world.deaths.count > 0) faults.push(`${world.deaths.count} processes died`)
  const { spent, balance } = await balanceOf(world.postgres.database, budget.organizationId)
  const inValkey = await readSpending(world, budget)
  if (spent !== inValkey.spent || spent + balance !== budget.bound)
    faults.push(`${spent} in the books, ${inValkey.spent} in Valkey, of ${budget.bound}`)
  return balance
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { soak: { type: 'boolean', default: false }, seed: { type: 'string' } },
  })
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  const random = createRandom(seed)
  await using engine = await startGatedEngine((tokensMax) => ({
    prompt: random.between(1, PROMPT_TOKENS_MAX),
    completion: random.between(1, tokensMax),
  }))
  await using world = await startWorld(engine.url)
  const sampler = startSampler(world)
  const totals = { asked: 0, answered: 0, refused: 0, rounds: 0, repeated: 0 }
  const run: Run = { world, engine, sampler, faults: [], totals }
  const budget = await provePrepaid(run)
  await proveLimit(run)
  await proveUnordered(run, values.soak ? FREE_ROUNDS_SOAK : FREE_ROUNDS_FAST)
  await proveReal(run)
  const left = await judgeEnd(run, budget)
  const { samples, faults: seen } = await sampler.stop()
  const faults = [...new Set([...run.faults, ...seen])]
  for (const fault of faults) console.log(`not: ${fault.slice(0, 500)}`)
  console.log(
    `budget: asked=${totals.asked} answered=${totals.answered} refused_402=${totals.refused} ` +
      `rounds=${totals.rounds} balance_for=${FITTING} granted=${budget.bound} left=${left} ` +
      `worst_case_of_least=${worstOf(1)} samples=${samples} repeated_503=${totals.repeated} ` +
      `faults=${faults.length} seed=${seed}`,
  )
  return faults.length === 0
}

process.exitCode = (await main()) ? 0 : 1

import { timeUntil } from '../../harness/figures/measure.ts'
import { GATED, worstOf, type Budget } from './environment.ts'
import { readSpending } from './sampler.ts'
import { send, type Budgeting, type Order, type Sent } from './send.ts'

const TIMEOUT_MS = 120_000

/**
 * A round in which the engine holds everything until all requests are decided: exactly as many are
 * admitted as the budget covers, and the others are rejected.
 */
export async function gatedRound(
  budgeting: Budgeting,
  budget: Budget,
  { count, tokens }: Pick<Order, 'count' | 'tokens'>,
): Promise<Sent> {
  const { run, environment, engine, totals } = budgeting
  const worst = worstOf(tokens)
  const before = await readSpending(environment, budget)
  const fitting = Math.min(count, Math.floor((budget.bound - before.spent) / worst))
  let answers = 0
  engine.close()
  const sending = send(
    budgeting,
    { keys: budget.keys, code: budget.code, model: GATED, count, tokens },
    () => (answers += 1),
  )
  const areDecided = () => answers + engine.waiting() === count
  if ((await timeUntil(areDecided, TIMEOUT_MS)) === null) run.fail('some requests were not decided')
  const held = await readSpending(environment, budget)
  if (engine.waiting() !== fitting) run.fail(`${engine.waiting()} admitted, ${fitting} fit`)
  if (held.reserved !== fitting * worst || held.spent !== before.spent)
    run.fail(`${held.reserved} reserved for ${fitting} times ${worst}`)
  engine.open()
  const sent = await sending
  await judgeSpending(budgeting, budget, before.spent + sent.cost)
  totals.rounds += 1
  return sent
}

/** Settlement precedes the end that the client sees, so there is nothing to wait for. */
async function judgeSpending(
  { run, environment }: Budgeting,
  budget: Budget,
  spent: number,
): Promise<void> {
  const now = await readSpending(environment, budget)
  if (now.spent !== spent || now.reserved !== 0)
    run.fail(`${now.spent} spent and ${now.reserved} reserved, but answers cost ${spent}`)
}

/** Rounds until no request of any size fits any more. */
export async function useUp(
  budgeting: Budgeting,
  budget: Budget,
  { count, sizes }: { readonly count: number; readonly sizes: readonly number[] },
): Promise<void> {
  for (const tokens of sizes)
    while ((await gatedRound(budgeting, budget, { count, tokens })).answered > 0);
}

/** Rounds without a gate until all are rejected: admissions, settlements and refusals overlap. */
export async function untilRejected(
  budgeting: Budgeting,
  budget: Budget,
  order: Omit<Order, 'keys'> & { readonly countLater: number },
  before = 0,
): Promise<void> {
  const { run, totals } = budgeting
  let spent = before
  for (let { count } = order; ; count = Math.min(count, order.countLater)) {
    const { keys, code } = budget
    const { answered, cost } = await send(budgeting, { ...order, count, keys, code })
    spent += cost
    totals.rounds += 1
    await judgeSpending(budgeting, budget, spent)
    if (answered === 0) break
  }
  if (budget.bound - spent >= worstOf(order.tokens))
    run.fail(`rejected with ${budget.bound - spent} left of ${budget.bound}`)
  if (spent > budget.bound) run.fail(`${spent} spent of ${budget.bound}`)
}

import { waitUntil } from '../../harness/measure.ts'
import { ask, type Asked } from './ask.ts'
import type { GatedEngine } from './gated-engine.ts'
import { readSpending, type Sampler } from './sampler.ts'
import { GATED, worstOf, type Budget, type World } from './world.ts'

const TIMEOUT_MS = 120_000

/** All that a proof works with, and what it has found. */
export type Run = {
  readonly world: World
  readonly engine: GatedEngine
  readonly sampler: Sampler
  readonly faults: string[]
  readonly totals: {
    asked: number
    answered: number
    refused: number
    rounds: number
    repeated: number
  }
}

type Order = {
  readonly key: string
  readonly model: string
  readonly count: number
  readonly tokens: number
}

/** Sends them all at once, to every process in turn. */
export async function send(
  { world, totals, faults }: Run,
  { key, model, count, tokens }: Order,
  onAnswer: () => void = () => {},
): Promise<Asked[]> {
  const { apiRoots } = world
  const one = async (_: unknown, at: number) => {
    const apiRoot = apiRoots[at % apiRoots.length] ?? ''
    const target = { apiRoot, key }
    let asked = await ask(target, model, tokens, at % 2 === 0)
    const timeoutEndsMs = performance.now() + TIMEOUT_MS
    while (asked.kind === 'unavailable' && performance.now() < timeoutEndsMs) {
      totals.repeated += 1
      asked = await ask(target, model, tokens, at % 2 === 0)
    }
    onAnswer()
    return asked
  }
  const all = await Promise.all(Array.from({ length: count }, one))
  totals.asked += count
  totals.answered += answered(all)
  totals.refused += all.filter(({ kind }) => kind === 'refused').length
  for (const each of all) {
    if (each.kind === 'other') faults.push(each.what)
    if (each.kind === 'unavailable') faults.push('503 until timeout was over')
  }
  return all
}

export function answered(asked: readonly Asked[]): number {
  return asked.filter(({ kind }) => kind === 'answered').length
}

export function costs(asked: readonly Asked[]): number {
  return asked.reduce((sum, each) => sum + (each.kind === 'answered' ? each.cost : 0), 0)
}

/**
 * A round with an engine that holds everything back until all have been decided: exactly as many
 * are let in as there is money for, and the others are refused. Returns what it cost.
 */
export async function gatedRound(
  run: Run,
  budget: Budget,
  { count, tokens }: Pick<Order, 'count' | 'tokens'>,
): Promise<{ readonly fitting: number; readonly cost: number }> {
  const { world, engine, faults } = run
  const worst = worstOf(tokens)
  const before = await readSpending(world, budget)
  const fitting = Math.min(count, Math.floor((budget.bound - before.spent) / worst))
  let decided = 0
  engine.close()
  const sent = send(run, { key: budget.key, model: GATED, count, tokens }, () => (decided += 1))
  const allDecided = () => Promise.resolve(decided + engine.waiting() === count)
  if ((await waitUntil(allDecided, TIMEOUT_MS)) === Infinity) faults.push('some were not decided')
  const held = await readSpending(world, budget)
  if (engine.waiting() !== fitting) faults.push(`${engine.waiting()} let in, ${fitting} fit`)
  if (held.reserved !== fitting * worst || held.spent !== before.spent)
    faults.push(`${held.reserved} reserved for ${fitting} times ${worst}`)
  engine.open()
  const asked = await sent
  const cost = costs(asked)
  await judgeSpending(run, budget, before.spent + cost)
  run.totals.rounds += 1
  return { fitting: answered(asked), cost }
}

/** A settlement comes before the end that the client sees, so there is nothing to wait for. */
export async function judgeSpending(run: Run, budget: Budget, spent: number): Promise<void> {
  const now = await readSpending(run.world, budget)
  if (now.spent !== spent || now.reserved !== 0)
    run.faults.push(`${now.spent} spent and ${now.reserved} reserved, where ${spent} was told`)
}

/** Round after round, until nothing of any size fits any more. Returns what all of it cost. */
export async function useUp(
  run: Run,
  budget: Budget,
  { count, sizes }: { readonly count: number; readonly sizes: readonly number[] },
): Promise<number> {
  let total = 0
  for (const tokens of sizes) {
    for (;;) {
      const { fitting, cost } = await gatedRound(run, budget, { count, tokens })
      total += cost
      if (fitting === 0) break
    }
  }
  return total
}

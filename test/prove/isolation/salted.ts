import { startEnvironment } from '../../harness/environment.ts'
import type { Figures, ProofRun } from '../../harness/proof.ts'
import { startRealEngine } from '../../harness/engines/real-engine.ts'
import { openTenant } from './guess.ts'
import { proveMixed, proveTakeovers, waitForOwn } from './takeovers.ts'

const MODEL = 'isolation/salted'
const SLOTS = 4

/**
 * An engine that keeps the caches of organizations apart by the salts that it is sent. One
 * organization sends secrets through one process, another guesses them through a second one.
 */
export async function proveSalted(
  run: ProofRun,
  takeovers: number,
  mixed: number,
): Promise<Figures> {
  await using engine = await startRealEngine(SLOTS)
  await using environment = await startEnvironment({
    engines: [{ name: 'salted', ...engine.settings }],
    models: [{ id: MODEL, engines: ['salted'], context_length: 4_096 }],
  })
  const [first, second] = [await environment.startApi(), await environment.startApi()]
  const [keeper, guesser] = [await environment.openCaller(), await environment.openCaller()]
  const keeping = openTenant(first.apiRoot, keeper.key, MODEL)
  const guessing = openTenant(second.apiRoot, guesser.key, MODEL)
  if (!(await waitForOwn(run, () => keeping))) run.fail('caches are not in use')
  const taken = await proveTakeovers(run, [() => keeping, () => guessing], takeovers)
  const guessed = await proveMixed(run, environment, first, MODEL, mixed)
  for (const { line } of [keeping, guessing]) await line[Symbol.asyncDispose]()
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`
  return {
    takeovers,
    cached_max: taken.cachedMax,
    told_by_time: percent(taken.accuracy),
    chance_max: percent(taken.most),
    own_cached: percent(taken.ownShare),
    guesses_at_once: guessed,
  }
}

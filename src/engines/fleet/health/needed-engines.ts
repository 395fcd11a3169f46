import { isServing, type StateName } from './engine-states.ts'

/**
 * Engines that warm up although no other engine of a model serves. To hold them back would only
 * refuse its requests.
 */
export function neededEngines(
  pools: Iterable<readonly string[]>,
  stateOf: (engine: string) => { readonly state: StateName } | undefined,
): Set<string> {
  const needed = new Set<string>()
  for (const pool of pools) {
    const serving = pool.filter((engine) => isServing(stateOf(engine) ?? { state: 'ejected' }))
    if (serving.every((engine) => stateOf(engine)?.state === 'warming'))
      for (const engine of serving) needed.add(engine)
  }
  return needed
}

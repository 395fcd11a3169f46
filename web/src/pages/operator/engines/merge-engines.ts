import {
  mergeEngineStates,
  mergePools,
  type MergedEngine,
  type MergedPool,
} from '../../../../../src/contract/engines/merge-engine-states.ts'
import type { Configuration, EngineOrder, EnginesOfProcess } from '../../../api/routes.ts'

/** One engine as all processes see it together. */
export type EngineRow = {
  readonly name: string
  readonly kind: string | null
  readonly models: readonly string[]
  /** In the order of the processes; those that do not know the engine are left out. */
  readonly shares: readonly { readonly process: string; readonly inUse: number }[]
  /** Null if no process told. */
  readonly merged: MergedEngine | null
  readonly order: EngineOrder | null
  /** Null if no process has probed it. */
  readonly missing: readonly string[] | null
}

type Configured = {
  readonly engines?: readonly { readonly name: string; readonly kind: string }[]
  readonly models?: readonly { readonly id: string; readonly engines: readonly string[] }[]
}

/** The name of a process: the host and port of its health address. */
export function processName(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

/** The engines of the configuration, of the processes and of orders, by name. */
export function mergeEngines(
  processes: readonly EnginesOfProcess[],
  orders: readonly EngineOrder[],
  settings: Configuration['settings'] | undefined,
): EngineRow[] {
  const { engines = [], models = [] } = (settings ?? {}) as Configured
  const seen = processes.flatMap(({ url, engines: known }) =>
    known.map((engine) => ({ process: processName(url), ...engine })),
  )
  const names = new Set([...engines, ...seen].map(({ name }) => name))
  for (const { engine } of orders) names.add(engine)
  return [...names].map((name) => {
    const views = seen.filter((view) => view.name === name)
    const states = views.flatMap(({ state }) => state ?? [])
    const probed = views.flatMap(({ missing }) => missing ?? [])
    return {
      name,
      kind: engines.find((engine) => engine.name === name)?.kind ?? null,
      models: models.filter((model) => model.engines.includes(name)).map(({ id }) => id),
      shares: views.flatMap(({ process, state }) =>
        state === null ? [] : [{ process, inUse: state.slots_in_use }],
      ),
      merged: states.length === 0 ? null : mergeEngineStates(states),
      order: orders.find(({ engine }) => engine === name) ?? null,
      missing: views.some(({ missing }) => missing !== null) ? [...new Set(probed)] : null,
    }
  })
}

/** An order is in force from now on, whatever the processes told a moment ago. */
export function stateOf({ merged, order }: EngineRow): MergedEngine['state'] | null {
  if (order !== null && order.state !== 'enabled') return order.state
  return merged?.state ?? null
}

/** The queues of all processes, by model. */
export function mergeQueues(
  processes: readonly EnginesOfProcess[],
): (MergedPool & { readonly model: string })[] {
  const models = new Set(processes.flatMap(({ pools }) => Object.keys(pools)))
  return [...models].map((model) => ({
    model,
    ...mergePools(processes.flatMap(({ pools }) => pools[model] ?? [])),
  }))
}

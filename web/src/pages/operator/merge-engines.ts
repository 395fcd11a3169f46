import type { Configuration, EnginesOfProcess } from '../../api/routes.ts'

/** One engine as all processes see it together. */
export type EngineRow = {
  readonly name: string
  readonly kind: string | null
  readonly models: readonly string[]
  /** In the order of the processes; those that do not know the engine are left out. */
  readonly shares: readonly { readonly process: string; readonly inUse: number }[]
  /** Null if no process told. */
  readonly slots: number | null
  readonly inUse: number
  readonly ejections: number
  readonly ejectedBy: readonly string[]
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

/**
 * The engines of the configuration and of the processes, by name. Each process may use all slots of
 * an engine, so the slots of the processes add up, as in the overview.
 */
export function mergeEngines(
  processes: readonly EnginesOfProcess[],
  settings: Configuration['settings'] | undefined,
): EngineRow[] {
  const { engines = [], models = [] } = (settings ?? {}) as Configured
  const seen = processes.flatMap(({ url, engines: known }) =>
    known.map((engine) => ({ process: processName(url), ...engine })),
  )
  const names = new Set([...engines.map(({ name }) => name), ...seen.map(({ name }) => name)])
  return [...names].map((name) => {
    const views = seen.filter((view) => view.name === name)
    const states = views.flatMap(({ process, state }) =>
      state === null ? [] : [{ process, ...state }],
    )
    const probed = views.flatMap(({ missing }) => missing ?? [])
    const sum = (field: 'slots' | 'slots_in_use' | 'ejections') =>
      states.reduce((total, state) => total + state[field], 0)
    return {
      name,
      kind: engines.find((engine) => engine.name === name)?.kind ?? null,
      models: models.filter((model) => model.engines.includes(name)).map(({ id }) => id),
      shares: states.map(({ process, slots_in_use: inUse }) => ({ process, inUse })),
      slots: states.length === 0 ? null : sum('slots'),
      inUse: sum('slots_in_use'),
      ejections: sum('ejections'),
      ejectedBy: states.filter(({ healthy }) => !healthy).map(({ process }) => process),
      missing: views.some(({ missing }) => missing !== null) ? [...new Set(probed)] : null,
    }
  })
}

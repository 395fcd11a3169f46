import type { Config } from '../config/load.ts'
import type { Endpoint } from '../engines/discovery/endpoint.ts'

type EngineSettings = Config['engines'][number]

/** An engine with an address: of the file, or discovered as part of a group. */
export type KnownEngine = Omit<EngineSettings, 'url' | 'discover'> & { readonly url: string }

/** An engine of a model, by name. */
export type EngineChoice = { readonly name: string; readonly weight: number }

/** By name of the group; a group that was never read is not in it. */
export type FoundEndpoints = ReadonlyMap<string, readonly Endpoint[]>

/** The engines in force: those of the file, and those that were discovered. */
export type KnownEngines = {
  readonly engines: readonly KnownEngine[]
  readonly choicesOf: ReadonlyMap<string, readonly EngineChoice[]>
  /** Models of which no engine is known, and of which a group was never read. */
  readonly unknownModels: ReadonlySet<string>
}

export const NOTHING_FOUND: FoundEndpoints = new Map()

/** Replaces each group by the engines that were found for it. */
export function expandEngines(config: Config, found: FoundEndpoints): KnownEngines {
  const members = new Map<string, readonly KnownEngine[]>()
  for (const { url, discover, ...settings } of config.engines) {
    if (url !== undefined) members.set(settings.name, [{ ...settings, url }])
    else if (discover !== undefined) {
      const endpoints = found.get(settings.name)
      if (endpoints !== undefined) members.set(settings.name, membersOf(settings, endpoints))
    }
  }
  const choicesOf = new Map<string, readonly EngineChoice[]>()
  const unknownModels = new Set<string>()
  for (const model of config.models) {
    const chosen = engineChoices(model)
    const known = chosen.flatMap(({ name, weight }) =>
      (members.get(name) ?? []).map((engine) => ({ name: engine.name, weight })),
    )
    choicesOf.set(model.id, known)
    if (known.length === 0 && chosen.some(({ name }) => !members.has(name)))
      unknownModels.add(model.id)
  }
  return { engines: [...members.values()].flat(), choicesOf, unknownModels }
}

export function engineChoices({
  engines,
}: Pick<Config['models'][number], 'engines'>): readonly EngineChoice[] {
  return engines.map((each) => (typeof each === 'string' ? { name: each, weight: 1 } : each))
}

function membersOf(
  group: Omit<EngineSettings, 'url' | 'discover'>,
  endpoints: readonly Endpoint[],
): KnownEngine[] {
  return endpoints.map(({ url, slots = group.slots }) => {
    const { hostname, port, protocol } = new URL(url)
    const host = hostname.replaceAll(/[^A-Za-z0-9.]+/g, '-').replaceAll(/^-|-$/g, '')
    const known = port === '' ? (protocol === 'https:' ? '443' : '80') : port
    return { ...group, name: `${group.name}-${host}-${known}`, url, slots }
  })
}

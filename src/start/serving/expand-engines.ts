import type { Config } from '../../config/load.ts'
import type { Endpoint } from '../../engines/discovery/endpoint.ts'

type EngineSettings = Config['engines'][number]

/** An engine with an address: of the file, or discovered as part of a group. */
export type KnownEngine = Omit<EngineSettings, 'url' | 'discover'> & {
  readonly url: string
  /** Its number, if it is one of several ranks of a server. */
  readonly rank?: number
}

/** By name of the group; a group that was never read is not in it. */
export type FoundEndpoints = ReadonlyMap<string, readonly Endpoint[]>

/** The engines in force: those of the file, and those that were discovered. */
export type KnownEngines = {
  readonly engines: readonly KnownEngine[]
  /** The names of the engines of each model. */
  readonly namesOf: ReadonlyMap<string, readonly string[]>
  /** By name of the engine. */
  readonly weights: ReadonlyMap<string, number>
  /** Models of which no engine is known, and of which a group was never read. */
  readonly unknownModels: ReadonlySet<string>
}

/** Replaces each group by the engines that were found for it, and each server by its ranks. */
export function expandEngines(config: Config, found: FoundEndpoints): KnownEngines {
  const members = new Map<string, readonly KnownEngine[]>()
  for (const { url, discover, ...settings } of config.engines) {
    if (url !== undefined) members.set(settings.name, ranksOf({ ...settings, url }))
    else if (discover !== undefined) {
      const endpoints = found.get(settings.name)
      if (endpoints !== undefined)
        members.set(settings.name, membersOf(settings, endpoints).flatMap(ranksOf))
    }
  }
  const namesOf = new Map<string, readonly string[]>()
  const weights = new Map<string, number>()
  const unknownModels = new Set<string>()
  for (const model of config.models) {
    const chosen = engineChoices(model)
    const known: string[] = []
    for (const { name: group, weight } of chosen)
      for (const { name } of members.get(group) ?? []) {
        known.push(name)
        weights.set(name, weight)
      }
    namesOf.set(model.id, known)
    if (known.length === 0 && chosen.some(({ name }) => !members.has(name)))
      unknownModels.add(model.id)
  }
  return { engines: [...members.values()].flat(), namesOf, weights, unknownModels }
}

function engineChoices({ engines }: Pick<Config['models'][number], 'engines'>) {
  return engines.map((each) => (typeof each === 'string' ? { name: each, weight: 1 } : each))
}

function membersOf(
  group: Omit<EngineSettings, 'url' | 'discover'>,
  endpoints: readonly Endpoint[],
): KnownEngine[] {
  return endpoints.map(({ url, slots = group.slots }) => {
    const { hostname, port, protocol } = new URL(url)
    const host = hostname.startsWith('[') ? nameAddress(hostname) : nameHost(hostname)
    const known = port === '' ? (protocol === 'https:' ? '443' : '80') : port
    return { ...group, name: `${group.name}-${host}-${known}`, url, slots }
  })
}

/** No slash before the number: names of engines are parts of addresses. */
function ranksOf(engine: KnownEngine): KnownEngine[] {
  const { name, data_parallel_ranks: count } = engine
  if (count === undefined) return [engine]
  return Array.from({ length: count }, (_, rank) => ({
    ...engine,
    name: `${name}-dp${rank}`,
    rank,
  }))
}

function nameHost(hostname: string): string {
  return hostname.replaceAll(/[^A-Za-z0-9.]+/g, '-').replaceAll(/^-|-$/g, '')
}

/** All eight groups of an IPv6 address: without its zeros, two addresses would have one name. */
function nameAddress(hostname: string): string {
  const [before = '', after = ''] = hostname.slice(1, -1).split('::')
  const [first, last] = [before, after].map((groups) => groups.split(':').filter(Boolean))
  const zeros = Array.from({ length: 8 - (first?.length ?? 0) - (last?.length ?? 0) }, () => '0')
  return [...(first ?? []), ...zeros, ...(last ?? [])].join('-')
}

import type { Log } from '../../lib/log.ts'
import { readDns, type DnsSettings } from './dns.ts'
import { ENDPOINTS_MAX, type Endpoint, type Source } from './endpoint.ts'
import { readFiles } from './file.ts'
import { watchKubernetes, type KubernetesSettings } from './kubernetes.ts'

/** A group of engines, and where they are found: one of the three. */
export type GroupSettings = {
  readonly name: string
  readonly scheme: string
  readonly dns?: DnsSettings | undefined
  readonly file?: { readonly path: string } | undefined
  readonly kubernetes?: KubernetesSettings | undefined
}

/** What operators see of a group. */
export type GroupState = {
  /** Whether its source could be read the last time. */
  readonly readable: boolean
  /** Why not; null if it could. */
  readonly reason: string | null
  /** The engines of the last time that it could; null if it never could. */
  readonly engines: number | null
}

/** The engines that are found while the service runs. */
export type Discovery = {
  /** By name of the group; one that was never read is not in it. */
  found(): ReadonlyMap<string, readonly Endpoint[]>
  states(): Readonly<Record<string, GroupState>>
  /** Starts and ends sources, so that these groups are followed. Unchanged ones go on. */
  follow(groups: readonly GroupSettings[]): void
  /** Resolves when each source was read, or could not be. */
  settled(): Promise<void>
  close(): void
}

type Group = {
  readonly settings: string
  readonly ending: AbortController
  readonly settled: Promise<void>
  endpoints: readonly Endpoint[] | undefined
  reason: string | null
}

/** `onChange` is called whenever the engines of a group are others than before. */
export function startDiscovery(onChange: () => void, log: Log): Discovery {
  const groups = new Map<string, Group>()

  /** `before` are the engines of the group that it replaces, until its own source was read. */
  function start(settings: GroupSettings, before: readonly Endpoint[] | undefined): Group {
    const settled = Promise.withResolvers<void>()
    const group: Group = {
      settings: JSON.stringify(settings),
      ending: new AbortController(),
      settled: settled.promise,
      endpoints: before,
      reason: null,
    }
    const { signal } = group.ending
    const failed = (reason: string) => {
      if (signal.aborted) return
      if (group.reason === null)
        log.warn({ engine: settings.name, reason }, 'engine discovery failed')
      group.reason = reason
      settled.resolve()
    }
    const found = (endpoints: readonly Endpoint[]) => {
      if (signal.aborted) return
      const unique = withoutRepeated(endpoints)
      if (unique.length > ENDPOINTS_MAX) return failed(`more than ${ENDPOINTS_MAX} engines`)
      if (group.reason !== null) log.info({ engine: settings.name }, 'engine discovery recovered')
      group.reason = null
      const changed = JSON.stringify(unique) !== JSON.stringify(group.endpoints)
      group.endpoints = unique
      settled.resolve()
      if (!changed) return
      log.info({ engine: settings.name, count: unique.length }, 'engines discovered')
      onChange()
    }
    void sourceOf(settings)({ found, failed }, signal)
    return group
  }

  return {
    found: () =>
      new Map(
        [...groups].flatMap(([name, { endpoints }]) =>
          endpoints === undefined ? [] : [[name, endpoints] as const],
        ),
      ),
    states: () =>
      Object.fromEntries([...groups].map(([name, group]) => [name, stateOf(group)] as const)),
    follow(wanted) {
      const next = new Map(wanted.map((settings) => [settings.name, settings]))
      const earlier = new Map(groups)
      groups.clear()
      for (const [name, settings] of next) {
        const known = earlier.get(name)
        const isSame = known?.settings === JSON.stringify(settings)
        groups.set(name, isSame ? known : start(settings, known?.endpoints))
      }
      for (const [name, group] of earlier) if (groups.get(name) !== group) group.ending.abort()
    },
    settled: async () => void (await Promise.all([...groups.values()].map((each) => each.settled))),
    close() {
      for (const { ending } of groups.values()) ending.abort()
      groups.clear()
    },
  }
}

function sourceOf({ name, scheme, dns, file, kubernetes }: GroupSettings): Source {
  if (dns !== undefined) return readDns(dns, scheme)
  if (file !== undefined) return readFiles(file.path)
  if (kubernetes !== undefined) return watchKubernetes(kubernetes, scheme)
  throw new Error(`the group ${name} of a checked configuration has no source`)
}

/** In one order, so that the same engines are the same list. */
function withoutRepeated(endpoints: readonly Endpoint[]): Endpoint[] {
  const byServer = new Map(endpoints.map((endpoint) => [new URL(endpoint.url).host, endpoint]))
  return [...byServer.entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, endpoint]) => endpoint)
}

function stateOf({ endpoints, reason }: Group): GroupState {
  const readable = reason === null && endpoints !== undefined
  return { readable, reason, engines: endpoints?.length ?? null }
}

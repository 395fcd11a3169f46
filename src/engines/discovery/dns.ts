import { promises as dns, type SrvRecord } from 'node:dns'
import { setTimeout as pause } from 'node:timers/promises'
import { reasonOf, UnreadableSource, type Endpoint, type Source } from './endpoint.ts'

export type DnsSettings = {
  readonly name: string
  /** Without it, SRV records are read. */
  readonly port?: number | undefined
  readonly servers: readonly string[]
}

const INTERVAL_MS = 5_000
const TIMEOUT_MS = 2_000
const TRIES = 2

/** A name of this kind has no record of this type. */
const NO_RECORDS: ReadonlySet<string> = new Set(['ENODATA', 'ENOTFOUND'])

/**
 * Resolves a name every 5 s. A name without any record counts as unreadable: more often a mistake
 * in DNS than the wish to have no engine, and engines that are gone are ejected anyway.
 */
export function readDns(
  settings: DnsSettings,
  scheme: string,
  intervalMs: number = INTERVAL_MS,
): Source {
  return async ({ found, failed }, signal) => {
    const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
    if (settings.servers.length > 0) resolver.setServers(settings.servers)
    while (!signal.aborted) {
      try {
        found(await resolve(resolver, settings, scheme))
      } catch (error) {
        failed(reasonOf(error))
      }
      await pause(intervalMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
}

async function resolve(
  resolver: dns.Resolver,
  { name, port }: DnsSettings,
  scheme: string,
): Promise<Endpoint[]> {
  if (port === undefined) return targetsOf(await resolver.resolveSrv(name), scheme)
  const four = await resolver.resolve4(name).catch(noRecords)
  // Both families are addresses of the same servers, so only one is used.
  const six = four.length > 0 ? [] : await resolver.resolve6(name).catch(noRecords)
  if (four.length + six.length === 0) throw new UnreadableSource('the name has no address')
  const hosts = [...four, ...six.map((address) => `[${address}]`)]
  return hosts.map((host) => ({ url: `${scheme}://${host}:${port}` }))
}

/** The targets of all priorities, since every engine of a group is used. */
function targetsOf(records: readonly SrvRecord[], scheme: string): Endpoint[] {
  const targets = records.map(({ name, port }) => `${scheme}://${name}:${port}`)
  if (!targets.every((url) => URL.canParse(url) && new URL(url).pathname === '/'))
    throw new UnreadableSource('a target is not a host name')
  return targets.map((url) => ({ url }))
}

function noRecords(error: NodeJS.ErrnoException): string[] {
  if (NO_RECORDS.has(error.code ?? '')) return []
  throw error
}

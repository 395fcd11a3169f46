import { Redis } from 'ioredis'
import { compareClocks, type ClockComparison } from '../../lib/compare-clocks.ts'
import { errorCode, serverOptions } from './options.ts'

/** What one Valkey server says about itself, for `headrace doctor`. Nothing is changed. */
export type ValkeyInspection = Disposable & {
  /** Host and port. */
  readonly server: string
  /** The fields of INFO. */
  readInfo(): Promise<ReadonlyMap<string, string>>
  /** Undefined where CONFIG is not allowed, as with many providers. */
  readAppendFsync(): Promise<string | undefined>
  /** Throws if the user may not run scripts. */
  tryScript(): Promise<void>
  /** `ok` of a complete cluster. */
  readClusterState(): Promise<string>
  readClock(): Promise<ClockComparison>
}

/** Connects at once; throws what the library throws, or the reason why the server refused. */
export async function inspectValkey(url: string, timeoutMs: number): Promise<ValkeyInspection> {
  const options = { ...serverOptions(timeoutMs), lazyConnect: true, retryStrategy: () => null }
  const client = new Redis(url, options)
  let refusal: Error | undefined
  client.on('error', (error: Error) => (refusal ??= error))
  try {
    await client.connect()
    await client.ping()
  } catch (error) {
    client.disconnect()
    // A rejected password is reported as an event, and the command only as closed connection.
    throw refusal ?? error
  }
  // Several checks share these answers.
  let info: Promise<ReadonlyMap<string, string>> | undefined
  let clock: Promise<ClockComparison> | undefined
  return {
    server: new URL(url).host,
    readInfo: () => (info ??= client.info().then(parseInfo)),
    async readAppendFsync() {
      try {
        const [, value] = (await client.call('CONFIG', ['GET', 'appendfsync'])) as string[]
        return value
      } catch (error) {
        if (error instanceof Error && /^(NOPERM|ERR)$/.test(errorCode(error))) return undefined
        throw error
      }
    },
    tryScript: async () => void (await client.call('EVAL', ['return 1', 0])),
    async readClusterState() {
      const state = parseInfo(String(await client.call('CLUSTER', ['INFO'])))
      return state.get('cluster_state') ?? 'unknown'
    },
    readClock: () => (clock ??= compareClocks(() => readTimeMs(client))),
    [Symbol.dispose]: () => client.disconnect(),
  }
}

async function readTimeMs(client: Redis): Promise<number> {
  const [seconds, microseconds] = (await client.call('TIME', [])) as string[]
  return Number(seconds) * 1000 + Number(microseconds) / 1000
}

function parseInfo(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\r\n').filter((line) => line.includes(':'))
  return new Map(
    lines.map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at), line.slice(at + 1)]
    }),
  )
}

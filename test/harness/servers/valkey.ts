import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openValkey, type Valkey } from '../../../src/store/valkey/valkey.ts'
import { chooseFreePort } from '../../../stack/ports.ts'
import { valkeyCliCommand, valkeyServerCommand } from '../../../stack/programs.ts'
import { killAtExit } from '../processes/kill-at-exit.ts'

const START_TIMEOUT_MS = 10_000
const PORT_FIRST = 20_000
const PORTS = 8_000
/** A cluster node listens on a second port, this much higher. */
const BUS_OFFSET = 2_000

export type ValkeyServer = {
  readonly url: string
  readonly pid: number
  /** Stops it in its tracks: connections stay open and nothing is answered. */
  freeze(): void
  thaw(): void
  kill(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A server of one's own with nothing on disk, so that it may be frozen, killed and emptied. A
 * folder that is given stays, for the next server that is started in it.
 */
export async function startValkey(
  options: {
    readonly port?: number
    readonly folder?: string
    readonly args?: readonly string[]
  } = {},
): Promise<ValkeyServer> {
  const port = options.port ?? (await choosePort())
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'headrace-valkey-')))
  const { command, args, env } = valkeyServerCommand()
  const server = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '']
  const child = spawn(command, [...args, ...server, ...(options.args ?? [])], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  killAtExit(child)
  await accepting(child)
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true })
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: child.pid!,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    kill,
    [Symbol.asyncDispose]: kill,
  }
}

/** Three primaries: as few as a cluster may have. */
export async function startValkeyCluster(
  options: { readonly replicas?: number } = {},
): Promise<{ urls: string[]; servers: ValkeyServer[] } & AsyncDisposable> {
  await using starting = new AsyncDisposableStack()
  const addresses: string[] = []
  const servers: ValkeyServer[] = []
  const replicas = options.replicas ?? 0
  for (let node = 0; node < 3 * (1 + replicas); node += 1) {
    const port = await choosePort()
    const bus = ['--cluster-port', `${port + BUS_OFFSET}`]
    const args = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '1000', ...bus]
    servers.push(starting.use(await startValkey({ port, args })))
    addresses.push(`127.0.0.1:${port}`)
  }
  const { command, args, env } = valkeyCliCommand()
  const create = ['--cluster', 'create', ...addresses, '--cluster-replicas', `${replicas}`]
  const cli = spawn(command, [...args, ...create, '--cluster-yes'], { env, stdio: 'ignore' })
  const [code] = (await once(cli, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`the cluster could not be created (${code})`)
  const running = starting.move()
  return {
    urls: addresses.map((address) => `redis://${address}`),
    servers,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** A connection that is ready. */
export async function connectValkey(
  urls: readonly string[],
  options: { readonly timeoutMs?: number } = {},
): Promise<Valkey> {
  await using opening = new AsyncDisposableStack()
  const valkey = opening.use(openValkey(urls, options))
  await valkey.connected(START_TIMEOUT_MS)
  // Without a connection it would try to reconnect for as long as the process runs.
  opening.move()
  return valkey
}

/**
 * A way to the server that can lose answers: once armed, the next request that contains the given
 * text still reaches the server, but the connection breaks before the answer gets through.
 */
export async function startLossyWay(
  target: string,
): Promise<{ url: string; loseAnswerTo(text: string): void } & AsyncDisposable> {
  const { port } = new URL(target)
  let armed: string | null = null
  const server = createServer((near) => {
    const far = connect(Number(port), '127.0.0.1')
    let losing = false
    near.on('data', (data) => {
      if (armed !== null && data.includes(armed)) {
        armed = null
        losing = true
      }
      far.write(data)
    })
    far.on('data', (data) => void (losing ? near.destroy() : near.write(data)))
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  server.listen(await choosePort(), '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseAnswerTo(text) {
      armed = text
    },
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

// Test files run at once, so each looks from a place of its own.
function choosePort(): Promise<number> {
  return chooseFreePort(PORT_FIRST + Math.floor(Math.random() * PORTS))
}

async function accepting(child: ChildProcess): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS)
  for await (const line of createInterface({ input: child.stdout! })) {
    if (!line.includes('Ready to accept connections')) continue
    clearTimeout(timer)
    child.stdout!.resume()
    return
  }
  clearTimeout(timer)
  throw new Error('valkey-server did not start')
}

/** How often the server ran each command so far, and the bytes that it sent. */
export async function readLoad(valkey: Valkey): Promise<{
  readonly calls: ReadonlyMap<string, number>
  readonly sentBytes: number
}> {
  const stats = (await valkey.call('INFO', ['commandstats'])) as string
  const found = stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)
  const calls = new Map([...found].map(([, name = '', count]) => [name, Number(count)]))
  const sent = (await valkey.call('INFO', ['stats'])) as string
  const sentBytes = Number(/^total_net_output_bytes:(\d+)/m.exec(sent)?.[1])
  return { calls, sentBytes }
}

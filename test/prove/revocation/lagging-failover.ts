import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { connectValkey, startValkey } from '../../harness/servers/valkey.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import type { Valkey } from '../../../src/store/valkey/valkey.ts'
import { coupleSockets } from './couple-sockets.ts'

const TIMEOUT_MS = 15_000
/** A primary waits five seconds for further replicas before it sends its data, by default. */
const HASTY = ['--repl-diskless-sync-delay', '0']

/** A way to a server whose answers take a while, and are lost with the server. */
export type Relay = AsyncDisposable & {
  readonly port: number
  /** Breaks all connections; new ones go to this port. */
  pointTo(port: number): void
}

export async function startRelay(delayMs: number): Promise<Relay> {
  const sockets = new Set<Socket>()
  let target = 0
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    near.on('data', (data) => void far.write(data))
    far.on('data', (data) => void setTimeout(() => near.write(data), delayMs))
    coupleSockets(near, far, sockets)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    pointTo(port) {
      target = port
      breakAll()
    },
    async [Symbol.asyncDispose]() {
      server.close()
      breakAll()
      await once(server, 'close')
    },
  }
}

/** A primary behind an address, with a replica that is behind by a fixed time. */
export type LaggingPair = AsyncDisposable & {
  readonly primary: Valkey
  readonly replica: Valkey
  /** Kills the primary and puts the replica behind its address. */
  failOver(): Promise<void>
}

export async function startLaggingPair(address: Relay, lagMs: number): Promise<LaggingPair> {
  await using starting = new AsyncDisposableStack()
  const first = starting.use(await startValkey({ args: HASTY }))
  const link = starting.use(await startRelay(lagMs))
  link.pointTo(portOf(first.url))
  const args = ['--replicaof', '127.0.0.1', `${link.port}`]
  const second = starting.use(await startValkey({ args }))
  const primary = starting.use(await connectValkey([first.url], { timeoutMs: TIMEOUT_MS }))
  const replica = starting.use(await connectValkey([second.url]))
  const isSynced = async () => {
    const [, , replicas] = (await primary.call('ROLE', [])) as [string, number, unknown[]]
    return replicas.length === 1
  }
  await waitUntil('the replica to be in step', isSynced, TIMEOUT_MS)
  address.pointTo(portOf(first.url))
  const running = starting.move()
  return {
    primary,
    replica,
    async failOver() {
      await first.kill()
      await replica.call('REPLICAOF', ['NO', 'ONE'])
      address.pointTo(portOf(second.url))
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}

import { setTimeout as pause } from 'node:timers/promises'
import { ValkeyUnavailable, type Valkey } from '../../../src/store/valkey/valkey.ts'
import { connectValkey, startValkey, startValkeyCluster, type ValkeyServer } from './valkey.ts'
import { waitUntil } from '../figures/measure.ts'

/** A replica of a full server that starts on a busy machine needs a while. */
const TIMEOUT_MS = 120_000
const ASK_AGAIN_MS = 50
const NODE_TIMEOUT_MS = 1_000
/** As far above a node's port as in the rest of the cluster. */
const BUS_OFFSET = 2_000

/** A cluster of three primaries, each with a replica, whose primaries may be killed. */
export type FailingCluster = AsyncDisposable & {
  readonly urls: readonly string[]
  /** Those that run. */
  servers(): readonly ValkeyServer[]
  /** Kills the primary of a key's slot and waits for its replica to take over; how long it took. */
  killPrimaryOf(key: string): Promise<number>
  /** Starts what was killed, empty, as a replica of its heir, and waits until it is in step. */
  restore(): Promise<void>
}

type Node = {
  readonly id: string
  readonly port: number
  readonly isPrimary: boolean
  readonly failed: boolean
  readonly slots: readonly (readonly [from: number, to: number])[]
}

export async function startFailingCluster(): Promise<FailingCluster> {
  const cluster = await startValkeyCluster({ replicas: 1 })
  const servers = new Map(cluster.servers.map((server) => [portOf(server.url), server]))
  for (const { url } of cluster.servers) {
    // A primary waits five seconds for further replicas before it sends its data, by default.
    await ask(url, (node) => node.call('CONFIG', ['SET', 'repl-diskless-sync-delay', '0']))
  }
  const anyUrl = () => [...servers.values()][0]?.url ?? ''
  let killed: { node: Node; heir: Node } | undefined
  for (const { url } of cluster.servers) await inStep(url)
  return {
    urls: cluster.urls,
    servers: () => [...servers.values()],
    async killPrimaryOf(key) {
      const [slot, nodes] = await ask(anyUrl(), async (node) => [
        (await node.call('CLUSTER', ['KEYSLOT', key])) as number,
        readNodes((await node.call('CLUSTER', ['NODES'])) as string),
      ])
      const primary = ownerOf(nodes, slot)
      const server = servers.get(primary?.port ?? 0)
      if (primary === undefined || server === undefined) throw new Error('nobody has the slot')
      servers.delete(primary.port)
      await server.kill()
      let heir: Node | undefined
      const hasTakenOver = async () => {
        heir = ownerOf(await nodesSeenBy(anyUrl()), slot)
        return heir !== undefined && heir.id !== primary.id
      }
      const tookMs = await waitUntil('a replica to take over', hasTakenOver, TIMEOUT_MS)
      if (heir === undefined) throw new Error('nobody has the slot')
      killed = { node: primary, heir }
      return tookMs
    },
    async restore() {
      if (killed === undefined) throw new Error('nothing was killed')
      const { node, heir } = killed
      servers.set(node.port, await startReplica(node, heir, [...servers.values()]))
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers.values()) await server.kill()
      await cluster[Symbol.asyncDispose]()
    },
  }
}

async function startReplica(
  { port, id: oldId }: Node,
  heir: Node,
  others: readonly ValkeyServer[],
): Promise<ValkeyServer> {
  const timeout = ['--cluster-node-timeout', `${NODE_TIMEOUT_MS}`]
  const bus = ['--cluster-port', `${port + BUS_OFFSET}`]
  const hasty = ['--repl-diskless-sync-delay', '0']
  const args = ['--cluster-enabled', 'yes', ...timeout, ...bus, ...hasty]
  const server = await startValkey({ port, args })
  // It comes back with another id, and the old one must not be looked for at its address.
  for (const { url } of others)
    await ask(url, (node) => node.call('CLUSTER', ['FORGET', oldId]).catch(() => undefined))
  const { url } = server
  const meeting = ['MEET', '127.0.0.1', heir.port, heir.port + BUS_OFFSET]
  await ask(url, (node) => node.call('CLUSTER', meeting))
  const replicate = () => ask(url, (node) => node.call('CLUSTER', ['REPLICATE', heir.id]))
  const hasJoined = () =>
    replicate().then(
      () => true,
      () => false,
    )
  await waitUntil('the node to join the cluster', hasJoined, TIMEOUT_MS)
  await inStep(server.url)
  return server
}

/** Waits until the node, if it is a replica, has what its primary has. */
async function inStep(url: string): Promise<void> {
  const look = () => ask(url, (node) => node.call('INFO', ['replication']))
  const isInStep = async () => {
    const info = (await look()) as string
    return info.includes('role:master') || info.includes('master_link_status:up')
  }
  await waitUntil('a replica to be in step', isInStep, TIMEOUT_MS)
}

async function nodesSeenBy(url: string): Promise<Node[]> {
  return ask(url, async (node) => readNodes((await node.call('CLUSTER', ['NODES'])) as string))
}

function ownerOf(nodes: readonly Node[], slot: number): Node | undefined {
  return nodes.find(
    ({ isPrimary, failed, slots }) =>
      isPrimary && !failed && slots.some(([from, to]) => slot >= from && slot <= to),
  )
}

/** id, address, flags, primary, ping, pong, epoch, link, slots: one node on each line. */
function readNodes(text: string): Node[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [id = '', address = '', flags = '', , , , , , ...slots] = line.split(' ')
      return {
        id,
        port: Number(/:(\d+)/.exec(address)?.[1]),
        isPrimary: flags.includes('master'),
        // A question mark is a suspicion that the others do not share yet.
        failed: /\bfail\b(?!\?)/.test(flags),
        slots: slots
          .filter((range) => !range.startsWith('['))
          .map((range) => {
            const [from = 0, to = from] = range.split('-').map(Number)
            return [from, to] as const
          }),
      }
    })
}

/** Asks until there is an answer: a node that just came or lost its primary may give none. */
async function ask<T>(url: string, question: (node: Valkey) => Promise<T>): Promise<T> {
  const endMs = performance.now() + TIMEOUT_MS
  for (;;) {
    try {
      await using node = await connectValkey([url])
      // Awaited here: the connection ends with this scope.
      return await question(node)
    } catch (error) {
      if (!(error instanceof ValkeyUnavailable) || performance.now() > endMs) throw error
    }
    // pacing: a node that gave no answer is asked again after a moment.
    await pause(ASK_AGAIN_MS)
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}

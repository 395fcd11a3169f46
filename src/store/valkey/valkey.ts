import { EventEmitter } from 'node:events'
import { Cluster, Redis, ReplyError } from 'ioredis'
import { PARTITIONS } from './keys.ts'
import { clusterOptions, errorCode, serverOptions } from './options.ts'

/**
 * How long one command may take. A frozen server is given up within the time that an admission is
 * held, so that a replica that took over, or the server itself, can still be asked. Less would
 * take a busy moment of our own for a frozen server: timers fire before waiting answers are read.
 */
const TIMEOUT_MS = 1_000

export type ValkeyArgument = string | number | Buffer

export type ValkeyCommand = readonly [name: string, ...args: ValkeyArgument[]]

/**
 * All that the store needs of a client library. Commands are never queued while there is no
 * connection and never sent again by themselves: both are decided by who knows what they mean.
 */
export type Valkey = {
  /** Throws `ValkeyUnavailable` without an answer, `ValkeyReplyError` if the answer is an error. */
  call(command: string, args: ValkeyArgument[]): Promise<unknown>
  /**
   * Commands on one connection, one right after the other, to the node of the first one's key. Each
   * is answered by itself: with what `call` would return, or would throw.
   */
  pipeline(commands: readonly ValkeyCommand[]): Promise<unknown[]>
  /** Names the node that holds a key at the moment, with its replicas. */
  nodeOf(key: string): Promise<string>
  /** Called whenever what a server answered last may have been lost with it. */
  onLoss(listener: () => void): void
  /** Waits for the connection, and throws `ValkeyUnavailable` when timeout is over. */
  connected(timeoutMs: number): Promise<void>
  isReady(): Promise<boolean>
  [Symbol.asyncDispose](): Promise<void>
}

/** No answer: the server is unreachable, frozen, failing over or unable to serve at the moment. */
export class ValkeyUnavailable extends Error {
  override readonly name = 'ValkeyUnavailable'
}

/** The server's answer is an error about the command itself. */
export class ValkeyReplyError extends Error {
  override readonly name = 'ValkeyReplyError'
  readonly code: string

  constructor(cause: Error) {
    super(cause.message, { cause })
    this.code = errorCode(cause)
  }
}

/**
 * One URL is a single server, several are the nodes of a cluster to begin with. A command that
 * blocks needs a connection of its own, with timeout beyond the time it blocks.
 */
export function openValkey(
  urls: readonly string[],
  options: { readonly timeoutMs?: number; readonly onError?: (error: Error) => void } = {},
): Valkey {
  const [first, ...others] = urls
  if (first === undefined) throw new TypeError('Valkey needs at least one URL')
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS
  const client =
    others.length === 0
      ? new Redis(first, serverOptions(timeoutMs))
      : new Cluster([...urls], clusterOptions(first, timeoutMs))
  // Without a listener the library writes to the console. It reconnects by itself either way.
  client.on('error', options.onError ?? (() => {}))
  // Nodes connect when first asked, and refuse what comes until then; so ask before anyone does.
  if (client instanceof Cluster)
    client.on('+node', (node: Redis) => void node.connect().catch(() => {}))
  /** A key's slot never changes, only who has it. */
  const slots = new Map<string, number>()
  const losses = new EventEmitter()
  const lost = () => void losses.emit('loss')
  client.on(client instanceof Cluster ? '-node' : 'close', lost)
  const understood = (error: unknown) => {
    if (!(error instanceof ReplyError)) lost()
    return understand(error, client)
  }
  return {
    async call(command, args) {
      try {
        return await client.call(command, args)
      } catch (error) {
        throw understood(error)
      }
    },
    async pipeline(commands) {
      // By the method that takes a command's name: the others are in lowercase.
      const pipeline = client.pipeline(commands.map((command) => ['call', ...command]))
      const answers = await pipeline.exec().catch((error: unknown) => {
        throw understood(error)
      })
      return (answers ?? []).map(([error, answer]) => (error === null ? answer : understood(error)))
    },
    async nodeOf(key) {
      if (!(client instanceof Cluster)) return ''
      const slot = slots.get(key) ?? ((await this.call('CLUSTER', ['KEYSLOT', key])) as number)
      if (slots.size < PARTITIONS) slots.set(key, slot)
      return client.slots[slot]?.join() ?? ''
    },
    onLoss: (listener) => void losses.on('loss', listener),
    async connected(connectTimeoutMs) {
      await becomeReady(client, connectTimeoutMs)
      const nodes = client instanceof Cluster ? client.nodes('master') : []
      await Promise.all(nodes.map((node) => becomeReady(node, connectTimeoutMs)))
    },
    async isReady() {
      if (client.status !== 'ready') return false
      return client.ping().then(
        () => true,
        () => false,
      )
    },
    async [Symbol.asyncDispose]() {
      // Leaving politely lets the answers under way arrive; a server that is away cannot answer.
      if (client.status === 'ready') await client.quit().catch(() => {})
      client.disconnect()
    },
  }
}

// States of the server that pass, or that an operator ends, without the command being at fault.
const UNAVAILABLE_CODES = new Set([
  'LOADING',
  'BUSY',
  'READONLY',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'NOREPLICAS',
  'MISCONF',
  'OOM',
  'NOAUTH',
  'WRONGPASS',
  // The library follows these for single commands only.
  'MOVED',
  'ASK',
])

function understand(error: unknown, client: Redis | Cluster): Error {
  if (error instanceof ReplyError && !UNAVAILABLE_CODES.has(errorCode(error as Error))) {
    return new ValkeyReplyError(error as Error)
  }
  // The library learns a new primary from a redirection only, which a dead one can't send.
  if (client instanceof Cluster && client.status === 'ready') client.refreshSlotsCache()
  return new ValkeyUnavailable('Valkey did not answer', { cause: error })
}

function becomeReady(client: Redis | Cluster, timeoutMs: number): Promise<void> {
  if (client.status === 'ready') return Promise.resolve()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onReady = () => {
    clearTimeout(timer)
    resolve()
  }
  const timer = setTimeout(() => {
    client.off('ready', onReady)
    reject(new ValkeyUnavailable(`Valkey could not be reached within ${timeoutMs} ms`))
  }, timeoutMs)
  client.once('ready', onReady)
  return promise
}

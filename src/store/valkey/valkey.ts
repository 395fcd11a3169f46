import { EventEmitter } from 'node:events'
import { Cluster, Redis, ReplyError } from 'ioredis'
import { PARTITIONS } from './keys.ts'
import { clusterOptions, errorCode, serverOptions } from './options.ts'

/**
 * Timeout of one command. It is shorter than the time an admission is held, so that the call can be
 * retried on a replica that took over, or on the server itself. A shorter one would mistake a busy
 * moment of our own process for a frozen server: timers fire before pending replies are read.
 */
const TIMEOUT_MS = 1_000

export type ValkeyArgument = string | number | Buffer

export type ValkeyCommand = readonly [name: string, ...args: ValkeyArgument[]]

/**
 * What the store needs of a client library. Commands are never queued without a connection and
 * never retried automatically: the caller knows which of them are safe to repeat.
 */
export type Valkey = {
  /** Throws `ValkeyUnavailable` without a reply, `ValkeyReplyError` if the reply is an error. */
  call(command: string, args: ValkeyArgument[]): Promise<unknown>
  /**
   * Sends commands back to back on one connection, to the node of the first one's key. Each element
   * of the result is what `call` would have returned or thrown.
   */
  pipeline(commands: readonly ValkeyCommand[]): Promise<unknown[]>
  /** The node that currently holds a key, with its replicas. */
  nodeOf(key: string): Promise<string>
  /** Called when a server was lost, and possibly the last writes that it had acknowledged. */
  onLoss(listener: () => void): void
  /** Waits for the connection. Throws `ValkeyUnavailable` on timeout. */
  connected(timeoutMs: number): Promise<void>
  isReady(): Promise<boolean>
  [Symbol.asyncDispose](): Promise<void>
}

/** No reply: the server is unreachable, frozen, failing over or unable to serve at the moment. */
export class ValkeyUnavailable extends Error {
  override readonly name = 'ValkeyUnavailable'
}

/** The server replied with an error about the command itself. */
export class ValkeyReplyError extends Error {
  override readonly name = 'ValkeyReplyError'
  readonly code: string

  constructor(cause: Error) {
    super(cause.message, { cause })
    this.code = errorCode(cause)
  }
}

/**
 * One URL is a single server, several are seed nodes of a cluster. A blocking command needs a
 * connection of its own, with a timeout longer than the time it blocks.
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
  // Without a listener the library writes to the console. It reconnects either way.
  client.on('error', options.onError ?? (() => {}))
  // Nodes connect on first use and reject commands until then, so connect them at once.
  if (client instanceof Cluster)
    client.on('+node', (node: Redis) => void node.connect().catch(() => {}))
  /** A key's slot never changes, only the node that serves it. */
  const slots = new Map<string, number>()
  const losses = new EventEmitter()
  const emitLoss = () => void losses.emit('loss')
  client.on(client instanceof Cluster ? '-node' : 'close', emitLoss)
  const convert = (error: unknown) => {
    if (!(error instanceof ReplyError)) emitLoss()
    return toValkeyError(error, client)
  }
  return {
    async call(command, args) {
      try {
        return await client.call(command, args)
      } catch (error) {
        throw convert(error)
      }
    },
    async pipeline(commands) {
      // Via `call`, which takes any command name; the library's own methods are lowercase.
      const pipeline = client.pipeline(commands.map((command) => ['call', ...command]))
      const replies = await pipeline.exec().catch((error: unknown) => {
        throw convert(error)
      })
      return (replies ?? []).map(([error, reply]) => (error === null ? reply : convert(error)))
    },
    async nodeOf(key) {
      if (!(client instanceof Cluster)) return ''
      const slot = slots.get(key) ?? ((await this.call('CLUSTER', ['KEYSLOT', key])) as number)
      if (slots.size < PARTITIONS) slots.set(key, slot)
      return client.slots[slot]?.join() ?? ''
    },
    onLoss: (listener) => void losses.on('loss', listener),
    async connected(connectTimeoutMs) {
      await waitUntilReady(client, connectTimeoutMs)
      const nodes = client instanceof Cluster ? client.nodes('master') : []
      await Promise.all(nodes.map((node) => waitUntilReady(node, connectTimeoutMs)))
    },
    async isReady() {
      if (client.status !== 'ready') return false
      return client.ping().then(
        () => true,
        () => false,
      )
    },
    async [Symbol.asyncDispose]() {
      // QUIT lets pending replies arrive; without a connection there is nothing to wait for.
      if (client.status === 'ready') await client.quit().catch(() => {})
      client.disconnect()
    },
  }
}

// Server states that pass or that an operator fixes; the command itself is not the problem.
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
  // The library follows redirections for single commands only.
  'MOVED',
  'ASK',
])

function toValkeyError(error: unknown, client: Redis | Cluster): Error {
  if (error instanceof ReplyError && !UNAVAILABLE_CODES.has(errorCode(error as Error))) {
    return new ValkeyReplyError(error as Error)
  }
  // The library learns of a new primary only from a redirection, which a dead node can't send.
  if (client instanceof Cluster && client.status === 'ready') client.refreshSlotsCache()
  return new ValkeyUnavailable('Valkey did not reply', { cause: error })
}

function waitUntilReady(client: Redis | Cluster, timeoutMs: number): Promise<void> {
  if (client.status === 'ready') return Promise.resolve()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onReady = () => {
    clearTimeout(timer)
    resolve()
  }
  const timer = setTimeout(() => {
    client.off('ready', onReady)
    reject(new ValkeyUnavailable(`Valkey is not reachable (timeout: ${timeoutMs} ms)`))
  }, timeoutMs)
  client.once('ready', onReady)
  return promise
}

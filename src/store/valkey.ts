import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { Cluster, Redis, ReplyError } from 'ioredis'
import type { ClusterOptions, RedisOptions } from 'ioredis'

/**
 * How long one command may take. A frozen server is given up within the time that an admission is
 * held, so that a replica that took over, or the server itself, can still be asked. Less would
 * take a busy moment of our own for a frozen server: timers fire before waiting answers are read.
 */
const PATIENCE_MS = 1_000

const RECONNECT_MS = 50
const RECONNECT_MS_MAX = 500

/** How often a server that is still loading its data is asked again. */
const LOADING_POLL_MS = 200

const REDIRECTIONS_MAX = 4

export type ValkeyArgument = string | number | Buffer

/**
 * All that the store needs of a client library. Commands are never queued while there is no
 * connection and never sent again by themselves: both are decided by who knows what they mean.
 */
export type Valkey = {
  /** Throws `ValkeyAway` if there was no answer, `ValkeyRefusal` if the answer was an error. */
  call(command: string, args: ValkeyArgument[]): Promise<unknown>
  /** Waits for the connection, and throws `ValkeyAway` when patience is over. */
  connected(patienceMs: number): Promise<void>
  isReady(): Promise<boolean>
  [Symbol.asyncDispose](): Promise<void>
}

/** No answer: the server is unreachable, frozen, failing over or unable to serve at the moment. */
export class ValkeyAway extends Error {
  override readonly name = 'ValkeyAway'
}

/** The server's answer is an error about the command itself. */
export class ValkeyRefusal extends Error {
  override readonly name = 'ValkeyRefusal'
  readonly code: string

  constructor(cause: Error) {
    super(cause.message, { cause })
    this.code = errorCode(cause)
  }
}

/**
 * One URL is a single server, several are the nodes of a cluster to begin with. A command that
 * blocks needs a connection of its own, with patience beyond the time it blocks.
 */
export function openValkey(
  urls: readonly string[],
  options: { readonly patienceMs?: number; readonly onError?: (error: Error) => void } = {},
): Valkey {
  const [first, ...others] = urls
  if (first === undefined) throw new TypeError('Valkey needs at least one URL')
  const patienceMs = options.patienceMs ?? PATIENCE_MS
  const client =
    others.length === 0
      ? new Redis(first, serverOptions(patienceMs))
      : new Cluster([...urls], clusterOptions(first, patienceMs))
  // Without a listener the library writes to the console. It reconnects by itself either way.
  client.on('error', options.onError ?? (() => {}))
  // Nodes connect when first asked, and refuse what comes until then; so ask before anyone does.
  if (client instanceof Cluster)
    client.on('+node', (node: Redis) => void node.connect().catch(() => {}))
  return {
    async call(command, args) {
      try {
        return await client.call(command, args)
      } catch (error) {
        throw understand(error, client)
      }
    },
    async connected(connectPatienceMs) {
      await becomeReady(client, connectPatienceMs)
      const nodes = client instanceof Cluster ? client.nodes('master') : []
      await Promise.all(nodes.map((node) => becomeReady(node, connectPatienceMs)))
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

export type ScriptCall = {
  readonly keys: readonly string[]
  readonly args: readonly ValkeyArgument[]
}

/** EVALSHA, and EVAL where the server does not have the script: after a restart or a failover. */
export function scriptCaller(
  valkey: Pick<Valkey, 'call'>,
  script: string,
): (call: ScriptCall) => Promise<unknown> {
  const digest = createHash('sha1').update(script).digest('hex')
  return async ({ keys, args }) => {
    const rest = [keys.length, ...keys, ...args]
    try {
      return await valkey.call('EVALSHA', [digest, ...rest])
    } catch (error) {
      if (!(error instanceof ValkeyRefusal) || error.code !== 'NOSCRIPT') throw error
      return valkey.call('EVAL', [script, ...rest])
    }
  }
}

const PARTITIONS = 256

/**
 * The keys of an organization begin with the hash tag of its partition. All keys of one partition
 * lie in one slot of a cluster, so that one script may touch them together. The hash must never
 * change: what is stored would not be found again.
 */
export function organizationKeys(organizationId: string): {
  readonly limits: string
  readonly version: string
  /** Shared with the other organizations of the partition. */
  readonly usage: string
} {
  const tag = partitionTag(crc32(organizationId) % PARTITIONS)
  return {
    limits: `${tag}:limits:${organizationId}`,
    version: `${tag}:version:${organizationId}`,
    usage: `${tag}:usage`,
  }
}

/** Every usage stream there can be, for those who read them all. */
export function usageStreamKeys(): string[] {
  return Array.from({ length: PARTITIONS }, (_, partition) => `${partitionTag(partition)}:usage`)
}

function partitionTag(partition: number): string {
  return `{p${partition.toString(16).padStart(2, '0')}}`
}

function serverOptions(patienceMs: number) {
  return {
    ...connectionOptions(patienceMs),
    enableOfflineQueue: false,
    retryStrategy: reconnectDelayMs,
  } satisfies RedisOptions
}

function connectionOptions(patienceMs: number) {
  return {
    connectTimeout: patienceMs,
    commandTimeout: patienceMs,
    // The command's time-out only gives up the answer. This one gives up the connection, which
    // bounds what is written to a frozen server, and makes the client look for another.
    socketTimeout: patienceMs,
    // Together these fail what was under way as soon as the connection is lost.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    maxLoadingRetryTime: LOADING_POLL_MS,
    // A primary that became a replica behind the same address: look the address up again.
    reconnectOnError: (error: Error) => errorCode(error) === 'READONLY',
  } satisfies RedisOptions
}

function clusterOptions(url: string, patienceMs: number) {
  // The nodes that a cluster names by itself have neither credentials nor TLS in their address.
  const { protocol, username, password } = new URL(url)
  return {
    enableOfflineQueue: false,
    clusterRetryStrategy: reconnectDelayMs,
    maxRedirections: REDIRECTIONS_MAX,
    // 0 leaves the decision to send a command again to us.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: patienceMs,
    redisOptions: {
      ...connectionOptions(patienceMs),
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' ? { tls: {} } : {}),
    },
  } satisfies ClusterOptions
}

function reconnectDelayMs(attempt: number): number {
  return Math.min(RECONNECT_MS * attempt, RECONNECT_MS_MAX) * (0.5 + Math.random() / 2)
}

// States of the server that pass, or that an operator ends, without the command being at fault.
const AWAY_CODES = new Set([
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
])

function understand(error: unknown, client: Redis | Cluster): Error {
  if (error instanceof ReplyError && !AWAY_CODES.has(errorCode(error as Error))) {
    return new ValkeyRefusal(error as Error)
  }
  // The library learns a new primary from a redirection only, which a dead one can't send.
  if (client instanceof Cluster && client.status === 'ready') client.refreshSlotsCache()
  return new ValkeyAway('Valkey did not answer', { cause: error })
}

function errorCode(error: Error): string {
  return error.message.split(' ', 1)[0] ?? ''
}

function becomeReady(client: Redis | Cluster, patienceMs: number): Promise<void> {
  if (client.status === 'ready') return Promise.resolve()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onReady = () => {
    clearTimeout(timer)
    resolve()
  }
  const timer = setTimeout(() => {
    client.off('ready', onReady)
    reject(new ValkeyAway(`Valkey could not be reached within ${patienceMs} ms`))
  }, patienceMs)
  client.once('ready', onReady)
  return promise
}

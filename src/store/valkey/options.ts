import type { ClusterOptions, RedisOptions } from 'ioredis'
import { linearBackoffMs } from '../../lib/backoff.ts'

const RECONNECT_MS = 50
const RECONNECT_MS_MAX = 500

/** Retry interval while a server is still loading its data. */
const LOADING_POLL_MS = 200

const REDIRECTIONS_MAX = 4

export function serverOptions(timeoutMs: number) {
  return {
    ...connectionOptions(timeoutMs),
    enableOfflineQueue: false,
    retryStrategy: reconnectDelayMs,
  } satisfies RedisOptions
}

function connectionOptions(timeoutMs: number) {
  return {
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    // The command timeout only abandons the reply. This one closes the connection, which bounds
    // how much is written to a frozen server, and makes the client reconnect.
    socketTimeout: timeoutMs,
    // Together these fail pending commands as soon as the connection is lost.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    maxLoadingRetryTime: LOADING_POLL_MS,
    // The primary behind this address became a replica: resolve the address again.
    reconnectOnError: (error: Error) => errorCode(error) === 'READONLY',
  } satisfies RedisOptions
}

export function clusterOptions(url: string, timeoutMs: number) {
  // The nodes that a cluster announces have neither credentials nor TLS in their address.
  const { protocol, username, password } = new URL(url)
  return {
    enableOfflineQueue: false,
    clusterRetryStrategy: reconnectDelayMs,
    maxRedirections: REDIRECTIONS_MAX,
    // 0: the library does not retry; our code decides whether to.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: timeoutMs,
    redisOptions: {
      ...connectionOptions(timeoutMs),
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' ? { tls: {} } : {}),
    },
  } satisfies ClusterOptions
}

function reconnectDelayMs(attempt: number): number {
  return linearBackoffMs(attempt, RECONNECT_MS, RECONNECT_MS_MAX)
}

/** The first word of a server error. */
export function errorCode(error: Error): string {
  return error.message.split(' ', 1)[0] ?? ''
}

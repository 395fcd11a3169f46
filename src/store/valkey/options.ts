import type { ClusterOptions, RedisOptions } from 'ioredis'
import { linearBackoffMs } from '../../lib/backoff.ts'

const RECONNECT_MS = 50
const RECONNECT_MS_MAX = 500

/** How often a server that is still loading its data is asked again. */
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
    // The command's time-out only gives up the answer. This one gives up the connection, which
    // bounds what is written to a frozen server, and makes the client look for another.
    socketTimeout: timeoutMs,
    // Together these fail what was under way as soon as the connection is lost.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    maxLoadingRetryTime: LOADING_POLL_MS,
    // A primary that became a replica behind the same address: look the address up again.
    reconnectOnError: (error: Error) => errorCode(error) === 'READONLY',
  } satisfies RedisOptions
}

export function clusterOptions(url: string, timeoutMs: number) {
  // The nodes that a cluster names by itself have neither credentials nor TLS in their address.
  const { protocol, username, password } = new URL(url)
  return {
    enableOfflineQueue: false,
    clusterRetryStrategy: reconnectDelayMs,
    maxRedirections: REDIRECTIONS_MAX,
    // 0 leaves the decision to send a command again to us.
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

/** The word that an error of the server begins with. */
export function errorCode(error: Error): string {
  return error.message.split(' ', 1)[0] ?? ''
}

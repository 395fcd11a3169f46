import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import { limitConcurrency, TooBusy } from '../../lib/limit-concurrency.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { hashApiKey } from '../../tenancy/api-key.ts'
import type { Credential } from '../../tenancy/credential.ts'
import { AccountsUnavailable, type Identity } from '../../tenancy/identity.ts'
import { findByKeyHash, findForPlayground } from './identities.ts'
import { isUnavailable } from '../postgres/postgres.ts'

/** About a kilobyte each. Beyond this the least recently used identity is evicted. */
const IDENTITIES_MAX = 50_000

/**
 * After this, and up to half as long again, a cached identity is refreshed in the background when
 * it is used. Changes are detected by the version on every request; this only repairs a change that
 * was made without raising the version. The jitter spreads keys that were read together.
 */
const REFRESH_AFTER_MS = 15 * MINUTE_MS
const REFRESH_JITTER = 0.5
/** After a failed refresh, or after Valkey may have lost a version. */
const REFRESH_SOON_MS = MINUTE_MS
/** Further ones are left to a later request of their key. */
const REFRESHES_MAX = 2

/**
 * Reads of callers that are not cached; if someone tries keys, most of them are unknown. They leave
 * connections of the pool to known callers. Beyond the limits the response is 503.
 */
const FIRST_READS = { running: 6, waiting: 2_000, deadlineMs: 2_000 }

export type IdentityCache = {
  /** `fresh`: the identity was read from PostgreSQL for this call. */
  find(
    credential: Credential,
    bypassCache: boolean,
  ): Promise<{ readonly identity: Identity | undefined; readonly fresh: boolean }>
  /** Refreshes all identities within a minute of use: a new version may have been lost. */
  refreshSoon(): void
}

type CachedIdentity = { readonly identity: Identity; refreshAtMs: number }

/**
 * Caches identities, so that a known caller costs no round trip and is served while PostgreSQL is
 * unavailable. Unknown credentials are not cached: their number is unlimited.
 */
export function createIdentityCache(
  pool: Pool,
  /** A monotonic clock. */
  now: () => number = () => performance.now(),
): IdentityCache {
  const cache = new LRUCache<string, CachedIdentity>({ max: IDENTITIES_MAX })
  const reading = new Map<string, Promise<Identity | undefined>>()
  const limitFirstReads = limitConcurrency(FIRST_READS, now)
  let refreshing = 0

  async function read(key: string, credential: Credential): Promise<Identity | undefined> {
    const refreshAtMs = now() + REFRESH_AFTER_MS * (1 + REFRESH_JITTER * Math.random())
    const identity = await readFrom(pool, credential)
    if (identity === undefined) cache.delete(key)
    else cache.set(key, { identity, refreshAtMs })
    return identity
  }

  /** Shares one query among the concurrent requests of a key. */
  function share(key: string, started: Promise<Identity | undefined>) {
    const shared = started.finally(() => reading.delete(key))
    reading.set(key, shared)
    return shared
  }

  function refresh(key: string, credential: Credential, cached: CachedIdentity): void {
    if (now() < cached.refreshAtMs || refreshing >= REFRESHES_MAX) return
    cached.refreshAtMs = now() + REFRESH_SOON_MS
    refreshing += 1
    share(key, read(key, credential))
      .catch(() => undefined)
      .finally(() => (refreshing -= 1))
  }

  async function readFirst(key: string, credential: Credential): Promise<Identity | undefined> {
    try {
      return await limitFirstReads(() => read(key, credential))
    } catch (cause) {
      if (!(cause instanceof TooBusy)) throw cause
      throw new AccountsUnavailable('too many callers are being read', { cause })
    }
  }

  return {
    async find(credential, bypassCache) {
      const key = cacheKey(credential)
      if (bypassCache) return { identity: await read(key, credential), fresh: true }
      const cached = cache.get(key)
      if (cached !== undefined) {
        refresh(key, credential, cached)
        return { identity: cached.identity, fresh: false }
      }
      // Concurrent requests share one query. It is not fresh for those that joined it: it may have
      // read the data before their request arrived.
      const running = reading.get(key)
      if (running !== undefined) return { identity: await running, fresh: false }
      return { identity: await share(key, readFirst(key, credential)), fresh: true }
    },
    refreshSoon() {
      for (const cached of cache.values()) {
        const soonMs = now() + REFRESH_SOON_MS * Math.random()
        cached.refreshAtMs = Math.min(cached.refreshAtMs, soonMs)
      }
    },
  }
}

async function readFrom(pool: Pool, credential: Credential): Promise<Identity | undefined> {
  try {
    return credential.kind === 'api_key'
      ? await findByKeyHash(pool, hashApiKey(credential.key))
      : await findForPlayground(pool, credential.claims)
  } catch (cause) {
    if (isUnavailable(cause)) throw new AccountsUnavailable('PostgreSQL is unavailable', { cause })
    throw cause
  }
}

/**
 * A key is cached by its hash, so that its text stays in memory no longer than its request. A
 * playground credential is cached by its own id, since its expiry is part of the identity.
 */
function cacheKey(credential: Credential): string {
  return credential.kind === 'api_key'
    ? hash('sha256', credential.key, 'hex')
    : credential.claims.id
}

import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import { batchReads, TooBusy } from '../../lib/batch-reads.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { hashApiKey } from '../../tenancy/api-key.ts'
import type { Credential } from '../../tenancy/credential.ts'
import { AccountsUnavailable, type Identity } from '../../tenancy/identity.ts'
import { findByKeyHashes, findForPlayground } from './identities.ts'
import { isUnavailable } from '../postgres/postgres.ts'

/** About a kilobyte each. Beyond this the least recently used identity is evicted. */
export const IDENTITIES_MAX = 50_000

/**
 * After this, and up to half as long again, a cached identity is refreshed in the background when
 * it is used. Changes are detected by the version on every request; this only repairs a change that
 * was made without raising the version. The jitter spreads keys that were read together.
 */
export const REFRESH_AFTER_MS = 15 * MINUTE_MS
export const REFRESH_JITTER = 0.5
/** After a failed refresh, or after Valkey may have lost a version. */
const REFRESH_SOON_MS = MINUTE_MS
/** Further ones are left to a later request of their key. */
const REFRESHES_MAX = 2

/**
 * Reads of callers that are not cached; if someone tries keys, most of them are unknown. After a
 * start all callers are new: on ten connections 500 are read at once, and 10,000 more wait for a
 * moment instead of being refused. Beyond the limits the response is 503.
 */
const FIRST_READS = { keys: 100, waiting: 10_000, deadlineMs: 5_000 }
const FIRST_READS_PART = 0.5

/**
 * Reads of callers that were known, past the cache: they have changed. They do not wait for those
 * of unknown ones. Together all reads leave connections of the pool to other work.
 */
const REPEATED_READS_PART = 0.3

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
  const readMany = (credentials: readonly Credential[]) => readFrom(pool, credentials)
  const connections = pool.options.max
  const runningOf = (part: number) => Math.max(1, Math.floor(part * connections))
  const readFirst = batchReads({ ...FIRST_READS, running: runningOf(FIRST_READS_PART) }, readMany)
  const repeated = { ...FIRST_READS, running: runningOf(REPEATED_READS_PART) }
  const readAgain = batchReads(repeated, readMany)
  let refreshing = 0

  async function read(
    key: string,
    credential: Credential,
    from: typeof readFirst,
  ): Promise<Identity | undefined> {
    const refreshAtMs = now() + REFRESH_AFTER_MS * (1 + REFRESH_JITTER * Math.random())
    const identity = await from(key, credential).catch(rejectUnavailable)
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
    share(key, read(key, credential, readAgain))
      .catch(() => undefined)
      .finally(() => (refreshing -= 1))
  }

  return {
    async find(credential, bypassCache) {
      const key = cacheKey(credential)
      if (bypassCache) return { identity: await read(key, credential, readAgain), fresh: true }
      const cached = cache.get(key)
      if (cached !== undefined) {
        refresh(key, credential, cached)
        return { identity: cached.identity, fresh: false }
      }
      // Concurrent requests share one query. It is not fresh for those that joined it: it may have
      // read the data before their request arrived.
      const running = reading.get(key)
      if (running !== undefined) return { identity: await running, fresh: false }
      return { identity: await share(key, read(key, credential, readFirst)), fresh: true }
    },
    refreshSoon() {
      for (const cached of cache.values()) {
        const soonMs = now() + REFRESH_SOON_MS * Math.random()
        cached.refreshAtMs = Math.min(cached.refreshAtMs, soonMs)
      }
    },
  }
}

function rejectUnavailable(cause: unknown): never {
  if (cause instanceof TooBusy)
    throw new AccountsUnavailable('too many callers are being read', { cause })
  if (isUnavailable(cause)) throw new AccountsUnavailable('PostgreSQL is unavailable', { cause })
  throw cause
}

/** In the order of the credentials. */
async function readFrom(
  pool: Pool,
  credentials: readonly Credential[],
): Promise<readonly (Identity | undefined)[]> {
  const hashes = credentials.flatMap((each) =>
    each.kind === 'api_key' ? [hashApiKey(each.key)] : [],
  )
  const claims = credentials.flatMap((each) => (each.kind === 'playground' ? [each.claims] : []))
  const ofKeys = hashes.length > 0 ? await findByKeyHashes(pool, hashes) : []
  const ofPlayground = claims.length > 0 ? await findForPlayground(pool, claims) : []
  const found = { api_key: ofKeys.values(), playground: ofPlayground.values() }
  return credentials.map(({ kind }) => found[kind].next().value)
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

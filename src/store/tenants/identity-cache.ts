import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import { hashApiKey } from '../../tenancy/api-key.ts'
import type { Credential } from '../../tenancy/credential.ts'
import { AccountsUnavailable, type Identity } from '../../tenancy/identity.ts'
import { findByKeyHash, findForPlayground } from './identities.ts'
import { isUnavailable } from '../postgres/postgres.ts'

/** About a kilobyte each. Beyond this the least recently used identity is evicted. */
const IDENTITIES_MAX = 50_000

/**
 * After this a cached identity is refreshed in the background. Changes are detected by the version
 * on every request; this only repairs a change that was made without raising the version.
 */
const REFRESH_AFTER_MS = 60_000

export type IdentityCache = {
  /** `fresh`: the identity was read from PostgreSQL for this call. */
  find(
    credential: Credential,
    bypassCache: boolean,
  ): Promise<{ readonly identity: Identity | undefined; readonly fresh: boolean }>
}

type CachedIdentity = { readonly identity: Identity; readonly readAtMs: number }

/**
 * Caches identities, so that a known caller costs no round trip and is served while PostgreSQL is
 * unavailable. Unknown credentials are not cached: their number is unlimited.
 */
export function createIdentityCache(pool: Pool): IdentityCache {
  const cache = new LRUCache<string, CachedIdentity>({ max: IDENTITIES_MAX })
  const reading = new Map<string, Promise<Identity | undefined>>()

  async function read(key: string, credential: Credential): Promise<Identity | undefined> {
    const readAtMs = Date.now()
    const identity = await readFrom(pool, credential)
    if (identity === undefined) cache.delete(key)
    else cache.set(key, { identity, readAtMs })
    return identity
  }

  function startRead(key: string, credential: Credential): Promise<Identity | undefined> {
    const started = read(key, credential).finally(() => reading.delete(key))
    reading.set(key, started)
    return started
  }

  return {
    async find(credential, bypassCache) {
      const key = cacheKey(credential)
      if (bypassCache) return { identity: await read(key, credential), fresh: true }
      const cached = cache.get(key)
      if (cached !== undefined) {
        const refresh = Date.now() - cached.readAtMs > REFRESH_AFTER_MS && !reading.has(key)
        if (refresh) startRead(key, credential).catch(() => undefined)
        return { identity: cached.identity, fresh: false }
      }
      // Concurrent requests share one query. It is not fresh for those that joined it: it may have
      // read the data before their request arrived.
      const running = reading.get(key)
      if (running !== undefined) return { identity: await running, fresh: false }
      return { identity: await startRead(key, credential), fresh: true }
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

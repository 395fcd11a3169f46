import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import { hashApiKey } from '../../tenancy/api-key.ts'
import type { Credential } from '../../tenancy/credential.ts'
import { AccountsUnavailable, type Identity } from '../../tenancy/identity.ts'
import { findByKeyHash, findForPlayground } from './identities.ts'
import { isUnavailable } from '../postgres/postgres.ts'

/** About a kilobyte each. Beyond this the least recently used caller is asked for again. */
const IDENTITIES_MAX = 50_000

/**
 * After this a remembered identity is read again in the background. It is no guard against change
 * (the version is, at every request) but heals what a change made without raising the version.
 */
const REFRESH_AFTER_MS = 60_000

export type IdentityCache = {
  /** `fresh` says that the identity was read for this very call. */
  find(
    credential: Credential,
    bypassCache: boolean,
  ): Promise<{ readonly identity: Identity | undefined; readonly fresh: boolean }>
}

type Remembered = { readonly identity: Identity; readonly readAtMs: number }

/**
 * Remembers identities, so that a known caller costs no round trip and is served while PostgreSQL
 * is away. Strangers are not remembered: there is no end to them.
 */
export function createIdentityCache(pool: Pool): IdentityCache {
  const remembered = new LRUCache<string, Remembered>({ max: IDENTITIES_MAX })
  const reading = new Map<string, Promise<Identity | undefined>>()

  async function read(key: string, credential: Credential): Promise<Identity | undefined> {
    const readAtMs = Date.now()
    const identity = await readFrom(pool, credential)
    if (identity === undefined) remembered.delete(key)
    else remembered.set(key, { identity, readAtMs })
    return identity
  }

  function begin(key: string, credential: Credential): Promise<Identity | undefined> {
    const begun = read(key, credential).finally(() => reading.delete(key))
    reading.set(key, begun)
    return begun
  }

  return {
    async find(credential, bypassCache) {
      const key = cacheKey(credential)
      if (bypassCache) return { identity: await read(key, credential), fresh: true }
      const known = remembered.get(key)
      if (known !== undefined) {
        const old = Date.now() - known.readAtMs > REFRESH_AFTER_MS && !reading.has(key)
        if (old) begin(key, credential).catch(() => undefined)
        return { identity: known.identity, fresh: false }
      }
      // Callers that arrive together share one query. For those who joined it is not fresh: what
      // it saw may be older than their own request.
      const running = reading.get(key)
      if (running !== undefined) return { identity: await running, fresh: false }
      return { identity: await begin(key, credential), fresh: true }
    },
  }
}

async function readFrom(pool: Pool, credential: Credential): Promise<Identity | undefined> {
  try {
    return credential.kind === 'api_key'
      ? await findByKeyHash(pool, hashApiKey(credential.key))
      : await findForPlayground(pool, credential.claims)
  } catch (cause) {
    if (isUnavailable(cause)) throw new AccountsUnavailable('PostgreSQL is away', { cause })
    throw cause
  }
}

/**
 * A key is remembered by its hash, so that no memory holds it for longer than its request. A
 * playground credential is by its own id, since its expiry is part of the identity.
 */
function cacheKey(credential: Credential): string {
  return credential.kind === 'api_key'
    ? hash('sha256', credential.key, 'hex')
    : credential.claims.id
}

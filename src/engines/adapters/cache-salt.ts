import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** The salt of an organization's prompt caches. */
export type CacheSalts = (organizationId: string) => string

/** Computing a salt takes a tenth of a short request; about 200 bytes each. */
const SALTS_MAX = 10_000

/**
 * Salts that nobody can compute from an organization's id. Without a configured secret they are
 * valid only within this process, so processes do not share what an engine has cached for them.
 */
export function createCacheSalts(secret: string | undefined): CacheSalts {
  const seed = secret === undefined ? randomBytes(32) : Buffer.from(secret, 'base64url')
  const key = Buffer.from(hkdfSync('sha256', seed, '', 'prompt cache of an organization', 32))
  const salts = new LRUCache<string, string>({ max: SALTS_MAX })
  return (organizationId) => {
    const known = salts.get(organizationId)
    if (known !== undefined) return known
    const salt = createHmac('sha256', key).update(organizationId).digest('base64url')
    salts.set(organizationId, salt)
    return salt
  }
}

import { createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** The salt of an organization's prompt caches. */
export type CacheSalts = (organizationId: string) => string

/**
 * Salts that nobody can compute from an organization's id. Without a configured secret they are
 * valid only within this process, so processes do not share what an engine has cached for them.
 */
export function createCacheSalts(secret: string | undefined): CacheSalts {
  const seed = secret === undefined ? randomBytes(32) : Buffer.from(secret, 'base64url')
  const key = Buffer.from(hkdfSync('sha256', seed, '', 'prompt cache of an organization', 32))
  return (organizationId) => createHmac('sha256', key).update(organizationId).digest('base64url')
}

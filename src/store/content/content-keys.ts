import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { sql, type Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import { seal, SealBroken, unseal } from '../../lib/seal.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import type { KeptRetention } from '../../tenancy/content-record.ts'
import { FIRST_ID } from '../postgres/page.ts'
import type { Tables } from '../postgres/tables.ts'

const KEY_BYTES = 32

/**
 * A destroyed key may stay in the memory of a process for this long. Nothing is stored with it once
 * it is destroyed: the statement that stores content checks.
 */
const KEY_CACHE_MS = 30_000
const KEYS_MAX = 10_000

/** One key encrypts the content of one organization, one kind of retention and one UTC day. */
export type KeyScope = {
  readonly organizationId: string
  readonly retention: KeptRetention
  /** Written YYYY-MM-DD. */
  readonly day: string
}

export type ContentKey = { readonly id: string; readonly key: KeyObject }

type WrappedKey = { readonly id: string; readonly wrapped: Buffer }

/** The keys that encrypt new content. Used only off the request path. */
export type ContentKeys = {
  /** Creates the key if there is none. Throws `SealBroken` if the master key is a different one. */
  find(scope: KeyScope): Promise<ContentKey>
  /** Removes a destroyed key from the cache. */
  evict(scope: KeyScope): void
}

export function createContentKeys(
  pool: Pick<Pool, 'query'>,
  masterKey: KeyObject,
  options: { readonly cacheMs?: number } = {},
): ContentKeys {
  const ttl = options.cacheMs ?? KEY_CACHE_MS
  const cache = new LRUCache<string, ContentKey>({ max: KEYS_MAX, ttl, ttlAutopurge: true })
  return {
    async find(scope) {
      const name = cacheName(scope)
      const cached = cache.get(name)
      if (cached !== undefined) return cached
      const stored = (await readKey(pool, scope)) ?? (await createKey(pool, scope, masterKey))
      const key = { id: stored.id, key: unwrapKey(stored, scope.organizationId, masterKey) }
      cache.set(name, key)
      return key
    },
    evict: (scope) => void cache.delete(cacheName(scope)),
  }
}

/** The operator's key, from 43 characters of base64url. */
export function readMasterKey(text: string): KeyObject {
  return createSecretKey(Buffer.from(text, 'base64url'))
}

/** A wrapped key is bound to its organization and id. */
export function unwrapKey(
  { id, wrapped }: WrappedKey,
  organizationId: string,
  masterKey: KeyObject,
): KeyObject {
  return createSecretKey(unseal(masterKey, wrapped, keyContext(id, organizationId)))
}

function keyContext(id: string, organizationId: string): string {
  return `content key ${id} of ${organizationId}`
}

function cacheName({ organizationId, retention, day }: KeyScope): string {
  return `${organizationId} ${retention} ${day}`
}

const SELECT = `
  select id, wrapped from content_keys
  where organization_id = $1 and retention = $2 and day = $3`

async function readKey(
  pool: Pick<Pool, 'query'>,
  { organizationId, retention, day }: KeyScope,
): Promise<WrappedKey | undefined> {
  const { rows } = await pool.query<WrappedKey>(SELECT, [organizationId, retention, day])
  return rows[0]
}

const INSERT = `
  insert into content_keys (id, organization_id, retention, day, wrapped)
  values ($1, $2, $3, $4, $5)
  on conflict (organization_id, retention, day) do nothing`

/** If another process creates the key at the same time, both use the one stored first. */
async function createKey(
  pool: Pick<Pool, 'query'>,
  scope: KeyScope,
  masterKey: KeyObject,
): Promise<WrappedKey> {
  const { organizationId, retention, day } = scope
  const id = uuidV7()
  const wrapped = seal(masterKey, randomBytes(KEY_BYTES), keyContext(id, organizationId))
  await pool.query(INSERT, [id, organizationId, retention, day, wrapped])
  const stored = await readKey(pool, scope)
  if (stored === undefined)
    throw new Error('the new content key was destroyed right after its creation')
  return stored
}

/**
 * Makes all stored content of an organization permanently unreadable. Later content is encrypted
 * with new keys. Returns how many keys were destroyed.
 */
export async function destroyContentKeys(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from content_keys where organization_id = ${organizationId}`.execute(database)
  return Number(numAffectedRows ?? 0)
}

const REWRAP_PAGE_KEYS = 500

export type RewrapCounts = { rewrapped: number; already: number; unreadable: number }

/** Wraps all keys with a new master key. Can be interrupted and repeated at any time. */
export async function rewrapContentKeys(
  database: Kysely<Tables>,
  from: KeyObject,
  to: KeyObject,
): Promise<RewrapCounts> {
  const counts: RewrapCounts = { rewrapped: 0, already: 0, unreadable: 0 }
  for (let after = FIRST_ID; ;) {
    const { rows } = await sql<WrappedKey & { organization_id: string }>`
      select id, organization_id, wrapped from content_keys
      where id > ${after} order by id limit ${REWRAP_PAGE_KEYS}`.execute(database)
    for (const row of rows) {
      const { id, organization_id: organizationId } = row
      if (canUnwrap(row, organizationId, to)) counts.already += 1
      else if (!canUnwrap(row, organizationId, from)) counts.unreadable += 1
      else {
        const plain = unwrapKey(row, organizationId, from).export()
        const wrapped = seal(to, plain, keyContext(id, organizationId))
        await sql`update content_keys set wrapped = ${wrapped} where id = ${id}`.execute(database)
        counts.rewrapped += 1
      }
    }
    const last = rows.at(-1)
    if (last === undefined) return counts
    after = last.id
  }
}

function canUnwrap(key: WrappedKey, organizationId: string, masterKey: KeyObject): boolean {
  try {
    unwrapKey(key, organizationId, masterKey)
    return true
  } catch (error) {
    if (error instanceof SealBroken) return false
    throw error
  }
}

import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { sql, type Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import { seal, SEAL_BYTES, SealBroken, unseal } from '../../lib/seal.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import type { KeptRetention } from '../../tenancy/content-record.ts'
import type { Tables } from '../postgres/tables.ts'

const KEY_BYTES = 32
/** Wrapped keys start with the id of their master key; those of the first format have none. */
const MASTER_ID_BYTES = 8
const WRAPPED_BYTES_WITHOUT_ID = SEAL_BYTES + KEY_BYTES

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

/** A key of the operator. Its id is derived from it, so that all processes agree on it. */
export type MasterKey = { readonly id: Buffer; readonly key: KeyObject }

/** New content keys are wrapped with `current`; those wrapped with `accepted` ones are readable. */
export type MasterKeys = {
  readonly current: MasterKey
  readonly accepted: readonly MasterKey[]
}

export type ContentKey = { readonly id: string; readonly key: KeyObject }

type WrappedKey = { readonly id: string; readonly wrapped: Buffer }

/** The keys that encrypt new content. Used only off the request path. */
export type ContentKeys = {
  /** Creates the key if there is none. Throws `SealBroken` if its master key is not known. */
  find(scope: KeyScope): Promise<ContentKey>
  /** Removes a destroyed key from the cache. */
  evict(scope: KeyScope): void
}

export function createContentKeys(
  pool: Pick<Pool, 'query'>,
  masterKeys: MasterKeys,
  options: { readonly cacheMs?: number } = {},
): ContentKeys {
  const ttl = options.cacheMs ?? KEY_CACHE_MS
  const cache = new LRUCache<string, ContentKey>({ max: KEYS_MAX, ttl, ttlAutopurge: true })
  return {
    async find(scope) {
      const name = cacheName(scope)
      const cached = cache.get(name)
      if (cached !== undefined) return cached
      const stored =
        (await readKey(pool, scope)) ?? (await createKey(pool, scope, masterKeys.current))
      const key = { id: stored.id, key: unwrapKey(stored, scope.organizationId, masterKeys) }
      cache.set(name, key)
      return key
    },
    evict: (scope) => void cache.delete(cacheName(scope)),
  }
}

/** The operator's keys, each from 43 characters of base64url. */
export function readMasterKeys(current: string, accepted: readonly string[] = []): MasterKeys {
  return { current: readMasterKey(current), accepted: accepted.map(readMasterKey) }
}

function readMasterKey(text: string): MasterKey {
  const key = createSecretKey(Buffer.from(text, 'base64url'))
  const digest = createHmac('sha256', key).update('id of a content master key').digest()
  return { id: digest.subarray(0, MASTER_ID_BYTES), key }
}

/** A wrapped key is bound to its organization and id. */
export function unwrapKey(
  { id, wrapped }: WrappedKey,
  organizationId: string,
  { current, accepted }: MasterKeys,
): KeyObject {
  const context = keyContext(id, organizationId)
  const masterId = masterIdOf(wrapped)
  const sealed = masterId === undefined ? wrapped : wrapped.subarray(MASTER_ID_BYTES)
  for (const master of [current, ...accepted]) {
    if (masterId !== undefined && !master.id.equals(masterId)) continue
    try {
      return createSecretKey(unseal(master.key, sealed, context))
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
    }
  }
  throw new SealBroken('no configured master key opens this content key')
}

/** Undefined for a key of the first format. */
export function masterIdOf(wrapped: Buffer): Buffer | undefined {
  if (wrapped.length === WRAPPED_BYTES_WITHOUT_ID) return undefined
  return wrapped.subarray(0, MASTER_ID_BYTES)
}

export function wrapKey(
  plain: Buffer,
  id: string,
  organizationId: string,
  master: MasterKey,
): Buffer {
  return Buffer.concat([master.id, seal(master.key, plain, keyContext(id, organizationId))])
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
  master: MasterKey,
): Promise<WrappedKey> {
  const { organizationId, retention, day } = scope
  const id = uuidV7()
  const wrapped = wrapKey(randomBytes(KEY_BYTES), id, organizationId, master)
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

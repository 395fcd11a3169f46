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
 * A key that was destroyed may still lie in the memory of a process for this long. Nothing is
 * stored with it any more from the moment it is gone: the statement that stores content looks.
 */
const KEY_LIFE_MS = 30_000
const KEYS_MAX = 10_000

/** What one key encrypts: the content of one organization, of one kind and one UTC day. */
export type KeyScope = {
  readonly organizationId: string
  readonly retention: KeptRetention
  /** Written YYYY-MM-DD. */
  readonly day: string
}

export type ContentKey = { readonly id: string; readonly key: KeyObject }

type WrappedKey = { readonly id: string; readonly wrapped: Buffer }

/** The keys that new content is encrypted with. Only ever asked away from the request path. */
export type ContentKeys = {
  /** The key of a scope, made if there is none. Throws `SealBroken` under another master key. */
  find(scope: KeyScope): Promise<ContentKey>
  /** For a key that turned out to be destroyed. */
  forget(scope: KeyScope): void
}

export function createContentKeys(
  pool: Pick<Pool, 'query'>,
  masterKey: KeyObject,
  options: { readonly lifeMs?: number } = {},
): ContentKeys {
  const lifeMs = options.lifeMs ?? KEY_LIFE_MS
  const known = new LRUCache<string, ContentKey>({ max: KEYS_MAX, ttl: lifeMs, ttlAutopurge: true })
  return {
    async find(scope) {
      const name = nameOf(scope)
      const cached = known.get(name)
      if (cached !== undefined) return cached
      const stored = (await readKey(pool, scope)) ?? (await makeKey(pool, scope, masterKey))
      const key = { id: stored.id, key: unwrapKey(stored, scope.organizationId, masterKey) }
      known.set(name, key)
      return key
    },
    forget: (scope) => void known.delete(nameOf(scope)),
  }
}

/** The operator's key, out of its 43 characters. */
export function readMasterKey(text: string): KeyObject {
  return createSecretKey(Buffer.from(text, 'base64url'))
}

/** A wrapped key opens for its own organization and id only. */
export function unwrapKey(
  { id, wrapped }: WrappedKey,
  organizationId: string,
  masterKey: KeyObject,
): KeyObject {
  return createSecretKey(unseal(masterKey, wrapped, ownerOf(id, organizationId)))
}

function ownerOf(id: string, organizationId: string): string {
  return `content key ${id} of ${organizationId}`
}

function nameOf({ organizationId, retention, day }: KeyScope): string {
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

/** Another process may make it at the same time, and then that one holds for both. */
async function makeKey(
  pool: Pick<Pool, 'query'>,
  scope: KeyScope,
  masterKey: KeyObject,
): Promise<WrappedKey> {
  const { organizationId, retention, day } = scope
  const id = uuidV7()
  const wrapped = seal(masterKey, randomBytes(KEY_BYTES), ownerOf(id, organizationId))
  await pool.query(INSERT, [id, organizationId, retention, day, wrapped])
  const stored = await readKey(pool, scope)
  if (stored === undefined) throw new Error('a new content key was destroyed at once')
  return stored
}

/**
 * Makes all that was kept of an organization unreadable for good. What it sends from here on is
 * encrypted with new keys. Returns how many were destroyed.
 */
export async function destroyContentKeys(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from content_keys where organization_id = ${organizationId}`.execute(database)
  return Number(numAffectedRows ?? 0)
}

const REWRAPPED_AT_ONCE = 500

export type Rewrapped = { rewrapped: number; already: number; unreadable: number }

/** Wraps all keys with another master key. May be broken off and begun again at any time. */
export async function rewrapContentKeys(
  database: Kysely<Tables>,
  from: KeyObject,
  to: KeyObject,
): Promise<Rewrapped> {
  const counts: Rewrapped = { rewrapped: 0, already: 0, unreadable: 0 }
  for (let after = FIRST_ID; ;) {
    const { rows } = await sql<WrappedKey & { organization_id: string }>`
      select id, organization_id, wrapped from content_keys
      where id > ${after} order by id limit ${REWRAPPED_AT_ONCE}`.execute(database)
    for (const row of rows) {
      const { id, organization_id: organizationId } = row
      if (opens(row, organizationId, to)) counts.already += 1
      else if (!opens(row, organizationId, from)) counts.unreadable += 1
      else {
        const plain = unwrapKey(row, organizationId, from).export()
        const wrapped = seal(to, plain, ownerOf(id, organizationId))
        await sql`update content_keys set wrapped = ${wrapped} where id = ${id}`.execute(database)
        counts.rewrapped += 1
      }
    }
    const last = rows.at(-1)
    if (last === undefined) return counts
    after = last.id
  }
}

function opens(key: WrappedKey, organizationId: string, masterKey: KeyObject): boolean {
  try {
    unwrapKey(key, organizationId, masterKey)
    return true
  } catch (error) {
    if (error instanceof SealBroken) return false
    throw error
  }
}

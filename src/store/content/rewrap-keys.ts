import { sql, type Kysely } from 'kysely'
import { SealBroken } from '../../lib/seal.ts'
import { FIRST_ID } from '../postgres/page.ts'
import type { Tables } from '../postgres/tables.ts'
import { masterIdOf, unwrapKey, wrapKey, type MasterKeys } from './content-keys.ts'

const PAGE_KEYS = 500

/** `unreadable`: neither the current master key nor an accepted one opens them. */
export type RewrapCounts = { rewrapped: number; already: number; unreadable: number }

/**
 * Wraps all content keys with the current master key, one row at a time, so that it never holds a
 * lock that others wait for. Can be interrupted and repeated at any time.
 */
export async function rewrapContentKeys(
  database: Kysely<Tables>,
  masterKeys: MasterKeys,
): Promise<RewrapCounts> {
  const counts: RewrapCounts = { rewrapped: 0, already: 0, unreadable: 0 }
  for await (const { id, organizationId, wrapped } of readKeys(database)) {
    if (masterIdOf(wrapped)?.equals(masterKeys.current.id)) {
      counts.already += 1
      continue
    }
    try {
      const plain = unwrapKey({ id, wrapped }, organizationId, masterKeys).export()
      const changed = wrapKey(plain, id, organizationId, masterKeys.current)
      await sql`update content_keys set wrapped = ${changed} where id = ${id}`.execute(database)
      counts.rewrapped += 1
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
      counts.unreadable += 1
    }
  }
  return counts
}

/** How many content keys each master key has wrapped, by its id in hexadecimal digits. */
export async function countKeysByMaster(database: Kysely<Tables>): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for await (const { wrapped } of readKeys(database)) {
    const id = masterIdOf(wrapped)?.toString('hex') ?? ''
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

type StoredKey = { readonly id: string; readonly organizationId: string; readonly wrapped: Buffer }

async function* readKeys(database: Kysely<Tables>): AsyncGenerator<StoredKey, void> {
  for (let after = FIRST_ID; ;) {
    const { rows } = await sql<StoredKey>`
      select id, organization_id as "organizationId", wrapped from content_keys
      where id > ${after} order by id limit ${PAGE_KEYS}`.execute(database)
    yield* rows
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
  }
}

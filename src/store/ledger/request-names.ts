import { sql, type Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** By id, of projects, keys and accounts; those that have no name are missing. */
export type Names = ReadonlyMap<string, string>

/** The names for a page of requests. */
export async function readNames(
  database: Kysely<Tables>,
  requests: readonly { readonly projectId: string; readonly credentialId: string }[],
): Promise<Names> {
  const projects = [...new Set(requests.map(({ projectId }) => projectId))]
  const credentials = [...new Set(requests.map(({ credentialId }) => credentialId))]
  const { rows } = await sql<{ id: string; name: string | null }>`
    select id, name from projects where id = any(${projects}::uuid[])
    union all select id, name from api_keys where id = any(${credentials}::uuid[])
    union all select id, name from accounts where id = any(${credentials}::uuid[])`.execute(
    database,
  )
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])))
}

/** The addresses of those who made requests, by account. */
export async function readEmails(
  database: Kysely<Tables>,
  accounts: readonly (string | null)[],
): Promise<Names> {
  const ids = [...new Set(accounts.filter((id) => id !== null))]
  if (ids.length === 0) return new Map()
  const rows = await database
    .selectFrom('accounts')
    .select(['id', 'email'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, email }) => [id, email]))
}

/** The last four characters of an API key; null if there is no such key. */
export async function findLast4(database: Kysely<Tables>, keyId: string): Promise<string | null> {
  const key = await database
    .selectFrom('api_keys')
    .select('last4')
    .where('id', '=', keyId)
    .executeTakeFirst()
  return key?.last4 ?? null
}

import { readMasterKeys, unwrapKey } from '../../../src/store/content/content-keys.ts'
import { openSealed } from '../../../src/store/content/sealed-content.ts'
import { openPostgres } from '../../../src/store/postgres/postgres.ts'
import type { Form } from './forms.ts'
import { scanText, type Hit } from './scan.ts'

const QUERY_TIMEOUT_MS = 60_000

export type StoredRow = {
  readonly id: string
  readonly organization_id: string
  readonly key_id: string
  readonly sealed: Buffer
  readonly wrapped: Buffer | null
}

/** With a connection of its own, since PostgreSQL restarts during the proof. */
async function query<Row extends object>(
  url: string,
  text: string,
  parameters: readonly string[] = [],
): Promise<Row[]> {
  await using postgres = openPostgres(url, { queryTimeoutMs: QUERY_TIMEOUT_MS })
  return (await postgres.pool.query<Row>(text, [...parameters])).rows
}

/** Every row of every table as text, since PostgreSQL may compress what it stores. */
export async function scanTables(url: string, forms: readonly Form[]): Promise<Hit[]> {
  const tables = await query<{ name: string }>(
    url,
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema = 'public'`,
  )
  const hits: Hit[] = []
  for (const { name } of tables) {
    const [table] = await query<{ text: string }>(
      url,
      `select coalesce(string_agg(each::text, E'\\n'), '') as text from only ${name} as each`,
    )
    hits.push(...scanText(name, table?.text ?? '', forms))
  }
  return hits
}

export function readStored(url: string, organizationId: string): Promise<StoredRow[]> {
  return query<StoredRow>(
    url,
    `select content.id, content.organization_id, content.key_id, content.sealed,
            content_keys.wrapped
     from retained_content as content
     left join content_keys on content_keys.id = content.key_id
     where content.organization_id = $1`,
    [organizationId],
  )
}

/** The decrypted content, or undefined if its key is gone. */
export async function readRow(row: StoredRow, contentKey: string): Promise<string | undefined> {
  if (row.wrapped === null) return undefined
  const { id, organization_id: organizationId, sealed, key_id: keyId } = row
  const master = readMasterKeys(contentKey)
  const key = unwrapKey({ id: keyId, wrapped: row.wrapped }, organizationId, master)
  const content = await openSealed({ id, organizationId, sealed }, { id: keyId, key })
  return content.reveal().toString()
}

/** Writes everything in memory to disk, and removes dead rows and old log segments. */
export async function settleFiles(url: string): Promise<void> {
  const steps = ['vacuum full content_keys', 'checkpoint', 'select pg_switch_wal()', 'checkpoint']
  for (const step of steps) await query(url, step)
}

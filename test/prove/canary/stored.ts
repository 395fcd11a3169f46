import { Client } from 'pg'
import { readMasterKey, unwrapKey } from '../../../src/store/content/content-keys.ts'
import { openSealed } from '../../../src/store/content/sealed-content.ts'
import type { Form } from './forms.ts'
import { scanText, type Hit } from './scan.ts'

export type StoredRow = {
  readonly id: string
  readonly organization_id: string
  readonly key_id: string
  readonly sealed: Buffer
  readonly wrapped: Buffer | null
}

async function withClient<T>(url: string, act: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await act(client)
  } finally {
    await client.end()
  }
}

/** Every row of every table as text, since PostgreSQL may compress what it stores. */
export function scanTables(url: string, forms: readonly Form[]): Promise<Hit[]> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema = 'public'`,
    )
    const hits: Hit[] = []
    for (const { name } of rows) {
      const table = await client.query<{ text: string }>(
        `select coalesce(string_agg(each::text, E'\\n'), '') as text from only ${name} as each`,
      )
      hits.push(...scanText(name, table.rows[0]?.text ?? '', forms))
    }
    return hits
  })
}

export function readStored(url: string, organizationId: string): Promise<StoredRow[]> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<StoredRow>(
      `select content.id, content.organization_id, content.key_id, content.sealed,
              content_keys.wrapped
       from retained_content as content
       left join content_keys on content_keys.id = content.key_id
       where content.organization_id = $1`,
      [organizationId],
    )
    return rows
  })
}

/** What it says, or undefined if it cannot be read any more. */
export async function readRow(row: StoredRow, contentKey: string): Promise<string | undefined> {
  if (row.wrapped === null) return undefined
  const { id, organization_id: organizationId, sealed, key_id: keyId } = row
  const master = readMasterKey(contentKey)
  const key = unwrapKey({ id: keyId, wrapped: row.wrapped }, organizationId, master)
  const content = await openSealed({ id, organizationId, sealed }, { id: keyId, key })
  return content.reveal().toString()
}

/** Writes everything out that is in memory, and forgets what is not needed any more. */
export function settleFiles(url: string): Promise<void> {
  return withClient(url, async (client) => {
    await client.query('vacuum full content_keys')
    await client.query('checkpoint')
    await client.query('select pg_switch_wal()')
    await client.query('checkpoint')
  })
}

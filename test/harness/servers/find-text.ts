import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../../src/store/postgres/tables.ts'

/** The tables that have a row with this text in any column, whatever its case. */
export async function findText(database: Kysely<Tables>, text: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select oid::regclass::text as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
      and not relispartition`.execute(database)
  const found: string[] = []
  for (const { name } of rows) {
    const hits = await sql`
      select from ${sql.raw(name)} as row
      where strpos(lower(row::text), lower(${text})) > 0 limit 1`.execute(database)
    if (hits.rows.length > 0) found.push(name)
  }
  return found
}

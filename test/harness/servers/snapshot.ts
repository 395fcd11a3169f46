import { Client } from 'pg'

type Snapshot = {
  /** Everything is as it was then, for whoever is connected. */
  readonly restore: () => Promise<void>
}

/**
 * Keeps the content of all tables, as a backup does, to restore it later under a console that runs.
 * A database has one at a time. The URL is that of the owner of the database.
 */
export async function takeSnapshot(url: string): Promise<Snapshot> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and not relispartition
     order by relname <> 'organizations'`,
  )
  await client.end()
  const tables = rows.map(({ name }) => name)
  const copies = tables.map((name) => `create table backup.${name} as table public.${name}`)
  const returns = tables.flatMap((name) => [
    `delete from public.${name}`,
    `insert into public.${name} overriding system value table backup.${name}`,
  ])
  const run = async (statements: readonly string[]) => runLocked(url, tables, statements)
  // A test that failed has left its own.
  await run(['drop schema if exists backup cascade', 'create schema backup', ...copies])
  // Neither foreign keys nor triggers: what comes back has passed them.
  const unchecked = 'set local session_replication_role = replica'
  return { restore: async () => run([unchecked, ...returns, 'drop schema backup cascade']) }
}

/**
 * In one transaction beside which nobody changes anything. Whoever is about to holds an
 * organization first, so its table comes first, and they are awaited.
 */
async function runLocked(
  url: string,
  tables: readonly string[],
  statements: readonly string[],
): Promise<void> {
  const names = tables.map((name) => `public.${name}`).join(', ')
  const lock = `lock table ${names} in access exclusive mode`
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(['begin', lock, ...statements, 'commit'].join('; '))
  } finally {
    await client.end()
  }
}

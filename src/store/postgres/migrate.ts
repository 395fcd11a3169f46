import { OperatorError } from '../../lib/operator-error.ts'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { grantRoles } from './grant-roles.ts'
import { CONNECTION_TIMEOUT_MS, isNotMigrated } from './postgres.ts'

// Written here because the query builder's migrator stores no checksums, and fails when the
// database is newer than the program, which is normal while a release is rolled back.

const FOLDER = new URL('../../../migrations/', import.meta.url)

/** Arbitrary, as long as nothing else in the same database locks the same number. */
const ADVISORY_LOCK = 7_203_115_064

/**
 * Every later statement on the table queues behind a waiting `alter table`. Those of the request
 * path give up after 2 s, so the wait is much shorter, and repeated.
 */
const TABLE_LOCK_TIMEOUT_MS = 500
const LOCK_ATTEMPTS = 20
const LOCK_RETRY_MS = 500
const LOCK_NOT_AVAILABLE = '55P03'

const CREATE_TABLE = `
  create table if not exists migrations (
    name       text primary key,
    checksum   bytea not null,
    applied_at timestamptz not null default now()
  )`

type Migration = { readonly name: string; readonly sql: string; readonly checksum: Buffer }

class MigrationError extends OperatorError {
  override readonly name = 'MigrationError'
}

/**
 * Applies the pending migrations, each in a transaction of its own: one that validates a constraint
 * reads a whole table, and must not hold the exclusive lock of the one that added it. Then gives
 * the roles of processes their rights. Returns the names of the migrations that it applied.
 */
export async function migrate(databaseUrl: string, folder: URL = FOLDER): Promise<string[]> {
  const migrations = await readMigrations(folder)
  // Without the request path's timeouts: a migration may take long.
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    application_name: 'headrace migrate',
  })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [ADVISORY_LOCK])
    await client.query(`set lock_timeout = ${TABLE_LOCK_TIMEOUT_MS}`)
    await client.query(CREATE_TABLE)
    const applied = await applyPending(client, migrations)
    // A migration that was tested alone has no tables to grant.
    if (folder === FOLDER) await grantRoles(client)
    return applied
  } finally {
    // Closing the connection also releases the lock and rolls back an open transaction.
    await client.end()
  }
}

/** How the database and the files of this program differ. Both may be ahead of the other. */
export type MigrationState = {
  readonly applied: readonly string[]
  readonly pending: readonly string[]
  /** Applied with another checksum. */
  readonly changed: readonly string[]
}

/** Compares without applying anything. */
export async function compareMigrations(
  client: Pick<Client, 'query'>,
  folder: URL = FOLDER,
): Promise<MigrationState> {
  const migrations = await readMigrations(folder)
  const checksums = await readChecksums(client).catch((error: unknown) => {
    // Before the first migration the table is missing.
    if (isNotMigrated(error)) return new Map<string, Buffer>()
    throw error
  })
  const isChanged = ({ name, checksum }: Migration) =>
    checksums.get(name)?.equals(checksum) === false
  return {
    applied: [...checksums.keys()].toSorted(),
    pending: migrations.map(({ name }) => name).filter((name) => !checksums.has(name)),
    changed: migrations.filter(isChanged).map(({ name }) => name),
  }
}

async function readChecksums(client: Pick<Client, 'query'>): Promise<Map<string, Buffer>> {
  const { rows } = await client.query<{ name: string; checksum: Buffer }>(
    'select name, checksum from migrations',
  )
  return new Map(rows.map((row) => [row.name, row.checksum]))
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest() }
    }),
  )
}

async function applyPending(client: Client, migrations: readonly Migration[]): Promise<string[]> {
  const checksums = await readChecksums(client)
  const newest = [...checksums.keys()].toSorted().at(-1) ?? ''
  const applied: string[] = []
  for (const migration of migrations) {
    const checksum = checksums.get(migration.name)
    if (checksum === undefined) {
      if (migration.name < newest) {
        throw new MigrationError(
          `migration ${migration.name} sorts before ${newest}, which is already applied; rename it`,
        )
      }
      await apply(client, migration)
      applied.push(migration.name)
    } else if (!checksum.equals(migration.checksum)) {
      throw new MigrationError(
        `migration ${migration.name} was changed after it was applied; restore the original file`,
      )
    }
  }
  return applied
}

async function apply(client: Client, migration: Migration): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('begin')
      await client.query(migration.sql)
      await client.query('insert into migrations (name, checksum) values ($1, $2)', [
        migration.name,
        migration.checksum,
      ])
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback')
      const isLocked = error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE
      if (!isLocked || attempt === LOCK_ATTEMPTS) {
        const reason = error instanceof Error ? error.message : String(error)
        throw new MigrationError(`migration ${migration.name} failed: ${reason}`, { cause: error })
      }
      await pause(LOCK_RETRY_MS)
    }
  }
}

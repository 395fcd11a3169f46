import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { Client } from 'pg'
import { ROLES, type RoleOf } from '../../../src/store/postgres/grant-roles.ts'
import { migrate } from '../../../src/store/postgres/migrate.ts'
import { readPartialStack } from '../../../stack/state.ts'

const MIGRATIONS = new URL('../../../migrations/', import.meta.url)
const GRANTS = new URL('../../../src/store/postgres/grant-roles.ts', import.meta.url)

/**
 * Test files run at once; only one of them makes the template, and copies do not race with its
 * making.
 */
const TEMPLATE_LOCK = 4_815_162_342

export type TestDatabase = { readonly url: string; [Symbol.asyncDispose](): Promise<void> }

/**
 * An empty, migrated database of one's own. It is a copy of a template that is migrated once for
 * each state of the migrations, which takes a small part of the time that migrating takes.
 */
export async function createDatabase(): Promise<TestDatabase> {
  const server = readPartialStack().postgres
  if (server === undefined)
    throw new Error('PostgreSQL is not up: start the development stack first')
  const name = `test_${randomBytes(8).toString('hex')}`
  await using admin = await connect(server.url)
  const template = `template_${await checksumOfMigrations()}`
  await admin.client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
  await makeTemplate(admin.client, server.url, template)
  // Copying files beats the write-ahead log for a database as small as this.
  await admin.client.query(`create database ${name} template ${template} strategy file_copy`)
  return testDatabase(server.url, name)
}

function testDatabase(serverUrl: string, name: string): TestDatabase {
  return {
    url: databaseUrl(serverUrl, name),
    async [Symbol.asyncDispose]() {
      await using later = await connect(serverUrl)
      await later.client.query(`drop database ${name} with (force)`)
    },
  }
}

/** The database as a process has it: with its own role. */
export function urlForProcess(url: string, process: RoleOf): string {
  const its = new URL(url)
  its.username = ROLES[process]
  return its.href
}

/** Creates the roles of processes that the server does not have, as an operator would. */
export async function createRoles(admin: Client): Promise<void> {
  for (const role of Object.values(ROLES)) {
    const found = await admin.query('select from pg_roles where rolname = $1', [role])
    if (found.rowCount === 0) await admin.query(`create role ${role} login`)
  }
}

/** A database without tables, as an operator creates it. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const server = readPartialStack().postgres
  if (server === undefined)
    throw new Error('PostgreSQL is not up: start the development stack first')
  const name = `test_${randomBytes(8).toString('hex')}`
  await using admin = await connect(server.url)
  await admin.client.query(`create database ${name}`)
  return testDatabase(server.url, name)
}

/** A copy of a database, as a backup has it. Nobody may be connected to the original. */
export async function copyDatabase(originalUrl: string): Promise<TestDatabase> {
  const url = databaseUrl(originalUrl, `test_${randomBytes(8).toString('hex')}`)
  const nameOf = (each: string) => new URL(each).pathname.slice(1)
  await using admin = await connect(databaseUrl(originalUrl, 'postgres'))
  await admin.client.query(`create database ${nameOf(url)} template ${nameOf(originalUrl)}`)
  return {
    url,
    async [Symbol.asyncDispose]() {
      await using later = await connect(databaseUrl(originalUrl, 'postgres'))
      await later.client.query(`drop database ${nameOf(url)} with (force)`)
    },
  }
}

/** Takes a column away, as a program would find it that is newer than the database. */
export async function makeOlder({ url }: TestDatabase): Promise<void> {
  await using admin = await connect(url)
  await admin.client.query('alter table accounts drop column state')
}

async function connect(url: string): Promise<{ client: Client } & AsyncDisposable> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.end()
    },
  }
}

async function makeTemplate(admin: Client, serverUrl: string, template: string): Promise<void> {
  const { rowCount } = await admin.query(
    'select 1 from pg_database where datname = $1 and datistemplate',
    [template],
  )
  if (rowCount === 1) return
  // One that was left half made by a run that ended early carries no mark and is made anew.
  await admin.query(`drop database if exists ${template} with (force)`)
  await admin.query(`create database ${template}`)
  await createRoles(admin)
  await migrate(databaseUrl(serverUrl, template))
  await admin.query(`alter database ${template} is_template true`)
}

async function checksumOfMigrations(): Promise<string> {
  const hash = createHash('sha256')
  for (const name of (await readdir(MIGRATIONS)).toSorted()) {
    if (name.endsWith('.sql')) hash.update(name).update(await readFile(new URL(name, MIGRATIONS)))
  }
  hash.update(await readFile(GRANTS))
  return hash.digest('hex').slice(0, 16)
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

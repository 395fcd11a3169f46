import assert from 'node:assert/strict'
import { appendFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Client } from 'pg'
import { createDatabase, createEmptyDatabase } from '../../../test/harness/servers/database.ts'
import { migrate } from './migrate.ts'

const FOLDER = new URL('../../../migrations/', import.meta.url)

// Gives each test an empty database and a copy of the migrations that it may change.
async function reset(): Promise<void> {
  await client.query('drop schema public cascade')
  await client.query('create schema public')
  await rm(path, { recursive: true, force: true })
  await cp(FOLDER, path, { recursive: true })
}

const database = await createDatabase()
const client = new Client({ connectionString: database.url })
await client.connect()
const path = await mkdtemp(join(tmpdir(), 'headrace-migrations-'))
const folder = pathToFileURL(`${path}/`)

after(async () => {
  await client.end()
  await database[Symbol.asyncDispose]()
  await rm(path, { recursive: true, force: true })
})

async function hasTable(name: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    'select to_regclass($1) is not null as found',
    [name],
  )
  return rows[0]?.found === true
}

/** Waits until a statement has queued for a lock on the table and has left the queue. */
async function lockGivenUp(table: string): Promise<void> {
  const observer = new Client({ connectionString: database.url })
  await observer.connect()
  const queued = async () =>
    (
      await observer.query('select 1 from pg_locks where relation = $1::regclass and not granted', [
        table,
      ])
    ).rowCount === 1
  while (!(await queued())) await observer.query('select pg_sleep(0.01)')
  while (await queued()) await observer.query('select pg_sleep(0.01)')
  await observer.end()
}

test('all migrations are applied to an empty database, once', async () => {
  await reset()
  const applied = await migrate(database.url, folder)
  assert.ok(applied.includes('0001-tenants.sql'))
  assert.ok(await hasTable('api_keys'))
  assert.deepEqual(await migrate(database.url, folder), [])
})

test('of many concurrent runs one migrates and the others find nothing to do', async () => {
  await reset()
  const results = await Promise.all(Array.from({ length: 6 }, () => migrate(database.url, folder)))
  assert.equal(results.filter((applied) => applied.length > 0).length, 1)
})

test('a failing migration rolls back itself, and the next run continues with it', async () => {
  await reset()
  await writeFile(join(path, '9998-good.sql'), 'create table good (id int);')
  await writeFile(join(path, '9999-bad.sql'), 'create table bad (id int); select no_such_thing();')
  await assert.rejects(migrate(database.url, folder), {
    name: 'MigrationError',
    message: /^migration 9999-bad\.sql failed: .*no_such_thing/,
  })
  assert.deepEqual([await hasTable('good'), await hasTable('bad')], [true, false])
  await writeFile(join(path, '9999-bad.sql'), 'create table bad (id int);')
  assert.deepEqual(await migrate(database.url, folder), ['9999-bad.sql'])
})

test('a migration holds its locks until its own end, not until that of the next one', async () => {
  await reset()
  await migrate(database.url, folder)
  await client.query('create table held (id int)')
  await writeFile(join(path, '9998-short.sql'), 'alter table held add column more int;')
  await writeFile(join(path, '9999-long.sql'), 'select pg_advisory_xact_lock(1);')
  const reader = new Client({ connectionString: database.url })
  await reader.connect()
  await client.query('select pg_advisory_lock(1)')
  const migrating = migrate(database.url, folder)
  const waiting = `select 1 from pg_locks where locktype = 'advisory' and objid = 1 and not granted`
  for (;;) if ((await client.query(waiting)).rowCount === 1) break
  await reader.query(`set statement_timeout = '1s'`)
  assert.equal((await reader.query('select more from held')).rowCount, 0)
  await client.query('select pg_advisory_unlock(1)')
  await reader.end()
  assert.deepEqual(await migrating, ['9998-short.sql', '9999-long.sql'])
})

test('a migration gives way to a transaction that uses its table, and is tried again', async () => {
  await reset()
  await migrate(database.url, folder)
  await client.query('create table used (id int)')
  await writeFile(join(path, '9999-add.sql'), 'alter table used add column more int;')
  await client.query('begin')
  await client.query('select from used')
  const migrating = migrate(database.url, folder)
  await lockGivenUp('used')
  await client.query('commit')
  assert.deepEqual(await migrating, ['9999-add.sql'])
})

test('a migration that was changed after it was applied is rejected', async () => {
  await reset()
  await migrate(database.url, folder)
  await appendFile(join(path, '0001-tenants.sql'), '\n')
  await assert.rejects(migrate(database.url, folder), {
    name: 'MigrationError',
    message: /was changed after/,
  })
})

test('a migration that sorts before an applied one is rejected', async () => {
  await reset()
  await migrate(database.url, folder)
  await writeFile(join(path, '0000-late.sql'), 'select 1;')
  await assert.rejects(migrate(database.url, folder), {
    name: 'MigrationError',
    message: /sorts before/,
  })
})

test('a database newer than the program is not changed', async () => {
  await reset()
  await writeFile(join(path, '9999-newer.sql'), 'create table newer (id int);')
  await migrate(database.url, folder)
  await rm(join(path, '9999-newer.sql'))
  assert.deepEqual(await migrate(database.url, folder), [])
  assert.ok(await hasTable('newer'))
})

test('the owner of a database migrates it without being a superuser', async () => {
  const role = `owner_${crypto.randomUUID().slice(0, 8)}`
  await client.query(`create role ${role} login`)
  const empty = await createEmptyDatabase()
  const url = new URL(empty.url)
  try {
    await client.query(`alter database ${url.pathname.slice(1)} owner to ${role}`)
    url.username = role
    await migrate(url.href)
  } finally {
    await empty[Symbol.asyncDispose]()
    await client.query(`drop role ${role}`)
  }
})

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Client } from 'pg'
import { createDatabase, urlForProcess, type TestDatabase } from '../../../test/harness/database.ts'
import { grantRoles, ROLES } from './grant-roles.ts'

let database: TestDatabase
let owner: Client
before(async () => {
  database = await createDatabase()
  owner = new Client({ connectionString: database.url })
  await owner.connect()
})
after(async () => {
  await owner.end()
  await database[Symbol.asyncDispose]()
})

/** Runs a statement with the role of a process. */
async function runAs(process: 'api' | 'console', statement: string): Promise<void> {
  const client = new Client({ connectionString: urlForProcess(database.url, process) })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** The tables of which a role has the right to change rows, or some columns of them. */
async function writable(role: string): Promise<string[]> {
  const { rows } = await owner.query<{ what: string }>(
    `select relname || ' ' || lower(right_) as what from pg_class
     cross join unnest(array['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) as right_
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and (has_table_privilege($1, pg_class.oid, right_)
         or (right_ in ('INSERT', 'UPDATE') and has_any_column_privilege($1, pg_class.oid, right_)))
     order by 1`,
    [role],
  )
  return rows.map(({ what }) => what)
}

const DENIED = /permission denied|must be owner/

describe('the roles of processes', () => {
  test('the API writes no ledger, no audit log and nobody who could sign in', async () => {
    assert.deepEqual(await writable(ROLES.api), [
      'api_keys update',
      'books insert',
      'content_keys insert',
      'content_keys update',
      'organizations update',
      'retained_content insert',
    ])
    for (const statement of [
      'insert into transfers default values',
      'update ledger_accounts set id = id',
      'insert into audit_events default values',
      `update api_keys set revoked_at = null`,
      `update organizations set plan = 'free'`,
      'select * from sessions',
      'select sealed from retained_content',
    ])
      await assert.rejects(runAs('api', statement), DENIED, statement)
  })

  test('the console only adds to the audit log, and empties or changes no table', async () => {
    const rights = await writable(ROLES.console)
    assert.deepEqual(
      rights.filter((right) => right.startsWith('audit_events ')),
      ['audit_events insert'],
    )
    assert.deepEqual(
      rights.filter((right) => right.endsWith(' truncate') || right.startsWith('migrations ')),
      [],
    )
    for (const statement of [
      `set headrace.moving_partition = 'on'; delete from audit_events`,
      `set headrace.moving_partition = 'on'; truncate audit_events`,
      `set headrace.moving_partition = 'on'; delete from audit_events_default`,
      'alter table audit_events disable trigger audit_events_append_only',
      'drop table audit_events',
      'create table mine (id int)',
    ])
      await assert.rejects(runAs('console', statement), DENIED, statement)
  })

  test('a right that is no longer listed is taken away by the next migration', async () => {
    await owner.query(`grant delete on transfers to ${ROLES.api}`)
    await grantRoles(owner)
    await assert.rejects(runAs('api', 'delete from transfers'), DENIED)
  })
})

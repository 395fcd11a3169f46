import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Client } from 'pg'
import { createDatabase, urlForProcess } from '../../../test/harness/servers/database.ts'
import { grantRoles, ROLES, type RoleOf } from './grant-roles.ts'

const database = await createDatabase()
const owner = new Client({ connectionString: database.url })
await owner.connect()
after(async () => {
  await owner.end()
  await database[Symbol.asyncDispose]()
})

/** Runs a statement with the role of a process. */
async function runAs(process: RoleOf, statement: string): Promise<void> {
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

/** The statements that this role was not denied. */
async function notDenied(process: RoleOf, statements: readonly string[]): Promise<string[]> {
  const allowed: string[] = []
  for (const statement of statements) {
    const refusal = await runAs(process, statement).then(
      () => '',
      (error: unknown) => String(error),
    )
    if (!DENIED.test(refusal)) allowed.push(statement)
  }
  return allowed
}

/** What the worker does not do: whoever has taken it over cannot do it either. */
const NOT_OF_THE_WORKER = [
  // People and how they sign in.
  'select email from accounts',
  'insert into accounts default values',
  `update accounts set platform_role = 'operator'`,
  'delete from accounts',
  'insert into memberships default values',
  `update memberships set role = 'owner'`,
  'delete from memberships',
  'select token_hash from sessions',
  'insert into sessions default values',
  `update sessions set ends_at = 'infinity'`,
  'delete from sessions',
  'select from passwords',
  'update passwords set phc = phc',
  'insert into passkeys default values',
  'select sealed from one_time_factors',
  'delete from one_time_factors',
  'delete from recovery_codes',
  'insert into mail_tokens default values',
  'insert into invitations default values',
  'select sealed_secret from sso_connections',
  'update sso_connections set issuer = issuer',
  'insert into sso_identities default values',
  'insert into sso_domains default values',
  'insert into scim_tokens default values',
  `select forget_person(gen_random_uuid(), 'x', 'owner@example.com')`,
  // Keys and what organizations may do.
  'select hash from api_keys',
  'insert into api_keys default values',
  'update api_keys set revoked_at = null',
  'delete from api_keys',
  'select from management_keys',
  'insert into management_keys default values',
  'update management_keys set revoked_at = null',
  `update organizations set plan = 'free'`,
  'delete from organizations',
  'update projects set name = name',
  'insert into engine_orders default values',
  'select webhook_secret from spending_alerts',
  `update spending_alerts set emails = '{thief@example.com}'`,
  // Payments, other than by starting a charge that somebody has agreed to.
  `update payments set state = 'succeeded'`,
  'select ref from payments',
  'delete from payments',
  'update automatic_top_ups set month_max = 1000000000',
  'insert into automatic_top_ups default values',
  `update automatic_top_ups set paused = null`,
  'update provider_customers set card_ref = null',
  'select from provider_events',
  'select delivered from queued_emails',
  'select facts from queued_emails',
  // The audit log.
  'select changes from audit_events',
  'insert into audit_events default values',
  `update audit_events set actor_label = 'x'`,
  `set headrace.forgetting_person = 'on'; update audit_events set actor_label = 'x'`,
  `set headrace.moving_partition = 'on'; delete from audit_events`,
  `set headrace.moving_partition = 'on'; delete from audit_events_default`,
  `set headrace.moving_partition = 'on'; truncate audit_events`,
  'alter table audit_events disable trigger audit_events_append_only',
  'drop table audit_events',
  'select sealed_secret from audit_streams',
  'delete from audit_stream_events',
  // The ledger and usage, other than by adding to them.
  'select from transfers',
  'insert into transfers default values',
  'update transfers set amount = 1',
  'delete from transfers',
  'insert into credit_lots default values',
  'update credit_lots set expires_at = now()',
  `update ledger_accounts set id = 'funds:x'`,
  'delete from ledger_accounts',
  `update usage_transfers set debit_account = 'x'`,
  'delete from usage_transfers',
  `update books set currency = 'EUR'`,
  'delete from books',
  `update kept_from set day = '1970-01-01'`,
  'delete from usage_records',
  'delete from usage_daily',
  'truncate usage_records',
  'drop table usage_records_default',
  // Content.
  'select wrapped from content_keys',
  'insert into content_keys default values',
  'select sealed from retained_content',
  'delete from retained_content',
  // The tables themselves.
  'delete from migrations',
  'create table mine (id int)',
  'alter table accounts add column mine int',
]

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

  test('the worker writes what its jobs write', async () => {
    assert.deepEqual(await writable(ROLES.worker), [
      'announcements delete',
      'automatic_top_ups update',
      'books insert',
      'books update',
      'content_keys delete',
      'credit_lots update',
      'engine_orders_version update',
      'ledger_accounts insert',
      'ledger_accounts update',
      'organizations update',
      'payments insert',
      'queued_emails insert',
      'reconciliations insert',
      'reconciliations update',
      'sent_alerts insert',
      'spending_alerts update',
      'statement_cells insert',
      'statements insert',
      'usage_daily insert',
      'usage_daily update',
      'usage_hourly insert',
      'usage_hourly update',
      'usage_records insert',
      'usage_records update',
      'usage_totals insert',
      'usage_totals update',
      'usage_transfers insert',
      'usage_transfers update',
    ])
  })

  test('the worker is refused all that is not work of its jobs', async () => {
    assert.deepEqual(await notDenied('worker', NOT_OF_THE_WORKER), [])
  })

  test('a right that is no longer listed is taken away by the next migration', async () => {
    await owner.query(`grant delete on transfers to ${ROLES.api}`)
    await grantRoles(owner)
    await assert.rejects(runAs('api', 'delete from transfers'), DENIED)
  })
})

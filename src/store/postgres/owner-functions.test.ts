import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Client } from 'pg'
import { createDatabase, urlForProcess } from '../../../test/harness/servers/database.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { addDays, dayOf } from './partitions.ts'

// The functions with the rights of the owner, called by somebody who has taken over the worker or
// the console.

const database = await createDatabase()
const open = async (connectionString: string) => {
  const client = new Client({ connectionString })
  await client.connect()
  return client
}
const owner = await open(database.url)
const worker = await open(urlForProcess(database.url, 'worker'))
const console_ = await open(urlForProcess(database.url, 'console'))
after(async () => {
  await Promise.all([owner, worker, console_].map((client) => client.end()))
  await database[Symbol.asyncDispose]()
})

async function tables(): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** Refused as an argument, and not by a syntax error that it caused. */
const REFUSED = { code: /^(22023|22007|22008|42501)$/ }

const TODAY = dayOf(Date.now())
/** Not over, even if midnight passes meanwhile. */
const COMING = addDays(TODAY, 2)
const LATER = addDays(TODAY, 3)

describe('functions with the rights of the owner', () => {
  test('create_partition accepts days of partitioned tables, and nothing else', async () => {
    const before_ = await tables()
    for (const [parent, day] of [
      ['accounts', '2026-01-01'],
      ['usage_records_default', '2026-01-01'],
      ['public.usage_records', '2026-01-01'],
      ['pg_catalog.pg_class', '2026-01-01'],
      ['"usage_records"', '2026-01-01'],
      ['usage_records (id); drop table accounts; --', '2026-01-01'],
      ['USAGE_RECORDS', '2026-01-01'],
      ['', '2026-01-01'],
      // Not the first day of a month.
      ['audit_events', '2026-01-02'],
      ['usage_records', 'infinity'],
      ['usage_records', '-infinity'],
      ['usage_records', '10000-01-01'],
      ['usage_records', '2026-01-01 BC'],
      ['usage_records', `2026-01-01'; drop table accounts; --`],
    ])
      await assert.rejects(
        worker.query('select create_partition($1, $2)', [parent, day]),
        REFUSED,
        `${parent} ${day}`,
      )
    await worker.query('select create_partition(null, $1), create_partition($2, null)', [
      '2026-01-01',
      'usage_records',
    ])
    assert.deepEqual(await tables(), before_)
  })

  test('drop_partition drops partitions that are over, and no other table', async () => {
    const days = ['20010101', '20010201', COMING.replaceAll('-', '')] as const
    for (const day of days) await owner.query(`select create_partition('usage_records', '${day}')`)
    await owner.query(`select create_partition('audit_events', '2001-01-01')`)
    // Has the name of a partition, and is none.
    await owner.query('create table usage_records_20010301 (like usage_records)')
    const before_ = await tables()
    for (const [parent, part, keepFrom] of [
      ['usage_records', 'accounts', TODAY],
      ['usage_records', 'usage_records_default', TODAY],
      ['usage_records', 'usage_hourly_20010101', TODAY],
      ['usage_records', 'usage_records_20010301', TODAY],
      ['usage_records', 'usage_records_until_20010101x', TODAY],
      ['usage_records', 'usage_records_20010101, accounts', TODAY],
      ['usage_records', 'usage_records_20010101"; drop table accounts; --20010101', TODAY],
      ['usage_records', 'public.usage_records_20010101', TODAY],
      ['usage_records', 'USAGE_RECORDS_20010101', TODAY],
      ['usage_records', 'usage_records_20011301', TODAY],
      ['accounts', 'accounts_20010101', TODAY],
      ['audit_events', 'audit_events_20010101', TODAY],
      // It ends after this day.
      ['usage_records', 'usage_records_20010201', '2001-02-01'],
      // The day is not over.
      ['usage_records', `usage_records_${days[2]}`, LATER],
      ['usage_records', 'usage_records_20010101', LATER],
      ['usage_records', 'usage_records_20010101', 'infinity'],
    ])
      await assert.rejects(
        worker.query('select drop_partition($1, $2, $3)', [parent, part, keepFrom]),
        REFUSED,
        `${parent} ${part} ${keepFrom}`,
      )
    assert.deepEqual(await tables(), before_)
    const drop = `select drop_partition('usage_records', 'usage_records_20010101', $1) as dropped`
    assert.deepEqual((await worker.query(drop, ['2001-01-02'])).rows, [{ dropped: true }])
    assert.deepEqual((await worker.query(drop, ['2001-01-02'])).rows, [{ dropped: false }])
    const gone = before_.filter((name) => name !== 'usage_records_20010101')
    assert.deepEqual(await tables(), gone)
    const { rows } = await owner.query(`select day::text from kept_from
      where table_name = 'usage_records'`)
    assert.deepEqual(rows, [{ day: '2001-01-02' }])
  })

  test('delete_stray_content deletes content of days that are over, and nothing else', async () => {
    for (const [parent, day] of [
      ['audit_events', TODAY],
      ['usage_records', TODAY],
      ['retained_content', TODAY],
      ['retained_standard_default; drop table accounts; --', TODAY],
      ['retained_standard', LATER],
    ])
      await assert.rejects(
        worker.query('select delete_stray_content($1, $2)', [parent, day]),
        REFUSED,
        `${parent} ${day}`,
      )
  })

  test('objects of the caller do not stand in for those of the owner', async () => {
    const id = uuidV7()
    const address = 'somebody@example.com'
    await owner.query(`insert into accounts (id, email, state) values ($1, $2, 'active')`, [
      id,
      address,
    ])
    const hide = `
      create temp table accounts (id uuid, deleted_at timestamptz);
      insert into accounts values ('${id}', now());
      create temp table pg_partitioned_table (partrelid oid, partattrs int2vector);
      create temp table kept_from (table_name text primary key, day date);
      create function pg_temp.partition_end(text, date) returns date
        language sql as $$ select date '2999-01-01' $$;
      create function pg_temp.check_over(date) returns void language sql as $$ $$;
      create function pg_temp.to_char(date, text) returns text language sql as $$ select '' $$;
      set search_path = pg_temp, public`
    await worker.query(hide)
    await console_.query(hide)
    await assert.rejects(
      console_.query('select public.forget_person($1, $2, $3)', [id, 'x', address]),
      /was not deleted/,
    )
    await worker.query('select public.forget_deleted()')
    await assert.rejects(
      worker.query(`select public.create_partition('accounts', '2026-01-01')`),
      REFUSED,
    )
    await assert.rejects(
      worker.query(`select public.drop_partition('usage_records', 'usage_records_20010201', $1)`, [
        LATER,
      ]),
      REFUSED,
    )
    await worker.query(`select public.create_partition('retained_standard', '2001-01-01')`)
    const { rows } = await owner.query(`select email from accounts where id = $1`, [id])
    assert.deepEqual(rows, [{ email: address }])
    assert.ok((await tables()).includes('retained_standard_20010101'))
  })

  test('nobody else may call them', async () => {
    const { rows } = await owner.query<{ name: string; roles: string }>(
      `select proname as name, string_agg(rolname, ' ' order by rolname) as roles
       from pg_proc join pg_roles on has_function_privilege(rolname, pg_proc.oid, 'execute')
       where pronamespace = 'public'::regnamespace and prosecdef
         and not rolsuper group by 1 order by 1`,
    )
    assert.deepEqual(
      rows.map(({ name, roles }) => `${name}: ${roles}`),
      [
        'create_partition: headrace_worker',
        'delete_expired: headrace_worker',
        'delete_stray_content: headrace_worker',
        'drop_partition: headrace_worker',
        'expire_credit: headrace_worker',
        'forget_deleted: headrace_worker',
        'forget_person: headrace_console',
      ],
    )
    const unset = await owner.query(
      `select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef
         and not exists (select from unnest(proconfig) as setting
           where setting = 'search_path=public, pg_temp')`,
    )
    assert.deepEqual(unset.rows, [])
  })
})

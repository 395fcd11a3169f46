import type { Pool } from 'pg'

/** The name of the connections that make fixtures, whose changes have no audit events. */
const FIXTURES = 'fixtures'

/** Tables that change without a change of what exists: a sign-up waits for its confirmation. */
const BOOKKEEPING = [
  'announcements',
  'audit_stream_events',
  'challenges',
  'change_log',
  'idempotency_keys',
  'sign_ups',
]

/** Columns that are noted on the way: a session was seen, a version was announced. */
const NOTED = [
  'seen_at',
  'version',
  'last_used_at',
  // How the delivery of an audit stream goes.
  'next_at',
  'failures',
  'failing_since',
  'last_error',
  'delivered',
  'delivered_at',
]

/** For the connections of the proof itself. */
export function fixturesUrl(url: string): string {
  const named = new URL(url)
  named.searchParams.set('application_name', FIXTURES)
  return named.href
}

/** Notes every changed row of every table with its transaction, in that transaction. */
export async function keepChangeLog(pool: Pool): Promise<void> {
  await pool.query(`
    create table change_log (transaction xid8, table_name text, columns text[], made_by text,
      request_id text, action text, idempotency_key text, organization_id text);
    create function note_change() returns trigger language plpgsql as $$
    declare
      after constant jsonb := to_jsonb(new);
      before constant jsonb := to_jsonb(old);
      columns text[];
    begin
      -- Names of somebody who was deleted are replaced: all that the log lets pass.
      if tg_op = 'UPDATE' and tg_table_name like 'audit_events%' then return null; end if;
      if tg_op = 'UPDATE' then
        select coalesce(array_agg(key), '{}') into columns from jsonb_each(after)
        where value is distinct from before -> key;
      end if;
      insert into change_log values (pg_current_xact_id(),
        regexp_replace(tg_table_name, '_(default|until_\\d+|\\d+)$', ''), columns,
        current_setting('application_name'), after ->> 'request_id', after ->> 'action',
        after ->> 'key', after ->> 'organization_id');
      return null;
    end $$`)
  const { rows } = await pool.query<{ name: string }>(`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname <> 'change_log'`)
  for (const { name } of rows)
    await pool.query(`create trigger zz_note_change after insert or update or delete on ${name}
      for each row execute function note_change()`)
}

export type LoggedTransaction = {
  readonly transaction: string
  /** Tables with changed rows, but for bookkeeping. */
  readonly tables: readonly string[]
  /** Actions of the audit events; one that concerns several organizations counts once. */
  readonly actions: readonly string[]
  /** Whether an organization was told twice. */
  readonly twice: boolean
  readonly requestIds: readonly string[]
  readonly idempotencyKeys: readonly string[]
}

/** The transactions of the service, each with what it changed and the audit events it wrote. */
export async function readChangeLog(pool: Pool): Promise<LoggedTransaction[]> {
  const { rows } = await pool.query<LoggedTransaction>(
    `select transaction::text,
       coalesce(array_agg(distinct table_name) filter (where table_name <> 'audit_events'
         and not table_name = any($2) and not coalesce(columns <@ $3, false)), '{}') as tables,
       coalesce(array_agg(distinct action) filter (where table_name = 'audit_events'), '{}')
         as actions,
       count(*) filter (where table_name = 'audit_events') > count(distinct
         concat(action, ' ', organization_id)) filter (where table_name = 'audit_events') as twice,
       coalesce(array_agg(distinct request_id) filter (where table_name = 'audit_events'), '{}')
         as "requestIds",
       coalesce(array_agg(idempotency_key) filter (where table_name = 'idempotency_keys'
         and columns is null), '{}') as "idempotencyKeys"
     from change_log where made_by <> $1 group by transaction`,
    [FIXTURES, BOOKKEEPING, NOTED],
  )
  return rows
}

/** Tries to rewrite the audit log. Returns what the database let pass. */
export async function tryToRewrite(pool: Pool): Promise<string[]> {
  const passed: string[] = []
  for (const statement of [
    `update audit_events set action = 'nothing'`,
    `update audit_events set made_at = made_at - interval '1 day'`,
    `delete from audit_events`,
    `delete from audit_events_default`,
  ])
    await pool.query(statement).then(
      ({ rowCount }) => (rowCount === 0 ? undefined : passed.push(statement)),
      () => undefined,
    )
  return passed
}

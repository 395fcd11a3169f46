import { sql, type Kysely } from 'kysely'
import { HOUR_MS } from '../../../src/lib/time.ts'
import type { Tables } from '../../../src/store/postgres/tables.ts'

// Rows that tests of the operator's pages need in numbers.

/** Accounts, organizations, members and keys. */
export async function fillLists(database: Kysely<Tables>, rows: number): Promise<void> {
  await sql`insert into accounts (id, email, state, registered_at, platform_role)
    select gen_random_uuid(), 'person-' || lpad(n::text, 6, '0') || '@example.com',
      case when n % 3 = 0 then 'waiting' when n % 50 = 1 then 'restricted' else 'active' end,
      now(), case when n % 100 = 1 then 'support' end
    from generate_series(1, ${rows}::int) as n`.execute(database)
  await sql`insert into organizations (id, slug, name, plan)
    select gen_random_uuid(), 'slug-' || n, case when n % 2 = 0 then 'Same' else 'Name ' || n end,
      'any' from generate_series(1, ${rows}::int) as n`.execute(database)
  await sql`insert into management_keys
      (id, organization_id, name, hash, prefix, last4, scopes, created_by, expires_at)
    select gen_random_uuid(), case when n % 10 > 0 then (select id from organizations limit 1) end,
      'key', sha256(n::text::bytea), 'headrace_mk_', 'abcd', '{platform:read}',
      (select id from accounts limit 1), now() from generate_series(1, ${rows}::int) as n`.execute(
    database,
  )
  await sql`insert into memberships (organization_id, account_id, role)
    select (select id from organizations order by slug limit 1), id, 'member'
    from accounts`.execute(database)
  await sql`insert into projects (id, organization_id, name)
    select gen_random_uuid(), id, 'default' from organizations order by slug limit 2`.execute(
    database,
  )
  await sql`insert into api_keys (id, project_id, name, hash, prefix, last4, revoked_at)
    select gen_random_uuid(), projects.id, 'key', sha256((projects.id::text || n)::bytea),
      'headrace_sk_', 'abcd', case when n % 4 > 0 then now() end
    from projects, generate_series(1, ${rows}::int) as n`.execute(database)
  for (const table of ['accounts', 'organizations', 'management_keys', 'memberships', 'api_keys'])
    await sql`vacuum analyze ${sql.table(table)}`.execute(database)
}

/** As the worker writes them. */
export async function addReconciliations(
  database: Kysely<Tables>,
  hours: number,
  differing: (back: number) => boolean,
): Promise<void> {
  const nowMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const rows = Array.from({ length: hours }, (_, back) => back)
  await sql`insert into reconciliations (hour, source, name, ledger_records, ledger_prompt,
      ledger_completion, counted_records, counted_prompt, counted_completion, difference)
    select hour, 'usage_log', 'all', 1, 2, 3, 1, 2, 3, difference
    from unnest(${rows.map((back) => new Date(nowMs - back * HOUR_MS))}::timestamptz[],
      ${rows.map((back) => (differing(back) ? 7 : 0))}::bigint[]) as given (hour, difference)
    on conflict (hour, source, name) do update set difference = excluded.difference`.execute(
    database,
  )
  await sql`analyze reconciliations`.execute(database)
}

export async function addLedgerAccounts(database: Kysely<Tables>, count: number): Promise<void> {
  await sql`insert into ledger_accounts (id)
    select 'funds:' || gen_random_uuid() from generate_series(1, ${count}::int)`.execute(database)
}

/** As nothing but a manual change does. */
export async function unbalance(database: Kysely<Tables>, by: number): Promise<void> {
  await sql`update ledger_accounts set debits = debits + ${by}::bigint
    where id = 'revenue'`.execute(database)
}

export async function addWaiting(database: Kysely<Tables>, count: number): Promise<void> {
  await sql`insert into accounts (id, email)
    select id, id || '@example.com'
    from (select gen_random_uuid() as id from generate_series(1, ${count}::int)) as made`.execute(
    database,
  )
}

import type { Client } from 'pg'

/**
 * Roles of processes. They own nothing, so they can neither change tables nor empty them; only
 * `migrate` needs the role of the owner.
 */
export const ROLES = {
  api: 'headrace_api',
  worker: 'headrace_worker',
  console: 'headrace_console',
} as const

export type RoleOf = keyof typeof ROLES

/** All that the API does in PostgreSQL. Usage goes to Valkey, from where the worker posts it. */
const API_GRANTS = [
  `select on accounts, api_keys, books, content_keys, ledger_accounts, memberships, organizations,
     projects, usage_daily`,
  'update (last_used_at) on api_keys',
  'update (version) on organizations',
  'insert on content_keys, retained_content',
  // The one row with the currency, if the first to start is an API.
  'insert on books',
  // To lock a row needs the right to update one of its columns.
  'update (day) on content_keys',
  // Of content that is there already it sees only that it is.
  'select (retention, kept_on, id) on retained_content',
]

/**
 * All that the worker does in PostgreSQL, by job. Jobs that are not listed use Valkey alone. What
 * needs the rights of the owner is done by functions that check their arguments.
 */
export const WORKER_GRANTS: Readonly<Record<string, readonly string[]>> = {
  start: ['select, insert on books'],
  'post-usage': [
    'select, insert, update on usage_records, usage_hourly, usage_daily, usage_totals',
    'select, insert on usage_transfers, ledger_accounts',
    'update (amount) on usage_transfers',
    'update (debits, credits) on ledger_accounts',
    'select (id) on organizations',
  ],
  'announce-versions': [
    'select, delete on announcements',
    'select (id, version) on organizations',
    'update (version) on organizations',
  ],
  'announce-orders': [
    'select on engine_orders, engine_orders_version',
    'update (version) on engine_orders_version',
  ],
  'issue-statements': [
    'select, insert on statements, statement_cells',
    'select (id, created_at, deleted_at, plan) on organizations',
    'select on usage_daily, ledger_accounts',
    'select (organization_id, kind, state, amount, issued_at) on payments',
    `insert (id, organization_id, kind, amount, currency, statement_month, expires_at, next_at)
       on payments`,
  ],
  'sum-ledger': ['select on ledger_accounts', 'update (sum, summed_at) on books'],
  'make-partitions': [
    'execute on function create_partition',
    `select on usage_records_default, usage_hourly_default, usage_daily_default,
       usage_transfers_default`,
    'select (kept_on) on retained_standard_default, retained_contributor_default',
    'select (made_at) on audit_events_default',
  ],
  'purge-content': [
    'execute on function drop_partition, delete_stray_content',
    'select (organization_id, retention, day) on content_keys',
    'delete on content_keys',
    'select (id, retention, deleted_at) on organizations',
  ],
  'purge-people': ['execute on function delete_expired, forget_deleted'],
  'expire-usage': ['execute on function drop_partition'],
  'record-alerts': [
    `select (id, organization_id, project_id, thresholds, version, checked_month, checked_spent,
       checked_total) on spending_alerts`,
    'update (checked_month, checked_spent, checked_total) on spending_alerts',
    'select on ledger_accounts, usage_totals',
    'select (alert_id, month, threshold) on sent_alerts',
    'insert (alert_id, month, threshold, spent) on sent_alerts',
  ],
  'expire-credits': [
    'execute on function expire_credit',
    'select on credit_lots, ledger_accounts',
    'update (remaining, attributed, told_at) on credit_lots',
    'insert (key, kind, organization_id, facts) on queued_emails',
    // To find an email that is there already.
    'select (key) on queued_emails',
    // To lock a row needs the right to update one of its columns.
    'select (id) on organizations',
    'update (version) on organizations',
  ],
  'start-top-ups': [
    `select (organization_id, enabled, paused, not_before, threshold, amount, month_max, day_max,
       consented_by, attempted_at, bound, bound_at) on automatic_top_ups`,
    'update (attempted_at, bound, bound_at) on automatic_top_ups',
    'select (id, plan, billing_state, suspended_at, deleted_at) on organizations',
    // To lock a row needs the right to update one of its columns.
    'update (version) on organizations',
    'select (organization_id, card_ref) on provider_customers',
    'select on ledger_accounts',
    `select (id, organization_id, kind, state, amount, tax, total_max, created_at) on payments`,
    `insert (id, organization_id, kind, amount, currency, started_by, card_ref, total_max,
       expires_at, next_at) on payments`,
    'insert (key, kind, organization_id, facts) on queued_emails',
    'select (key) on queued_emails',
  ],
  // With the correction of funds in Valkey.
  reconcile: [
    'select, insert, update on reconciliations',
    'select on ledger_accounts, usage_records, usage_hourly, usage_daily',
    'select (id) on organizations',
    'select (id, organization_id, project_id, limits_id, spending_limit) on api_keys',
  ],
  // `headrace doctor` runs where the worker runs, because it tries the engines.
  doctor: ['select on migrations'],
}

/** Tables only: the schema may have views of extensions, which belong to somebody else. */
const FIND = `
  select quote_ident(current_schema()) as schema,
    (select string_agg(oid::regclass::text, ', ') from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
       and pg_has_role(relowner, 'usage')) as tables,
    (select string_agg(oid::regprocedure::text, ', ') from pg_proc
     where pronamespace = current_schema()::regnamespace and prosecdef
       and pg_has_role(proowner, 'usage')) as functions,
    (select string_agg(relid::text, ', ') from pg_partition_tree('audit_events')) as audit,
    array(select rolname::text from pg_roles where rolname = any($1)) as roles`

type Found = {
  readonly schema: string
  readonly tables: string
  readonly functions: string
  readonly audit: string
  readonly roles: readonly string[]
}

/**
 * Gives the roles that exist exactly their rights. Operators create them, and need not: without
 * them every process has the role of the owner.
 */
export async function grantRoles(client: Pick<Client, 'query'>): Promise<void> {
  const { rows } = await client.query<Found>(FIND, [Object.values(ROLES)])
  const found = rows[0]!
  await client.query('begin')
  for (const role of found.roles) {
    await client.query(`revoke all on ${found.tables} from ${role}`)
    await client.query(`revoke all on function ${found.functions} from ${role}`)
    await client.query(`grant usage on schema ${found.schema} to ${role}`)
    for (const rights of grantsOf(role)) await client.query(`grant ${rights} to ${role}`)
    if (role === ROLES.console) await grantConsole(client, found)
  }
  await client.query('commit')
}

function grantsOf(role: string): readonly string[] {
  if (role === ROLES.api) return API_GRANTS
  return role === ROLES.worker ? Object.values(WORKER_GRANTS).flat() : []
}

/** The console manages everything, but it only adds to the audit log. */
async function grantConsole(
  client: Pick<Client, 'query'>,
  { tables, audit }: Found,
): Promise<void> {
  const role = ROLES.console
  await client.query(`grant select, insert, update, delete on ${tables} to ${role}`)
  await client.query(`revoke update, delete on ${audit} from ${role}`)
  // But for people who were deleted, whom it makes nameless.
  await client.query(`grant execute on function forget_person to ${role}`)
  await client.query(`revoke insert, update, delete on migrations from ${role}`)
}

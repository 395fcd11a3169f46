import type { Client } from 'pg'

/**
 * Roles of processes that clients reach. They own nothing, so they can neither change tables nor
 * empty them. The worker makes and drops partitions, so it has the role of the owner, as `migrate`.
 */
export const ROLES = { api: 'headrace_api', console: 'headrace_console' } as const

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

/** Tables only: the schema may have views of extensions, which belong to somebody else. */
const FIND = `
  select quote_ident(current_schema()) as schema,
    (select string_agg(oid::regclass::text, ', ') from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
       and pg_has_role(relowner, 'usage')) as tables,
    (select string_agg(relid::text, ', ') from pg_partition_tree('audit_events')) as audit,
    array(select rolname::text from pg_roles where rolname = any($1)) as roles`

/**
 * Gives the roles that exist exactly their rights. Operators create them, and need not: without
 * them every process has the role of the owner.
 */
export async function grantRoles(client: Pick<Client, 'query'>): Promise<void> {
  type Found = { schema: string; tables: string; audit: string; roles: string[] }
  const { rows } = await client.query<Found>(FIND, [Object.values(ROLES)])
  const { schema, tables, audit, roles } = rows[0]!
  await client.query('begin')
  for (const role of roles) {
    await client.query(`revoke all on ${tables} from ${role}`)
    await client.query(`grant usage on schema ${schema} to ${role}`)
    if (role === ROLES.api) {
      for (const rights of API_GRANTS) await client.query(`grant ${rights} to ${role}`)
    } else {
      // The console manages everything, but it only adds to the audit log.
      await client.query(`grant select, insert, update, delete on ${tables} to ${role}`)
      await client.query(`revoke update, delete on ${audit} from ${role}`)
      // But for people who were deleted, whom it makes nameless.
      await client.query(`grant execute on function forget_person to ${role}`)
      await client.query(`revoke insert, update, delete on migrations from ${role}`)
    }
  }
  await client.query('commit')
}

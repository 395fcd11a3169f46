import { Client, type Pool } from 'pg'
import { DAY_MS } from '../../../src/lib/time.ts'
import { createPartitions, dayOf } from '../../../src/store/postgres/partitions.ts'
import type { Place } from '../../harness/routes/things.ts'

export type Size = {
  readonly organizations: number
  readonly keys: number
  /** Of the first organization, which has most of everything. */
  readonly keysOfLargest: number
  readonly members: number
  readonly projects: number
  /** Usage records and audit events of the largest organization. */
  readonly events: number
  /** Keys of the largest organization that are used every day. */
  readonly keysInUse: number
}

export const DAYS = 90

/** An id that sorts by its number, like those that the service makes. */
const ID = `
  create function made_id(kind int, number bigint) returns uuid immutable language sql as $$
  select (lpad(to_hex(1750000000000 + number), 12, '0') || '7' || lpad(to_hex(kind), 3, '0') ||
    '8000' || lpad(to_hex(number), 12, '0'))::uuid $$`

const KIND = { organization: 1, account: 2, project: 3, key: 4, other: 5 } as const
const id = (kind: keyof typeof KIND, number: string) => `made_id(${KIND[kind]}, ${number})`

/** Fills all tables that grow. Foreign keys and triggers rest, because every row is made to fit. */
export async function fill(url: string, pool: Pool, size: Size): Promise<Place> {
  const [first, last] = [dayOf(Date.now() - DAYS * DAY_MS), dayOf(Date.now())]
  await createPartitions(pool, 'usage_records', first, last)
  await createPartitions(pool, 'audit_events', first, last)
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(ID)
    await client.query(`set session_replication_role = replica; set synchronous_commit = off`)
    for (const statement of statementsOf(size)) await client.query(statement)
    await client.query('vacuum analyze')
    const ids = `select ${id('organization', '1')} as "organizationId",
      ${id('project', '1')} as "projectId", ${id('account', '1')} as "ownerId"`
    return (await client.query<Place>(ids)).rows[0]!
  } finally {
    await client.end()
  }
}

function statementsOf(size: Size): string[] {
  return [...people(size), ...keys(size), ...history(size), ...usage(size)]
}

/** Account n owns organization n; the largest organization has many members. */
function people({ organizations, members, projects }: Size): string[] {
  const [all, more] = [`generate_series(1, ${organizations}) n`, organizations + members]
  return [
    `insert into accounts (id, email, name, state, registered_at)
     select ${id('account', 'n')}, 'person-' || n || '@example.com', 'Person ' || n,
       case when n % 10 = 0 and n <= ${organizations} then 'waiting' else 'active' end, now()
     from generate_series(1, ${more}) n`,
    `insert into organizations (id, slug, name, plan)
     select ${id('organization', 'n')}, 'organization-' || n, 'Organization ' || n, 'ample'
     from ${all}`,
    `insert into memberships (organization_id, account_id, role)
     select ${id('organization', 'n')}, ${id('account', 'n')}, 'owner' from ${all}
     union all
     select ${id('organization', '1')}, ${id('account', 'n')}, 'member'
     from generate_series(${organizations + 1}, ${more}) n`,
    `insert into projects (id, organization_id, name)
     select ${id('project', 'n')}, ${id('organization', 'n')}, 'default' from ${all}
     union all
     select ${id('project', 'n')}, ${id('organization', '1')}, 'project ' || n
     from generate_series(${organizations + 1}, ${organizations + projects}) n`,
    `insert into ledger_accounts (id, organization_id, credits)
     select 'funds:' || ${id('organization', 'n')}, ${id('organization', 'n')}, 1000000 from ${all}
     union all select 'usage:' || ${id('organization', 'n')}, ${id('organization', 'n')}, 0
     from ${all}`,
    `insert into sessions (id, token_hash, account_id, ends_at, idle_minutes, methods)
     select ${id('other', 'n')}, sha256(('session' || n)::bytea), ${id('account', 'n')},
       now() + interval '1 day', 600, '{password}' from ${all}`,
    `insert into invitations (id, organization_id, email, role, token_hash, ends_at)
     select ${id('other', 'n')}, ${id('organization', '1')}, 'invited-' || n || '@example.com',
       'member', sha256(('invitation' || n)::bytea), now() + interval '7 days'
     from generate_series(1, ${members}) n`,
  ]
}

/** Members of the largest organization own its keys in turn. */
function keys({ organizations, keys: count, keysOfLargest, members }: Size): string[] {
  const of = `case when n <= ${keysOfLargest} then 1 else 2 + n % ${organizations - 1} end`
  const owner = `case when n <= ${keysOfLargest} then ${organizations} + 1 + n % ${members}
    else 2 + n % ${organizations - 1} end`
  const place = `${id('project', of)}, ${id('organization', of)}, ${id('account', owner)}`
  const scopes = `'{keys:read}', ${id('account', '1')}, now() + interval '90 days'`
  return [
    `insert into api_keys (id, project_id, organization_id, created_by, name, hash, prefix, last4,
       revoked_at)
     select ${id('key', 'n')}, ${place}, 'key ' || n, sha256(('key' || n)::bytea), 'headrace_sk_',
       lpad(to_hex(n % 65536), 4, '0'), case when n % 3 = 0 then now() end
     from generate_series(1, ${count}) n`,
    `insert into management_keys (id, organization_id, name, hash, prefix, last4, scopes,
       created_by, expires_at)
     select ${id('other', 'n')}, ${id('organization', '1')}, 'key ' || n,
       sha256(('management' || n)::bytea), 'headrace_mk_', '0000', ${scopes}
     from generate_series(1, 500) n`,
  ]
}

/** A time of number n, the latest last. */
const at = (events: number) =>
  `now() - (${events} - n) * interval '${((DAYS * DAY_MS) / 1000 / events).toFixed(6)} seconds'`

function history({ organizations, events }: Size): string[] {
  const made = (who: string, count: number) => `
    insert into audit_events (made_at, id, organization_id, actor_kind, actor_id, actor_label,
      action, target_kind, target_id, changes)
    select ${at(count)}, uuidv7(${at(count)} - now()), ${who}, 'person',
      ${id('account', '1')}::text,
      'person-1@example.com', (array['key.create', 'key.revoke', 'member.change'])[1 + n % 3],
      'key', ${id('key', 'n')}::text, '{}'
    from generate_series(1, ${count}) n`
  const funds = `'funds:' || ${id('organization', '1')}`
  return [
    made(id('organization', '1'), events),
    made(id('organization', `2 + n % ${organizations - 1}`), events),
    `insert into transfers (id, debit_account, credit_account, amount, kind, reference, made_by,
       reason, made_at)
     select ${id('other', 'n')}, 'grants', ${funds}, 1, 'grant', 'reference ' || n, 'test',
       'a test', now() - n * interval '1 minute'
     from generate_series(1, ${Math.ceil(events / 10)}) n`,
  ]
}

function usage({ events, keysInUse }: Size): string[] {
  const counts = 'requests, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost'
  const who = `${id('organization', '1')}, ${id('project', '1')}, ${id('key', 'k')}, 'demo'`
  const sums = '10, 1000, 0, 500, 0, 100'
  const tens = Math.max(1, Math.floor(keysInUse / 10))
  const columns = 'organization_id, project_id, credential_id, model'
  const record = `0, 'completed', 'engine', 100, 0, 50, 0, 10`
  return [
    `insert into usage_daily (day, ${columns}, ${counts})
     select current_date - d, ${who}, ${sums}
     from generate_series(0, ${DAYS - 1}) d, generate_series(1, ${keysInUse}) k`,
    `insert into usage_hourly (hour, ${columns}, ${counts})
     select date_trunc('hour', now()) - h * interval '1 hour', ${who}, ${sums}
     from generate_series(0, ${DAYS * 24 - 1}) h, generate_series(1, ${tens}) k`,
    `insert into usage_records (opened_on, id, ${columns}, log_partition, outcome, basis,
       prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost, settled_at)
     select (opened at time zone 'utc')::date, uuidv7(opened - now()), ${who}, ${record}, opened
     from (select n, 1 + n % ${keysInUse} as k, ${at(events)} as opened
       from generate_series(1, ${events}) n) as made`,
  ]
}

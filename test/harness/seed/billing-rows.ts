import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { dayOf } from '../../../src/store/postgres/partitions.ts'

type Queries = Pick<Pool, 'query'>

/** Adds a cost to the sums and to the ledger, as posting does. */
export async function addUsage(
  pool: Queries,
  organization: { readonly id: string; readonly projectId: string },
  cost: number,
  timeMs = Date.now(),
): Promise<void> {
  const { id, projectId } = organization
  await pool.query(
    `insert into usage_daily (day, organization_id, project_id, credential_id, model, requests,
       prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost)
     values ($1, $2, $3, $4, 'example/large', 2, 100, 40, 20, 5, $5)`,
    [dayOf(timeMs), id, projectId, crypto.randomUUID(), cost],
  )
  await pool.query(
    `insert into ledger_accounts (id, organization_id, debits) values ($1, $2, $3)
     on conflict (id) do update set debits = ledger_accounts.debits + excluded.debits`,
    [`usage:${id}`, id, cost],
  )
}

/** Adds transfers, of which every other one is negative if both sides are wanted. */
export async function addTransfers(
  pool: Queries,
  organizationId: string,
  count: number,
  bothSides: boolean,
): Promise<void> {
  await pool.query(
    `insert into transfers (id, debit_account, credit_account, amount, kind, reference, made_by,
       reason)
     select uuidv7(), case when n % 2 = 0 or not $3 then 'grants' else $1 end,
       case when n % 2 = 0 or not $3 then $1 else 'grants' end, 1, 'grant', $1 || n, 'test', 'test'
     from generate_series(1, $2::int) as n`,
    [`funds:${organizationId}`, count, bothSides],
  )
  await pool.query('analyze transfers')
}

/** Adds keys, the first ones revoked. */
type NewKeys = {
  readonly revoked: number
  readonly working: number
  /** The account they belong to; default: the organization. */
  readonly of?: string | null
}

export async function addKeys(
  pool: Queries,
  projectId: string,
  { revoked, working, of = null }: NewKeys,
): Promise<void> {
  const salt = randomUUID()
  await pool.query(
    `insert into api_keys (id, project_id, name, hash, prefix, last4, created_by, revoked_at)
     select uuidv7(), $1::uuid, 'many', sha256(n::text::bytea || $5::uuid::text::bytea),
       'headrace_sk_', 'abcd', $4::uuid, case when n <= $2 then now() end
     from generate_series(1, $2::int + $3::int) as n`,
    [projectId, revoked, working, of, salt],
  )
  await pool.query('analyze api_keys')
}

export type EventRow = {
  readonly id: string
  readonly made_at: Date
  readonly actor_id: string
  readonly action: string
  readonly target_id: string
}

export async function addAuditEvents(
  pool: Queries,
  organizationId: string,
  rows: readonly EventRow[],
): Promise<void> {
  await pool.query(
    `insert into audit_events (organization_id, actor_kind, actor_label, target_kind, id, made_at,
       actor_id, action, target_id)
     select $1, 'person', 'a@example.com', 'key', * from unnest($2::uuid[], $3::timestamptz[],
       $4::text[], $5::text[], $6::text[])`,
    [
      organizationId,
      rows.map(({ id }) => id),
      rows.map(({ made_at }) => made_at),
      rows.map(({ actor_id }) => actor_id),
      rows.map(({ action }) => action),
      rows.map(({ target_id }) => target_id),
    ],
  )
  await pool.query('analyze audit_events')
}

export async function setCreation(pool: Queries, organizationId: string, at: Date): Promise<void> {
  await pool.query('update organizations set created_at = $2 where id = $1', [organizationId, at])
}

export async function expireSupportAccess(pool: Queries, organizationId: string): Promise<void> {
  await pool.query('update support_access set ends_at = now() where organization_id = $1', [
    organizationId,
  ])
}

/** How many rows of content somebody with all keys could read. */
export async function countReadable(pool: Queries, organizationId: string): Promise<number> {
  const { rowCount } = await pool.query(
    `select 1 from retained_content join content_keys on content_keys.id = key_id
     where retained_content.organization_id = $1`,
    [organizationId],
  )
  return rowCount ?? 0
}

/** Content keys of the days before this one, of both kinds. */
export async function addContentKeys(
  pool: Queries,
  organizationId: string,
  days: number,
): Promise<void> {
  await pool.query(
    `insert into content_keys (id, organization_id, retention, day, wrapped)
     select gen_random_uuid(), $1, kind, $2::date - n, ''
     from generate_series(1, $3::int) as n, unnest(array['standard', 'contributor']) as kind`,
    [organizationId, dayOf(Date.now()), days],
  )
}

/** Everything that is stored about alerts of an organization, as text. */
export async function readAlertRows(pool: Queries, organizationId: string): Promise<string> {
  const { rows } = await pool.query(
    `select to_jsonb(a) as row from audit_events a where organization_id = $1
     union all select to_jsonb(s) from spending_alerts s where organization_id = $1`,
    [organizationId],
  )
  return JSON.stringify(rows)
}

/** Project (or `-`), threshold and spending of what was reached. */
export async function readReached(pool: Queries, organizationId: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select coalesce(projects.name, '-') || ' ' || threshold || ' ' || spent as name
     from sent_alerts join spending_alerts alert on alert.id = alert_id
     left join projects on projects.id = project_id
     where alert.organization_id = $1 order by project_id nulls first, threshold`,
    [organizationId],
  )
  return rows.map(({ name }) => name)
}

export type QueuedAlert = {
  readonly name: string
  readonly delivered: readonly string[]
  readonly sent: boolean
  readonly givenUp: boolean
  readonly attempts: number
  /** Until the next attempt. */
  readonly seconds: number
}

/** The alerts of projects, by the project's name. */
export async function readQueue(pool: Queries): Promise<QueuedAlert[]> {
  const { rows } = await pool.query<QueuedAlert>(
    `select projects.name, delivered, sent_at is not null as sent,
       given_up_at is not null as "givenUp", attempts,
       extract(epoch from next_at - now())::int as seconds
     from sent_alerts join spending_alerts alert on alert.id = alert_id
     join projects on projects.id = project_id`,
  )
  return rows
}

/** Alerts of new projects that were reached and are due. */
export async function addDueAlerts(
  pool: Queries,
  organizationId: string,
  count: number,
): Promise<void> {
  await pool.query(
    `with projects_ as (
       insert into projects (id, organization_id, name)
       select gen_random_uuid(), $1, n::text from generate_series(1, $2::int) as n returning id
     ), alerts as (
       insert into spending_alerts (id, organization_id, project_id, thresholds, emails)
       select gen_random_uuid(), $1, id, '{1}', '{jane@example.com}' from projects_ returning id
     ) insert into sent_alerts (alert_id, month, threshold, spent)
     select id, '2026-01-01', 1, 1 from alerts`,
    [organizationId, count],
  )
}

/** Time passes for alerts that were not sent. */
export async function passTime(pool: Queries, seconds: number): Promise<void> {
  await pool.query(
    `update sent_alerts set next_at = next_at - $1 * interval '1 second',
       reached_at = reached_at - $1 * interval '1 second' where sent_at is null`,
    [seconds],
  )
}

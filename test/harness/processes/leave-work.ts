import { uuidV7 } from '../../../src/lib/uuid.ts'
import { raiseVersion } from '../../../src/store/limits/raise-version.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { fleetKey, organizationKeys } from '../../../src/store/valkey/keys.ts'
import { addUsage } from '../seed/billing-rows.ts'
import { openWithCredit } from '../seed/credits.ts'
import { openOrganization } from '../seed/tenants.ts'
import { usageRecord } from '../seed/usage-records.ts'
import { connectValkey } from '../servers/valkey.ts'

/**
 * Leaves work for every job of a worker that uses PostgreSQL. Returns for each of them whether it
 * is done.
 */
export async function leaveWork(
  owner: Postgres,
  valkeyUrl: string,
  currency: string,
): Promise<Record<string, () => Promise<boolean>>> {
  const ask = (text: string, values: unknown[] = []) => owner.pool.query(text, values)
  await ask(`insert into books (currency) values ($1) on conflict do nothing`, [currency])
  await using connection = await connectValkey([valkeyUrl])
  const { id, projectId } = await openOrganization(owner.database, 'default')
  const record = usageRecord({ organizationId: id, projectId })
  const { usage } = organizationKeys(id)
  await connection.call('XADD', [usage, '*', 'record', JSON.stringify(record)])
  // Valkey knows a later version, and later orders: PostgreSQL has lost some.
  await raiseVersion(connection, { organizationId: id, version: 41 }, 0)
  await ask(`insert into announcements values ($1, 2, now() - interval '1 hour')`, [id])
  await connection.call('SET', [fleetKey('main', 'orders-version'), '9000000000000000'])
  const account = uuidV7()
  await ask(`insert into accounts (id, email, state, deleted_at)
    values ('${account}', 'x@deleted.invalid', 'restricted', now())`)
  await ask(`insert into sessions (id, token_hash, account_id, ends_at, idle_minutes, methods)
    values (uuidv7(), sha256('1'), '${account}', now() - interval '1 day', 1, '{}'),
      (uuidv7(), sha256('2'), '${account}', now() + interval '1 day', 1, '{}')`)
  const event = `'account', '${account}', 'late@example.com', 'key.create', 'key', 'x', '{}'`
  await ask(`insert into audit_events (made_at, id, actor_kind, actor_id, actor_label, action,
      target_kind, target_id, changes) values ('2021-03-16', uuidv7(), ${event})`)
  await ask(`insert into spending_alerts (id, organization_id, thresholds)
    values (uuidv7(), '${id}', '{100}')`)
  await leaveTopUp(owner, id, account)
  await addUsage(owner.pool, { id, projectId }, 100)
  await ask(`update organizations set created_at = '2021-03-16' where id = '${id}'`)
  await ask(`insert into usage_daily (day, organization_id, project_id, credential_id, model,
      requests, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost)
    values (now() - interval '31 days', '${id}', '${projectId}', uuidv7(), 'x', 1, 1, 0, 1, 0, 1)`)
  for (const table of ['usage_records', 'retained_standard', 'retained_contributor'])
    await ask(`select create_partition($1, '2021-03-16')`, [table])
  await ask(`select create_partition('usage_transfers', '2021-03-01')`)
  await ask(
    `insert into usage_transfers values ('2021-03-16', 'usage:${id}', 'revenue', 'usage', 7)`,
  )
  await ask(`insert into content_keys (id, organization_id, retention, day, wrapped)
    values (uuidv7(), '${id}', 'standard', '2021-03-16', decode(repeat('00', 68), 'hex'))`)
  await openWithCredit(owner, 2)
  const gone = (name: string) => `select where to_regclass('${name}') is null`
  const done = {
    'post-usage': `select from usage_records where id = '${record.id}'`,
    'announce-versions': `select from organizations where id = '${id}' and version > 41
      and not exists (select from announcements)`,
    'announce-orders': 'select from engine_orders_version where version > 9000000000000000',
    'issue-statements': 'select from statement_cells where requests = 1',
    'sum-ledger': 'select from books where summed_at is not null',
    'make-partitions': `select from audit_events_20210301
      where not exists (select from audit_events_default)`,
    'purge-people': `select where not exists (select from sessions)
      and not exists (select from audit_events where actor_label = 'late@example.com')`,
    'record-alerts': 'select from sent_alerts where threshold = 100',
    'expire-credits': `select from transfers where kind = 'expiry' and amount = 10`,
    'start-top-ups': `select from payments where kind = 'automatic'`,
    reconcile: `select from reconciliations where name = 'all'`,
    'expired usage': gone('usage_records_20210316'),
    'opening of transfers': `select from usage_transfers where kind = 'opening' and amount = 7
      and not exists (select from usage_transfers where amount = 7 and kind = 'usage')`,
    'expired standard content': gone('retained_standard_20210316'),
    'expired contributions': gone('retained_contributor_20210316'),
    'expired content keys': 'select where not exists (select from content_keys)',
  }
  const isDone = (text: string) => async () => (await ask(text)).rowCount === 1
  return Object.fromEntries(Object.entries(done).map(([job, text]) => [job, isDone(text)]))
}

async function leaveTopUp({ pool }: Postgres, id: string, account: string): Promise<void> {
  await pool.query(`insert into provider_customers (organization_id, ref, card_ref)
    values ('${id}', 'cus_1', 'pm_1')`)
  await pool.query(`insert into automatic_top_ups
      (organization_id, threshold, amount, month_max, day_max, consent, consented_by)
    values ('${id}', 10, 10, 10, 5, '1', '${account}')`)
}

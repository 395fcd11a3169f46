import { Socket } from 'node:net'
import { Client } from 'pg'
import { compareClocks, type ClockComparison } from '../../lib/compare-clocks.ts'
import { addDays, dayOf, findMissingPartitions } from './partitions.ts'
import { compareMigrations, type MigrationState } from './migrate.ts'
import { ROLES } from './grant-roles.ts'
import { COUNT_SEALED, MAY_READ_SEALED, type SealedCount } from './sealed-places.ts'

/** What a PostgreSQL server says about itself, for `headrace doctor`. Nothing is changed. */
export type PostgresInspection = Disposable & {
  readServer(): Promise<ServerFacts>
  readRights(): Promise<Rights>
  readMigrations(): Promise<MigrationState>
  /** The currency of the ledger; undefined before its first use. */
  readCurrency(): Promise<string | undefined>
  /** Tables without a partition for one of the days from today on, or with rows outside of all. */
  readPartitions(daysAhead: number): Promise<{ missing: string[]; strays: string[] }>
  /** How many secrets each key has sealed; undefined for a role that may not read them. */
  readSealed(): Promise<readonly SealedCount[] | undefined>
  readConnections(): Promise<{ readonly used: number; readonly most: number }>
  readClock(): Promise<ClockComparison>
  readPayments(): Promise<PaymentFigures>
  readUninvoiced(owing: Owing): Promise<Uninvoiced>
}

/** Organizations on these plans that owe at least so much, in micro-units. */
export type Owing = { readonly plans: readonly string[]; readonly least: number }

export type Uninvoiced = { readonly organizations: number; readonly owed: number }

export type PaymentFigures = {
  /** At the provider; null before the first console has asked it. */
  readonly account: string | null
  readonly live: boolean | null
  readonly polledAt: Date | null
  readonly webhookAt: Date | null
  /** Events of the last day, and those of them that no webhook told. */
  readonly heard: number
  readonly heardByPoll: number
  readonly attention: number
  /** Days ago of the first payment, and of the last day that was compared; null for none. */
  readonly firstDaysAgo: number | null
  readonly comparedDaysAgo: number | null
  /** Between the provider's books and the ledger, in micro-units. */
  readonly difference: number
}

type ServerFacts = {
  readonly version: number
  readonly read_only: string
  readonly fsync: string
  readonly full_page_writes: string
  readonly synchronous_commit: string
  readonly archive_mode: string
  /** Null if nothing was ever archived. */
  readonly archiving_fails: boolean | null
  readonly replicas: number
}

type Rights = {
  readonly role: string
  readonly may_create: boolean | null
  readonly owns_tables: boolean | null
  /** Which roles of processes exist. */
  readonly roles: readonly string[]
}

const SERVER = `
  select current_setting('server_version_num')::int as version,
         current_setting('transaction_read_only') as read_only,
         current_setting('fsync') as fsync,
         current_setting('full_page_writes') as full_page_writes,
         current_setting('synchronous_commit') as synchronous_commit,
         current_setting('archive_mode') as archive_mode,
         (select last_failed_time > coalesce(last_archived_time, '-infinity')
          from pg_stat_archiver) as archiving_fails,
         (select count(*) from pg_stat_replication)::int as replicas`

const RIGHTS = `
  select current_user::text as role,
         array(select rolname::text from pg_roles where rolname = any($1)) as roles,
         has_schema_privilege(current_schema(), 'create') as may_create,
         (select bool_and(pg_has_role(relowner, 'usage')) from pg_class
          where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
         ) as owns_tables`

// Unlike pg_stat_activity, these counts are shown to every role.
const CONNECTIONS = `
  select (select sum(numbackends) from pg_stat_database)::int as used,
         current_setting('max_connections')::int
           - current_setting('superuser_reserved_connections')::int as most`

const PAYMENTS = `
  select (select provider_account from books) as account, (select provider_live from books) as live,
         (select polled_at from provider_cursors where name = 'events') as "polledAt",
         (select max(made_at) from provider_events where source = 'webhook') as "webhookAt",
         (select count(*)::int from provider_events
          where made_at > now() - interval '1 day') as heard,
         (select count(*)::int from provider_events
          where made_at > now() - interval '1 day' and source = 'poll') as "heardByPoll",
         (select count(*)::int from payments where state = 'attention') as attention,
         (select (now() at time zone 'utc')::date - (created_at at time zone 'utc')::date
          from payments order by id limit 1) as "firstDaysAgo",
         (select (now() at time zone 'utc')::date - max(day) from provider_days)
           as "comparedDaysAgo",
         (select coalesce(sum(difference), 0)::float8 from provider_days
          where alert and compared_until > now()) as difference`

// As issue-statements.ts counts it for the months that are over.
const UNINVOICED = `
  select count(*)::int as organizations, coalesce(sum(owed), 0)::float8 as owed
  from (
    select -coalesce((select sum(credits - debits) from ledger_accounts
        where ledger_accounts.id in ('funds:' || o.id, 'usage:' || o.id)), 0)
      - coalesce((select sum(cost) from usage_daily where organization_id = o.id
          and day >= date_trunc('month', now() at time zone 'utc')::date), 0) as owed
    from organizations o where deleted_at is null and plan = any($1)
  ) debts
  where owed >= $2 and not exists (select from payments where kind = 'invoice')`

const CLOCK = 'select (extract(epoch from clock_timestamp()) * 1000)::text as now_ms'

/** Connects at once; throws what the driver throws. */
export async function inspectPostgres(url: string, timeoutMs: number): Promise<PostgresInspection> {
  // Destroying the socket ends the connection to a frozen server too.
  const socket = new Socket()
  const client = new Client({
    connectionString: url,
    application_name: 'headrace doctor',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    stream: () => socket,
  })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    socket.destroy()
    throw error
  }
  const one = async <Row extends object>(sql: string) =>
    (await client.query<Row>(sql)).rows[0] as Row
  // Several checks share these answers.
  let server: Promise<ServerFacts> | undefined
  let clock: Promise<ClockComparison> | undefined
  return {
    readServer: () => (server ??= one<ServerFacts>(SERVER)),
    readRights: async () =>
      (await client.query<Rights>(RIGHTS, [Object.values(ROLES)])).rows[0] as Rights,
    readMigrations: () => compareMigrations(client),
    readCurrency: async () =>
      (await one<{ currency: string } | Record<string, never>>('select currency from books'))
        ?.currency,
    async readPartitions(daysAhead) {
      const today = dayOf(Date.now())
      return findMissingPartitions(client, today, addDays(today, daysAhead))
    },
    async readSealed() {
      const { allowed } = await one<{ allowed: boolean }>(MAY_READ_SEALED)
      return allowed ? (await client.query<SealedCount>(COUNT_SEALED)).rows : undefined
    },
    readConnections: () => one(CONNECTIONS),
    readPayments: () => one(PAYMENTS),
    readUninvoiced: async ({ plans, least }) =>
      (await client.query<Uninvoiced>(UNINVOICED, [plans, least])).rows[0] as Uninvoiced,
    readClock: () =>
      (clock ??= compareClocks(async () => Number((await one<{ now_ms: string }>(CLOCK)).now_ms))),
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

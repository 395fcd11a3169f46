import { Client } from 'pg'
import { partitionKeys } from '../../../src/store/valkey/keys.ts'
import { startAlteringWay } from './altering-way.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { connectValkey, startValkey } from '../../harness/servers/valkey.ts'
import type { Scenario } from './scenario.ts'
import type { System } from './system.ts'

const TIMEOUT_MS = 10_000
const HOUR_MS = 3_600_000
/** Of 77 that are not reserved, so that fewer than one process of each kind needs are left. */
const CONNECTIONS_TAKEN = 62
/** Beyond both bounds for a round trip. */
const DELAY_MS = 30
const SPOILED_KEYS = partitionKeys(7)

/** An authenticator app whose secret no configured key opens. */
const SEAL_WITH_A_LOST_KEY = `
  with person as (
    insert into accounts (id, email) values (gen_random_uuid(), 'sealed@example.com') returning id
  )
  insert into one_time_factors (account_id, sealed)
  select id, '\\x0000000000000000ff'::bytea from person`

/** Settings and contents of a PostgreSQL server that runs. */
export const spoiledPostgres: Scenario = {
  name: 'PostgreSQL that loses data',
  args: ['--only', 'postgresql'],
  async spoil({ admin, postgres }) {
    await admin.query('alter system set fsync = off')
    await admin.query(`alter system set archive_command = '/bin/false'`)
    await admin.query('select pg_reload_conf()')
    await admin.query(`alter role app set default_transaction_read_only = on`)
    await admin.query(`update books set currency = 'XTS'`)
    await admin.query(SEAL_WITH_A_LOST_KEY)
    await admin.query('delete from migrations where name = (select max(name) from migrations)')
    await admin.query(`drop table usage_records_${today()}`)
    await admin.query('create table archived_later (id int)')
    await admin.query('select pg_switch_wal()')
    const failing = async () => {
      const { rows } = await admin.query<{ failed: boolean }>(
        'select failed_count > 0 as failed from pg_stat_archiver',
      )
      return rows[0]?.failed === true
    }
    await waitUntil('PostgreSQL to fail to archive', failing, TIMEOUT_MS)
    const clients = await takeConnections(postgres.url)
    return {
      async restore() {
        await Promise.all(clients.map((client) => client.end()))
        // A server that stops waits for its archive.
        await admin.query(`alter system set archive_command = '/bin/true'`)
        await admin.query('select pg_reload_conf()')
      },
    }
  },
  exitCode: 1,
  expected: {
    'postgresql reachable': ['ok', /^127\.0\.0\.1:\d+\/postgres$/],
    'postgresql durability': ['failed', /^fsync off$/, /crash would lose/],
    'postgresql archiving': ['failed', /archive failed/, /archive_command/],
    'postgresql writable': ['failed', /read-only/, /primary/],
    'postgresql currency': ['failed', /kept in XTS/, /Set currency: XTS/],
    'postgresql sealed secrets': ['failed', /^1 of 1 are sealed/, /secrets rewrap/],
    'postgresql migrations': ['failed', /^1 pending$/, /headrace migrate/],
    'postgresql partitions': ['warning', /usage_records/, /Start a worker/],
    'postgresql connections': ['warning', /of 77/, /max_connections/],
  },
}

/** What a server can only be made to say by changing its answers on the way. */
export const alteredPostgres: Scenario = {
  name: 'PostgreSQL that is old, far away and fast',
  args: ['--only', 'postgresql'],
  async spoil({ variables }) {
    const alter = (text: string) =>
      text
        .replace(/\b18(\d{4})\b/, '15$1')
        .replace(/\b(1\d{12})\./, (_, ms: string) => `${Number(ms) + HOUR_MS}.`)
    const url = variables['HEADRACE_DATABASE_URL'] ?? ''
    const way = await startAlteringWay(url, { alter, delayMs: DELAY_MS })
    return {
      variables: { HEADRACE_DATABASE_URL: way.url },
      restore: () => way[Symbol.asyncDispose](),
    }
  },
  exitCode: 1,
  expected: {
    'postgresql version': ['failed', /^15$/, /16 or newer/],
    'postgresql clock': ['failed', /^3[56]\d{5} ms ahead/, /NTP/],
    'postgresql round trip': ['warning', /^[3-9]\d\.\d ms$/, /closer/],
  },
}

export const unprivileged: Scenario = {
  name: 'a role without rights',
  args: ['--only', 'postgresql'],
  async spoil({ admin, postgres }) {
    await admin.query('create role limited login')
    const url = postgres.url.replace('postgres@', 'limited@')
    return { variables: { HEADRACE_DATABASE_URL: url } }
  },
  exitCode: 1,
  expected: {
    'postgresql rights': ['failed', /may not create/, /Grant CREATE/],
    'postgresql migrations': ['failed', /permission denied/, /right/],
  },
}

/** Settings and contents of a Valkey server that runs. */
export const spoiledValkey: Scenario = {
  name: 'Valkey that loses data',
  args: ['--only', 'valkey'],
  async spoil({ valkey, replica }) {
    await valkey.call('CONFIG', ['SET', 'appendonly', 'no'])
    await valkey.call('CONFIG', ['SET', 'maxmemory-policy', 'allkeys-lru'])
    await valkey.call('CONFIG', ['SET', 'maxmemory', '0'])
    // Nothing posts it, because the partition's stream holds no record of ours.
    await valkey.call('XADD', [SPOILED_KEYS.rejected, '1-1', 'record', 'x'])
    await replica.kill()
    const gone = async () => !String(await valkey.call('INFO', ['replication'])).includes('slave0:')
    await waitUntil('the replica to be gone', gone, TIMEOUT_MS)
    return {}
  },
  exitCode: 1,
  expected: {
    'valkey reachable': ['ok', /^127\.0\.0\.1:\d+$/],
    'valkey persistence': ['failed', /appendonly no/, /appendonly yes/],
    'valkey eviction': ['failed', /allkeys-lru/, /noeviction/],
    'valkey memory': ['warning', /not set/, /Set it/],
    'valkey replicas': ['failed', /^0 online, 1 must/, /acknowledged_replicas/],
    'valkey rejected': ['failed', /^1 record$/, /rejected/],
  },
}

/** A server that no worker reads, with a user that may not run scripts. */
export const unattendedValkey: Scenario = {
  name: 'Valkey without a worker, for a user without rights',
  args: ['--only', 'valkey'],
  async spoil() {
    const server = await startValkey({
      args: ['--user', 'some', 'on', '>word', '~*', '+@all', '-eval'],
    })
    const url = server.url.replace('redis://', 'redis://some:word@')
    await addRecord(url)
    return { variables: { HEADRACE_VALKEY_URL: url }, restore: () => server.kill() }
  },
  exitCode: 1,
  expected: {
    'valkey scripts': ['failed', /permission denied/, /right/],
    'valkey backlog': ['warning', /^1 record to post, the oldest \d{6,} s/, /worker/],
  },
}

export const alteredValkey: Scenario = {
  name: 'Valkey that is old, far away and fast',
  args: ['--only', 'valkey'],
  async spoil({ variables }) {
    const alter = (text: string) =>
      text
        .replace(/valkey_version:\d/, 'valkey_version:7')
        .replace(/^\*2\r\n\$10\r\n(\d{10})/, (_, time: string) => `*2\r\n$10\r\n${+time + 3600}`)
    const way = await startAlteringWay(variables['HEADRACE_VALKEY_URL'] ?? '', {
      alter,
      delayMs: DELAY_MS,
    })
    return {
      variables: { HEADRACE_VALKEY_URL: way.url },
      restore: () => way[Symbol.asyncDispose](),
    }
  },
  exitCode: 1,
  expected: {
    'valkey version': ['failed', /^7\./, /Valkey 8/],
    'valkey clock': ['failed', /^3[56]\d{5} ms ahead/, /NTP/],
    'valkey round trip': ['warning', /^[3-9]\d\.\d ms$/, /closer/],
  },
}

export const clusterNode: Scenario = {
  name: 'the URL of one node of a cluster',
  args: ['--only', 'valkey'],
  async spoil() {
    const node = await startValkey({ args: ['--cluster-enabled', 'yes'] })
    return { variables: { HEADRACE_VALKEY_URL: node.url }, restore: () => node.kill() }
  },
  exitCode: 1,
  expected: { 'valkey cluster': ['failed', /node of a cluster/, /several nodes/] },
}

export const replicaOnly: Scenario = {
  name: 'the URL of a replica',
  args: ['--only', 'valkey'],
  async spoil() {
    const replica = await startValkey({ args: ['--replicaof', '127.0.0.1 1'] })
    return { variables: { HEADRACE_VALKEY_URL: replica.url }, restore: () => replica.kill() }
  },
  exitCode: 1,
  expected: { 'valkey writable': ['failed', /is a replica/, /primary/] },
}

/** The last one: nothing works afterwards. */
export const stoppedStores: Scenario = {
  name: 'a frozen PostgreSQL and a stopped Valkey',
  // The later one counts.
  args: ['--timeout', '3'],
  async spoil({ postgres, valkeyServer, admin }) {
    admin.on('error', () => {})
    postgres.freeze()
    await valkeyServer.kill()
    return { restore: () => postgres.thaw() }
  },
  exitCode: 1,
  expected: {
    'configuration valid': ['ok', /^1 engine, 1 model, 1 plan$/],
    'postgresql reachable': ['failed', /no answer in time/, /Start it/],
    'postgresql durability': ['not_checked', /not reachable/],
    'valkey reachable': ['failed', /connection refused/, /Start it/],
    'valkey persistence': ['not_checked', /not reachable/],
  },
}

/** The api is not ready without Valkey; the doctor must say so as well. */
export function notReady({ healthUrls }: System): Scenario {
  return {
    name: 'processes without Valkey',
    args: ['--only', 'processes'],
    spoil: () => Promise.resolve({}),
    exitCode: 1,
    expected: { [`processes api ${healthUrls[0]}: ready`]: ['failed', /^no$/, /readyz/] },
  }
}

async function takeConnections(url: string): Promise<Client[]> {
  const clients = Array.from({ length: CONNECTIONS_TAKEN }, () => {
    return new Client({ connectionString: url })
  })
  await Promise.all(clients.map((client) => client.connect()))
  return clients
}

async function addRecord(url: string): Promise<void> {
  await using valkey = await connectValkey([url])
  await valkey.call('XADD', [SPOILED_KEYS.usage, '1-1', 'record', 'x'])
}

function today(): string {
  return new Date().toISOString().slice(0, 10).replaceAll('-', '')
}

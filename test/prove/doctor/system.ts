import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { stringify } from 'yaml'
import { writeFile, readFile } from 'node:fs/promises'
import { chooseFreePort } from '../../../stack/ports.ts'
import type { Valkey } from '../../../src/store/valkey/valkey.ts'
import { startEnvironment, type Environment } from '../../harness/environment.ts'
import { startRealEngine, type RealEngine } from '../../harness/engines/real-engine.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { startPostgres, type PostgresServer } from '../../harness/servers/postgres-server.ts'
import { startMailServer, type MailServer } from '../../harness/servers/smtp.ts'
import { requireStack, stackEnvironment } from '../../harness/processes/service.ts'
import { startValkey, type ValkeyServer } from '../../harness/servers/valkey.ts'

export type Variables = Readonly<Record<string, string>>

/** A whole installation as it should be, on servers that a proof may spoil. */
export type System = AsyncDisposable & {
  readonly postgres: PostgresServer
  /** A connection of the proof's own, as superuser. */
  readonly admin: Client
  readonly valkeyServer: ValkeyServer
  readonly replica: ValkeyServer
  readonly valkey: Valkey
  readonly engine: RealEngine
  readonly mail: MailServer
  readonly environment: Environment
  /** What every process and command gets. */
  readonly variables: Variables
  readonly healthUrls: readonly string[]
  /** None of them may appear in any output. */
  readonly secrets: readonly string[]
  /** Writes a configuration that differs in these sections, and returns its path. */
  readonly writeVariant: (sections: object) => Promise<string>
}

const SLOTS = 4
const PORT_FIRST = 24_000
const PORTS = 1_500
const TIMEOUT_MS = 60_000

function makeSecret(): string {
  return randomBytes(24).toString('base64url')
}

export async function startSystem(): Promise<System> {
  await using starting = new AsyncDisposableStack()
  const [databaseSecret, valkeySecret, engineSecret] = [makeSecret(), makeSecret(), makeSecret()]
  const [postgres, engine, stores] = await Promise.all([
    startDatabase(starting),
    startRealEngine(SLOTS, { flags: ['--api-key', engineSecret] }).then((each) =>
      starting.use(each),
    ),
    startValkeys(valkeySecret, starting),
  ])
  const mail = starting.use(await startMailServer())
  const admin = await connectAdmin(postgres, databaseSecret, starting)
  const databaseUrl = postgres.url.replace('postgres@', `app:${databaseSecret}@`)
  const first = await chooseFreePort(PORT_FIRST + Math.floor(Math.random() * PORTS))
  const ports = [first, await chooseFreePort(first + 1), await chooseFreePort(first + 2)]
  const healthUrls = ports.map((port) => `http://127.0.0.1:${port}`)
  const own = {
    HEADRACE_ENGINE_KEY: engineSecret,
    HEADRACE_SMTP_URL: mail.url,
    HEADRACE_API_PROBE_ENGINES: 'true',
    HEADRACE_API_HEALTH_PORT: `${ports[0]}`,
    HEADRACE_WORKER_HEALTH_PORT: `${ports[1]}`,
  }
  const environment = starting.use(
    await startEnvironment({
      ...settingsOf(engine.url, healthUrls),
      databaseUrl,
      valkey: [stores.url],
      environment: own,
      onLog: () => undefined,
    }),
  )
  const { valkey } = environment
  const hasReplica = async () =>
    String(await valkey.call('INFO', ['replication'])).includes('state=online')
  await waitUntil('a replica of Valkey', hasReplica, TIMEOUT_MS)
  await environment.startWorker()
  await Promise.all([environment.startApi(), environment.startConsole()])
  await waitUntil('the engine to be probed', () => isProbed(healthUrls[0] ?? ''), TIMEOUT_MS)
  const variables: Variables = {
    ...stackEnvironment(requireStack(), databaseUrl),
    HEADRACE_VALKEY_URL: stores.url,
    HEADRACE_CONFIG: environment.file,
    ...own,
  }
  const system = { postgres, admin, engine, mail, environment, variables, healthUrls }
  const secrets = [databaseSecret, valkeySecret, engineSecret]
    .concat(variables['HEADRACE_SIGNING_KEY'] ?? [])
    .concat(variables['HEADRACE_CONTENT_KEY'] ?? [])
  const running = starting.move()
  return {
    ...system,
    valkeyServer: stores.primary,
    replica: stores.replica,
    valkey,
    secrets,
    writeVariant: (sections) => writeVariant(environment.file, sections),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function connectAdmin(
  { url }: PostgresServer,
  secret: string,
  starting: AsyncDisposableStack,
): Promise<Client> {
  const admin = new Client({ connectionString: url })
  await admin.connect()
  starting.defer(() => admin.end())
  // Not as an argument of the server, which could not be changed while it runs.
  await admin.query(`alter system set archive_command = '/bin/true'`)
  await admin.query('select pg_reload_conf()')
  await admin.query(`create role app superuser login password '${secret}'`)
  return admin
}

function settingsOf(engineUrl: string, healthUrls: readonly string[]) {
  const engine = { name: 'real', url: engineUrl, slots: SLOTS, model_name: 'pebble' }
  return {
    engines: [{ ...engine, api_key_env: 'HEADRACE_ENGINE_KEY' }],
    sections: {
      usage: { acknowledged_replicas: 1 },
      console: {
        port: 0,
        health_port: Number(new URL(healthUrls[2] ?? '').port),
        public_url: 'https://console.example.com',
        api_url: 'https://api.example.com/compat/v1',
        email_from: 'headrace@example.com',
        api_health_urls: healthUrls,
      },
    },
  }
}

async function startDatabase(starting: AsyncDisposableStack): Promise<PostgresServer> {
  const settings = ['archive_mode=on', 'max_connections=80']
  return starting.use(await startPostgres({ durable: true, settings }))
}

async function startValkeys(secret: string, starting: AsyncDisposableStack) {
  const durable = ['--appendonly', 'yes', '--maxmemory', '256mb', '--requirepass', secret].concat(
    '--repl-diskless-sync-delay',
    '0',
  )
  const primary = starting.use(await startValkey({ args: durable }))
  const { port } = new URL(primary.url)
  const args = [
    '--replicaof',
    `127.0.0.1 ${port}`,
    '--primaryauth',
    secret,
    '--requirepass',
    secret,
  ]
  const replica = starting.use(await startValkey({ args }))
  return { primary, replica, url: primary.url.replace('redis://', `redis://:${secret}@`) }
}

async function isProbed(url: string): Promise<boolean> {
  const report = (await (await fetch(`${url}/engines`)).json()) as { engines: { real: unknown } }
  return report.engines.real !== null
}

let variants = 0

async function writeVariant(file: string, sections: object): Promise<string> {
  const settings = JSON.parse(await readFile(file, 'utf8')) as object
  const path = file.replace(/\.yaml$/, `-${(variants += 1)}.yaml`)
  await writeFile(path, stringify({ ...settings, ...sections }))
  return path
}

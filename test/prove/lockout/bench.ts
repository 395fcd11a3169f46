import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { serveConsole } from '../../../src/start/serve-console.ts'
import { openPostgres, type Postgres } from '../../../src/store/postgres/postgres.ts'
import type { Tables } from '../../../src/store/postgres/tables.ts'
import { createCommands } from '../../harness/processes/command.ts'
import { PUBLIC_URL } from '../../harness/processes/console.ts'
import { startDnsServer, type DnsServer } from '../../harness/servers/dns.ts'
import { startIdentityProvider, type IdentityProvider } from '../../harness/servers/oidc.ts'
import { testConfig } from '../../harness/processes/service.ts'
import { startMailServer, type MailServer } from '../../harness/servers/smtp.ts'

/** What an operator changes in the configuration, and restarts the console for. */
export type Settings = {
  readonly signingKey: string
  readonly acceptedKeys: readonly string[]
  readonly requireSecondFactor: 'operators' | 'all'
}

/** A console on a database of its own that is restarted with other settings, and commands. */
export type Bench = AsyncDisposable & {
  readonly root: string
  readonly settings: Settings
  readonly postgres: Postgres
  readonly database: Kysely<Tables>
  readonly provider: IdentityProvider
  readonly dns: DnsServer
  readonly mail: MailServer
  restart(change: Partial<Settings>): Promise<void>
  /** Runs a `headrace` command with --json. Null if it is refused for a stated reason. */
  command(...args: string[]): Promise<Record<string, unknown> | null>
}

/** One line without a trace: the operator is told what to do instead. */
const REFUSAL = /^headrace: .+\n$/

export const newSigningKey = () => randomBytes(32).toString('base64url')

export async function startBench(): Promise<Bench> {
  await using starting = new AsyncDisposableStack()
  const commands = starting.use(await createCommands())
  const postgres = starting.use(openPostgres(commands.databaseUrl))
  const dns = starting.use(await startDnsServer())
  const provider = starting.use(await startIdentityProvider())
  const mail = starting.use(await startMailServer())
  let settings: Settings = {
    signingKey: newSigningKey(),
    acceptedKeys: [],
    requireSecondFactor: 'operators',
  }
  const serve = () => serveConsole(configOf(commands.databaseUrl, { dns, mail }, settings))
  let running = await serve()
  starting.defer(() => running.stop())
  const started = starting.move()
  return {
    get root() {
      return running.managementRoot
    },
    get settings() {
      return settings
    },
    postgres,
    database: postgres.database,
    provider,
    dns,
    mail,
    async restart(change) {
      settings = { ...settings, ...change }
      await running.stop()
      running = await serve()
    },
    async command(...args) {
      const { code, stdout, stderr } = await commands.run([...args, '--json'], {
        HEADRACE_SIGNING_KEY: settings.signingKey,
        HEADRACE_ACCEPTED_SIGNING_KEYS: settings.acceptedKeys.join(','),
      })
      if (code === 1 && REFUSAL.test(stderr)) return null
      if (code !== 0) throw new Error(`headrace ${args.join(' ')} ended with ${code}: ${stderr}`)
      return JSON.parse(stdout) as Record<string, unknown>
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

function configOf(
  databaseUrl: string,
  { dns, mail }: Pick<Bench, 'dns' | 'mail'>,
  { signingKey, acceptedKeys, requireSecondFactor }: Settings,
) {
  return testConfig(databaseUrl, (base) => ({
    ...base,
    signing_key: signingKey,
    accepted_signing_keys: [...acceptedKeys],
    smtp_url: mail.url,
    console: {
      ...base.console,
      port: 0,
      health_port: 0,
      public_url: PUBLIC_URL,
      email_from: 'Headrace <no-reply@example.com>',
      require_second_factor: requireSecondFactor,
      private_issuer_hosts: ['localhost'],
      dns_servers: [dns.address],
    },
  }))
}

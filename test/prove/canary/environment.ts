import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrate } from '../../../src/store/postgres/migrate.ts'
import { openPostgres } from '../../../src/store/postgres/postgres.ts'
import { changeOrganization } from '../../../src/store/tenants/organizations.ts'
import { RETENTIONS, type Retention } from '../../../src/tenancy/retention.ts'
import { limitsOf } from '../../harness/environment.ts'
import { PUBLIC_URL } from '../../harness/processes/console.ts'
import { requireStack, stackEnvironment } from '../../harness/processes/service.ts'
import { IGNORABLE_PARAMETERS } from '../../../src/contract/ignorable-parameters.ts'
import { openAccount, openCaller, openKey, type Caller } from '../../harness/seed/tenants.ts'
import { chosenEngine } from '../../harness/engines/real-engine.ts'
import { ECHO_MODES } from './echo-engine.ts'
import { REAL_MODEL } from './requests.ts'
import { createServers, type Cores, type Server, type Servers } from './servers.ts'

/** The servers of the proof, a caller for each retention, and processes that it starts. */
export type CanaryEnvironment = {
  readonly servers: Servers
  readonly contentKey: string
  readonly callers: Readonly<Record<Retention, CanaryCaller>>
  startApi(cores?: Cores): Promise<Api>
  startWorker(): Promise<Server>
  /** With these variables, which only consoles get. */
  startConsole(own: Readonly<Record<string, string>>): Promise<Console>
}

/** Its other key ignores all that can be ignored. */
export type CanaryCaller = Caller & { readonly ignoringKey: string }

export type Api = Server & { readonly address: string }

export type Console = Api & { readonly healthAddress: string }

/** A plan that is paid from a balance. */
export const PREPAID = 'prepaid'

const PLAN = 'ample'
/** Generations that hang time out soon, so that timeouts are part of the run too. */
const TIMEOUTS = { first_token_seconds: 5, idle_seconds: 2 }
const ECHO_SLOTS = 64

export async function startCanaryEnvironment(
  folder: string,
  echoUrl: string,
  tracesUrl: string,
  providerUrl: string,
): Promise<CanaryEnvironment> {
  const servers = await createServers(folder)
  for (const name of ['postgres', 'valkey', 'engine'] as const) await servers.start(name)
  const { databaseUrl, valkeyUrl, engineUrl } = servers
  await migrate(databaseUrl)
  const contentKey = randomBytes(32).toString('base64url')
  const file = join(folder, 'headrace.yaml')
  writeFileSync(
    file,
    JSON.stringify({ ...settingsOf(engineUrl, echoUrl, tracesUrl), ...paidAt(providerUrl) }),
  )
  const environment = {
    ...stackEnvironment(requireStack(), databaseUrl),
    HEADRACE_CONFIG: file,
    HEADRACE_VALKEY_URL: valkeyUrl,
    HEADRACE_CONTENT_KEY: contentKey,
    HEADRACE_API_LOG_LEVEL: 'trace',
    HEADRACE_API_ACCESS_LOG: 'true',
    HEADRACE_API_PROBE_ENGINES: 'true',
  }
  return {
    servers,
    contentKey,
    callers: await openCallers(databaseUrl),
    async startApi(cores) {
      const server = await servers.startOwn('api', environment, cores)
      return { ...server, address: addressOf(server, 'listening') }
    },
    startWorker: () => servers.startOwn('worker', environment),
    async startConsole(own) {
      const server = await servers.startOwn('console', { ...environment, ...own })
      const healthAddress = addressOf(server, 'listening for health checks')
      return { ...server, address: addressOf(server, 'listening'), healthAddress }
    },
  }
}

/** What the log says where it listens. */
function addressOf({ logFile }: Server, message: string): string {
  const line = new RegExp(`"address":"([^"]+)","msg":"${message}"`)
  return `http://${line.exec(readFileSync(logFile, 'utf8'))?.[1]}`
}

function paidAt(api_url: string): object {
  return {
    console: { port: 0, health_port: 0, public_url: PUBLIC_URL },
    payments: { provider: 'stripe', api_url, page_hosts: ['127.0.0.1'] },
  }
}

function settingsOf(engineUrl: string, echoUrl: string, tracesUrl: string): object {
  const echo = { kind: 'llama-server', url: echoUrl, slots: ECHO_SLOTS }
  return {
    engines: [
      { name: 'real', kind: chosenEngine(), url: engineUrl, slots: 2, model_name: 'pebble' },
      ...ECHO_MODES.map((name) => ({ name, ...echo, model_name: name })),
    ],
    models: [
      { id: REAL_MODEL, owned_by: 'proof', context_length: 4096, engines: ['real'] },
      ...ECHO_MODES.map((name) => {
        const id = `canary/${name}`
        return { id, owned_by: 'proof', engines: [name], ...TIMEOUTS }
      }),
    ],
    plans: {
      [PLAN]: { models: 'all', limits: limitsOf() },
      [PREPAID]: {
        models: [REAL_MODEL],
        limits: limitsOf(),
        billing: 'prepaid',
        prices: { [REAL_MODEL]: { input: 1, output: 2 } },
      },
    },
    default_plan: PLAN,
    worker: { health_port: 0 },
    tracing: { endpoint: tracesUrl, sample_ratio: 1 },
  }
}

async function openCallers(databaseUrl: string): Promise<Record<Retention, CanaryCaller>> {
  await using postgres = openPostgres(databaseUrl)
  const { database } = postgres
  const terms = { version: '1', acceptedByAccountId: await openAccount(database) }
  const callers: Partial<Record<Retention, CanaryCaller>> = {}
  for (const retention of RETENTIONS) {
    const caller = await openCaller(database, PLAN)
    const changes = retention === 'contributor' ? { retention, terms } : { retention }
    await changeOrganization(database, caller.organizationId, changes)
    const ignoring = { ignoredParameters: IGNORABLE_PARAMETERS }
    const { text: ignoringKey } = await openKey(database, caller.projectId, ignoring)
    callers[retention] = { ...caller, ignoringKey }
  }
  return callers as Record<Retention, CanaryCaller>
}

import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { storeApiKey } from '../../../src/store/tenants/api-keys.ts'
import { createAccount } from '../../../src/store/tenants/accounts.ts'
import { migrate } from '../../../src/store/postgres/migrate.ts'
import { changeOrganization, createOrganization } from '../../../src/store/tenants/organizations.ts'
import { openPostgres } from '../../../src/store/postgres/postgres.ts'
import { findProject } from '../../../src/store/tenants/projects.ts'
import { createApiKey } from '../../../src/tenancy/api-key.ts'
import { RETENTIONS, type Retention } from '../../../src/tenancy/retention.ts'
import { requireStack, stackEnvironment } from '../../harness/service.ts'
import { limitsOf } from '../../harness/environment.ts'
import type { EchoEngine } from './echo-engine.ts'
import { ECHO_MODELS, REAL_MODEL } from './requests.ts'
import type { Cores, Place, Server } from './place.ts'

export type Caller = { readonly organizationId: string; readonly key: string }

/** The servers and processes of the proof, and a caller for each kind of retention. */
export type World = {
  readonly place: Place
  readonly contentKey: string
  readonly callers: Readonly<Record<Retention, Caller>>
  startApi(cores?: Cores): Promise<Api>
  startWorker(): Promise<Server>
}

export type Api = Server & { readonly address: string }

const PLAN = 'ample'
/** Generations that hang are given up soon, so that those are part of the run too. */
const IMPATIENT = { first_byte_seconds: 5, idle_seconds: 2 }
const ECHO_SLOTS = 64

/** The servers must be up. */
export async function createWorld(place: Place, echo: EchoEngine): Promise<World> {
  await migrate(place.databaseUrl)
  const contentKey = randomBytes(32).toString('base64url')
  const file = join(place.folder, 'headrace.yaml')
  writeFileSync(file, JSON.stringify(settingsOf(place, echo)))
  const environment = {
    ...stackEnvironment(requireStack(), place.databaseUrl),
    HEADRACE_CONFIG: file,
    HEADRACE_VALKEY_URL: place.valkeyUrl,
    HEADRACE_CONTENT_KEY: contentKey,
    HEADRACE_API_LOG_LEVEL: 'trace',
    HEADRACE_API_PROBE_ENGINES: 'true',
  }
  const callers = await createCallers(place.databaseUrl)
  return {
    place,
    contentKey,
    callers,
    async startApi(cores = '0') {
      const server = await place.startOwn('api', environment, '"listening for health', cores)
      const [, address] =
        /"address":"([^"]+)","msg":"listening"/.exec(readFileSync(server.logFile, 'utf8')) ?? []
      return { ...server, address: `http://${address}` }
    },
    startWorker: () => place.startOwn('worker', environment, '"listening for health'),
  }
}

function settingsOf({ engineUrl }: Place, { url }: EchoEngine): object {
  const kind = 'llama-server'
  const modes = ECHO_MODELS.map((id) => id.slice('canary/'.length))
  const echoes = modes.map((name) => ({ name, kind, url, slots: ECHO_SLOTS, model_name: name }))
  const real = { name: 'real', kind, url: engineUrl, slots: 2, model_name: 'pebble' }
  return {
    engines: [real, ...echoes],
    models: [
      { id: REAL_MODEL, owned_by: 'proof', context_length: 4096, engines: ['real'] },
      ...modes.map((name) => ({
        id: `canary/${name}`,
        owned_by: 'proof',
        engines: [name],
        ...IMPATIENT,
      })),
    ],
    plans: { [PLAN]: { models: 'all', limits: limitsOf({}) } },
    default_plan: PLAN,
    worker: { health_port: 0 },
  }
}

async function createCallers(databaseUrl: string): Promise<Record<Retention, Caller>> {
  await using postgres = openPostgres(databaseUrl)
  const { database } = postgres
  const person = { email: 'person@example.com', state: 'active', registered: true } as const
  const { id: acceptedByAccountId } = await createAccount(database, person)
  const callers: Partial<Record<Retention, Caller>> = {}
  for (const retention of RETENTIONS) {
    const organization = { slug: retention, name: retention, plan: PLAN, ownerAccountId: null }
    const first = retention === 'contributor' ? 'standard' : retention
    const { id } = await createOrganization(database, { ...organization, retention: first })
    const terms = { version: '1', acceptedByAccountId }
    if (retention === 'contributor') await changeOrganization(database, id, { retention, terms })
    const key = createApiKey('headrace')
    const { id: projectId } = await findProject(database, id, 'default')
    const known = { projectId, createdByAccountId: null, name: 'proof', expiresAt: null }
    await storeApiKey(database, key, known)
    callers[retention] = { organizationId: id, key }
  }
  return callers as Record<Retention, Caller>
}

import { createHash, randomBytes, randomInt } from 'node:crypto'
import { Agent, fetch } from 'undici'
import type { Config } from '../../../src/config/load.ts'
import { uuidV7 } from '../../../src/lib/uuid.ts'
import type { Environment } from '../../../src/platform/use-case/environment.ts'
import { serveConsole } from '../../../src/start/serve-console.ts'
import { openPostgres, type Postgres } from '../../../src/store/postgres/postgres.ts'
import { createAccount } from '../../../src/store/tenants/accounts.ts'
import { addMember } from '../../../src/store/tenants/memberships.ts'
import { createApiKey, displayParts, hashApiKey } from '../../../src/tenancy/api-key.ts'
import type { AccountState } from '../../../src/tenancy/identity.ts'
import type { PlatformRole, Role } from '../../../src/tenancy/role.ts'
import { createDatabase, urlForProcess } from '../servers/database.ts'
import { testConfig } from './service.ts'
import { openOrganization, type Organization } from '../seed/tenants.ts'

/** The management API on real servers, with people and organizations for whoever asks. */
export type TestConsole = AsyncDisposable & {
  readonly root: string
  /** Where metrics and readiness are. */
  readonly healthAddress: string
  readonly config: Config
  /** With the role of the owner, which the console has not. */
  readonly databaseUrl: string
  readonly postgres: Postgres
  readonly environment: Environment
  openOrganization(plan?: string): Promise<Organization>
  openPerson(facts?: PersonFacts): Promise<Person>
  openManagementKey(facts: ManagementKeyFacts): Promise<Headers>
}

/** The headers that identify a caller. */
export type Headers = Readonly<Record<string, string>>

export type PersonFacts = {
  readonly state?: AccountState
  readonly registered?: boolean
  readonly platformRole?: PlatformRole
  readonly organizationId?: string
  readonly role?: Role
  /** Whether the session is confirmed now (default) or was confirmed an hour ago. */
  readonly confirmed?: boolean
  readonly incomplete?: boolean
}

export type Person = { readonly accountId: string; readonly email: string; readonly as: Headers }

export type ManagementKeyFacts = {
  readonly createdBy: string
  readonly organizationId: string | null
  readonly scopes: readonly string[]
  readonly expired?: boolean
}

export const PUBLIC_URL = 'http://localhost:8081'
const HOUR_MS = 3_600_000

export async function startConsole(
  change: (config: Config) => Config = (config) => config,
  webFolder?: string,
): Promise<TestConsole> {
  await using starting = new AsyncDisposableStack()
  const testDatabase = starting.use(await createDatabase())
  const config = testConfig(urlForProcess(testDatabase.url, 'console'), (base) =>
    change({
      ...base,
      console: { ...base.console, port: 0, health_port: 0, public_url: PUBLIC_URL },
    }),
  )
  const postgres = starting.use(openPostgres(testDatabase.url))
  const running = await serveConsole(config, webFolder)
  starting.defer(() => running.stop())
  const started = starting.move()
  return {
    root: running.managementRoot,
    healthAddress: running.healthAddress,
    config,
    databaseUrl: testDatabase.url,
    postgres,
    environment: running.environment,
    openOrganization: (plan = 'ample') => openOrganization(postgres.database, plan),
    openPerson: (facts = {}) => openPerson(postgres, facts),
    openManagementKey: (facts) => openManagementKey(postgres, facts),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

export async function openPerson(
  { database }: Pick<Postgres, 'database'>,
  facts: PersonFacts,
): Promise<Person> {
  const email = `${crypto.randomUUID()}@example.com`
  const { state = 'active', registered = true, platformRole = null } = facts
  const { id: accountId } = await createAccount(database, { email, state, registered })
  await database
    .updateTable('accounts')
    .set({ platform_role: platformRole, name: 'Test Person', email_verified_at: new Date() })
    .where('id', '=', accountId)
    .execute()
  if (facts.organizationId !== undefined)
    await addMember(
      database,
      { organizationId: facts.organizationId, accountId },
      facts.role ?? 'member',
    )
  return { accountId, email, as: await openSession({ database }, accountId, facts) }
}

/** A session as sign-in makes it. */
export async function openSession(
  { database }: Pick<Postgres, 'database'>,
  accountId: string,
  { confirmed = true, incomplete = false }: PersonFacts = {},
): Promise<Headers> {
  const token = randomBytes(32).toString('base64url')
  await database
    .insertInto('sessions')
    .values({
      id: uuidV7(),
      token_hash: createHash('sha256').update(token).digest(),
      account_id: accountId,
      ends_at: new Date(Date.now() + HOUR_MS),
      idle_minutes: 60,
      confirmed_at: new Date(Date.now() - (confirmed ? 0 : HOUR_MS)),
      methods: ['password', 'totp'],
      incomplete,
      user_agent: null,
      address_prefix: null,
    })
    .execute()
  return { cookie: `__Host-headrace_session=${token}`, origin: PUBLIC_URL }
}

export async function openManagementKey(
  { database }: Pick<Postgres, 'database'>,
  { createdBy, organizationId, scopes, expired = false }: ManagementKeyFacts,
): Promise<Headers> {
  const key = createApiKey('headrace', 'mk')
  await database
    .insertInto('management_keys')
    .values({
      id: uuidV7(),
      organization_id: organizationId,
      name: 'test',
      hash: hashApiKey(key),
      ...displayParts(key),
      scopes: [...scopes],
      created_by: createdBy,
      expires_at: new Date(Date.now() + (expired ? -1 : 1) * HOUR_MS),
    })
    .execute()
  return { authorization: `Bearer ${key}` }
}

export type Answer = {
  readonly status: number
  readonly headers: Headers
  /** Every value of Set-Cookie, of which `headers` has only the last. */
  readonly cookies: readonly string[]
  readonly text: string
  /** The parsed body, or an empty object. The members that a test reads must be in the answer. */
  readonly body: AnswerBody
}

type Item = { readonly id: string; readonly [member: string]: unknown }

/** Members that many answers have. */
export type AnswerBody = {
  readonly error: {
    readonly code: string
    readonly param: string | null
    readonly message: string
  }
  readonly data: readonly Item[]
  readonly next: string | null
  readonly id: string
  readonly key: string
  readonly [member: string]: unknown
}

/** An address of the loopback network in a /24 that is hardly anybody else's. */
export function newAddress(): string {
  return `127.${randomInt(1, 255)}.${randomInt(0, 256)}.1`
}

type Asked = {
  readonly as?: Headers
  readonly body?: unknown
  readonly headers?: Headers
  /** The address of the client, in 127.0.0.0/8. */
  readonly from?: string
}

/**
 * Calls a route below the root. Each call comes from a network of its own: the consoles of all
 * tests share one Valkey, which counts the failures of a network.
 */
export async function ask(
  root: string,
  method: string,
  path: string,
  { as = {}, body, headers = {}, from = newAddress() }: Asked = {},
): Promise<Answer> {
  const agent = new Agent({ localAddress: from })
  try {
    const response = await fetch(`${root}${path}`, {
      method,
      dispatcher: agent,
      redirect: 'manual',
      headers: {
        ...(method !== 'GET' && { 'content-type': 'application/json' }),
        ...as,
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      cookies: response.headers.getSetCookie(),
      text,
      body: (text === '' ? {} : JSON.parse(text)) as AnswerBody,
    }
  } finally {
    await agent.destroy()
  }
}

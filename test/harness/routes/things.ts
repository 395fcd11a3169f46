import { randomBytes, randomInt } from 'node:crypto'
import { sql, type Kysely } from 'kysely'
import { uuidV7 } from '../../../src/lib/uuid.ts'
import { createSealer } from '../../../src/platform/sign-in/identity/sealer.ts'
import type { Tables } from '../../../src/store/postgres/tables.ts'
import { createAccount } from '../../../src/store/tenants/accounts.ts'
import { addMember } from '../../../src/store/tenants/memberships.ts'
import { createProject } from '../../../src/store/tenants/projects.ts'
import { createApiKey, displayParts, hashApiKey } from '../../../src/tenancy/api-key.ts'
import { openManagementKey, openSession } from '../processes/console.ts'
import { SIGNING_KEY } from '../processes/service.ts'
import { openOrganization } from '../seed/tenants.ts'

/** An organization with an owner, in which things are made. */
export type Place = {
  readonly organizationId: string
  readonly projectId: string
  readonly ownerId: string
}

type Database = Kysely<Tables>
type MakeThing = (database: Database, place: Place, ownerId: string) => Promise<string>

const DAY_MS = 86_400_000
const tomorrow = () => new Date(Date.now() + DAY_MS)
const address = () => `${crypto.randomUUID()}@example.com`

/**
 * How to make a thing that a path names, by the segment before its parameter. Each is new, belongs
 * to the organization and, where people own such things, to the given account.
 */
export const THINGS: Readonly<Record<string, MakeThing>> = {
  organizations: async (_database, { organizationId }) => organizationId,
  projects: async (database, { organizationId }) =>
    (await createProject(database, organizationId, `p-${crypto.randomUUID().slice(0, 13)}`)).id,
  keys: makeKey,
  members: async (database, { organizationId }) => {
    const { id: accountId } = await createAccount(database, accountFacts('active'))
    await addMember(database, { organizationId, accountId }, 'member')
    return accountId
  },
  accounts: async (database) => (await createAccount(database, accountFacts('waiting'))).id,
  invitations: async (database, { organizationId, ownerId }) => {
    const id = uuidV7()
    const values = {
      id,
      organization_id: organizationId,
      email: address(),
      role: 'member',
    } as const
    await database
      .insertInto('invitations')
      .values({ ...values, token_hash: randomBytes(32), invited_by: ownerId, ends_at: tomorrow() })
      .execute()
    return id
  },
  sessions: async (database, _place, accountId) => {
    await openSession({ database }, accountId)
    return newest(database, 'sessions', 'account_id', accountId)
  },
  passkeys: async (database, _place, accountId) => {
    const id = randomBytes(32).toString('base64url')
    const key = { credential_id: id, account_id: accountId, public_key: randomBytes(65) }
    await database
      .insertInto('passkeys')
      .values({ ...key, counter: 0, backed_up: false, name: 'Laptop' })
      .execute()
    return id
  },
  'management-keys': async (database, { organizationId, ownerId }) => {
    await openManagementKey(
      { database },
      { createdBy: ownerId, organizationId, scopes: ['keys:read'] },
    )
    return newest(database, 'management_keys', 'organization_id', organizationId)
  },
  'operator/management-keys': async (database) => {
    const { id: createdBy } = await createAccount(database, accountFacts('active'))
    const facts = { createdBy, organizationId: null, scopes: ['platform:read'] }
    await openManagementKey({ database }, facts)
    return newest(database, 'management_keys', 'created_by', createdBy)
  },
  'support-access': async (database, { organizationId, ownerId }) => {
    const id = uuidV7()
    await database
      .insertInto('support_access')
      .values({ id, organization_id: organizationId, granted_by: ownerId, ends_at: tomorrow() })
      .execute()
    return id
  },
  'scim-tokens': async (database, { organizationId, ownerId }) => {
    const id = uuidV7()
    const token = createApiKey('headrace', 'scim')
    const values = { id, organization_id: organizationId, name: 'Provider', created_by: ownerId }
    await database
      .insertInto('scim_tokens')
      .values({ ...values, hash: hashApiKey(token), ...displayParts(token) })
      .execute()
    return id
  },
  'sso-connections': makeConnection,
  sso: makeConnection,
  callback: makeConnection,
  domains: async (database, { organizationId }) => {
    const id = uuidV7()
    const domain = `${crypto.randomUUID()}.example`
    await database
      .insertInto('sso_domains')
      .values({ id, organization_id: organizationId, domain, challenge: 'headrace-test' })
      .execute()
    return id
  },
  payments: async (database, { organizationId, ownerId }) => {
    const id = uuidV7()
    const facts = { kind: 'page', amount: 5_000_000, currency: 'USD' } as const
    // One that nobody reads at the provider any more.
    await database
      .insertInto('payments')
      .values({
        ...facts,
        id,
        organization_id: organizationId,
        state: 'expired',
        started_by: ownerId,
        expires_at: tomorrow(),
      })
      .execute()
    return id
  },
  invoices: async (database, { organizationId }) => {
    const id = uuidV7()
    const statement_month = `${randomInt(1000, 9999)}-0${randomInt(1, 9)}`
    const facts = { kind: 'invoice', amount: 5_000_000, currency: 'USD', statement_month } as const
    // Void, so that nobody reads it at the provider any more.
    const over = { state: 'expired', started_by: null, expires_at: tomorrow() } as const
    await database
      .insertInto('payments')
      .values({ ...facts, ...over, id, organization_id: organizationId })
      .execute()
    return id
  },
  // Its name is its month: each has another one, so that none is found in a foreign organization.
  statements: async (database, { organizationId }) => {
    const month = `${randomInt(1000, 9999)}-0${randomInt(1, 9)}`
    await sql`insert into statements values (${organizationId}, ${`${month}-01`}::date,
      0, 0, 0, 0, 0, 0)`.execute(database)
    return month
  },
  requests: makeRequest,
  'request-links': async (database, place, accountId) => {
    const id = uuidV7()
    const request = await makeRequest(database, place, accountId)
    const values = { id, organization_id: place.organizationId, request_id: request }
    await database
      .insertInto('request_links')
      .values({
        ...values,
        token_hash: randomBytes(32),
        created_by: accountId,
        ends_at: tomorrow(),
      })
      .execute()
    return id
  },
  vouchers: async (database, { ownerId }) => {
    const id = uuidV7()
    const kind = { organizations_max: 1, expires_at: null, credit_days: null, note: null }
    const maker = { made_by: ownerId, made_by_name: null }
    await database
      .insertInto('vouchers')
      .values({ id, code_hash: randomBytes(32), amount: 1, ...kind, ...maker })
      .execute()
    return id
  },
  engines: async (database) => {
    const engine = `e-${crypto.randomUUID()}`
    const order = { engine, state: 'disabled', ordered_by: 'test', note: null } as const
    await database.insertInto('engine_orders').values(order).execute()
    return engine
  },
}

function accountFacts(state: 'active' | 'waiting') {
  return { email: address(), state, registered: state === 'active' }
}

async function makeConnection(database: Database, { organizationId }: Place): Promise<string> {
  const id = uuidV7()
  const facts = { name: 'Provider', issuer: 'https://sso.example', client_id: 'headrace' }
  await database
    .insertInto('sso_connections')
    .values({
      id,
      organization_id: organizationId,
      ...facts,
      default_role: 'member',
      sealed_secret: createSealer([SIGNING_KEY], 'sso client secret').seal(
        Buffer.from('client secret'),
        id,
      ),
    })
    .execute()
  return id
}

/** A key of anybody, also of somebody who is no member. */
async function makeKey(
  database: Database,
  { projectId }: Place,
  accountId: string,
): Promise<string> {
  const id = uuidV7()
  const key = createApiKey('headrace')
  const values = { id, project_id: projectId, created_by: accountId, name: 'test' }
  await database
    .insertInto('api_keys')
    .values({ ...values, hash: hashApiKey(key), ...displayParts(key) })
    .execute()
  return id
}

/** A request that was made with a key of the account. */
async function makeRequest(database: Database, place: Place, accountId: string): Promise<string> {
  const { organizationId, projectId } = place
  const id = uuidV7()
  const keyId = await makeKey(database, place, accountId)
  await sql`
    insert into usage_records (opened_on, id, organization_id, project_id, credential_id,
      log_partition, model, outcome, basis, prompt_tokens, cached_tokens, completion_tokens,
      reasoning_tokens, cost, settled_at)
    values ((now() at time zone 'utc')::date, ${id}, ${organizationId}, ${projectId}, ${keyId},
      0, 'demo', 'completed', 'engine', 10, 0, 5, 0, 0, now())`.execute(database)
  // The account is a column of its own where the database has it.
  await sql`
    do $$ begin
      if exists (select from information_schema.columns
                 where table_name = 'usage_records' and column_name = 'account_id') then
        update usage_records set account_id = ${sql.lit(accountId)} where id = ${sql.lit(id)};
      end if;
    end $$`.execute(database)
  return id
}

async function newest(
  database: Database,
  table: 'sessions' | 'management_keys',
  column: 'account_id' | 'organization_id' | 'created_by',
  value: string,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)} where ${sql.ref(column)} = ${value}
    order by id desc limit 1`.execute(database)
  return rows[0]!.id
}

/** An organization with an owner who has no session. */
export async function openPlace(database: Database): Promise<Place> {
  const { id: organizationId, projectId } = await openOrganization(database, 'ample')
  const { id: ownerId } = await createAccount(database, accountFacts('active'))
  await addMember(database, { organizationId, accountId: ownerId }, 'owner')
  return { organizationId, projectId, ownerId }
}

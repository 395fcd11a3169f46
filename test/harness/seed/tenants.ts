import { changeFunds } from '../../../src/store/ledger/double-entry.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { createAccount } from '../../../src/store/tenants/accounts.ts'
import { storeApiKey, type KeySettings } from '../../../src/store/tenants/api-keys.ts'
import { addMember } from '../../../src/store/tenants/memberships.ts'
import { createOrganization } from '../../../src/store/tenants/organizations.ts'
import { findProject } from '../../../src/store/tenants/projects.ts'
import type { RaisedVersion } from '../../../src/store/tenants/versions.ts'
import { createApiKey } from '../../../src/tenancy/api-key.ts'
import type { AccountState } from '../../../src/tenancy/identity.ts'

const KEY_PREFIX = 'headrace'

type Database = Postgres['database']

export type Organization = { readonly id: string; readonly projectId: string }

export type Key = { readonly id: string; readonly organization_id: string; readonly text: string }

export async function openOrganization(database: Database, plan: string): Promise<Organization> {
  const slug = `test-${crypto.randomUUID().slice(0, 13)}`
  const settings = { slug, name: slug, plan, retention: 'zero', ownerAccountId: null } as const
  const { id } = await createOrganization(database, settings)
  return { id, projectId: (await findProject(database, id, 'default')).id }
}

export type KeyOptions = Partial<KeySettings> & {
  readonly name?: string
  readonly accountId?: string
  readonly expiresAt?: Date
}

/** A key owned by a member, or by the organization. */
export async function openKey(
  database: Database,
  projectId: string,
  options: KeyOptions = {},
): Promise<Key> {
  const text = createApiKey(KEY_PREFIX)
  const { accountId, expiresAt, ...settings } = options
  const { id, organization_id } = await storeApiKey(database, text, {
    projectId,
    createdByAccountId: accountId ?? null,
    name: 'test',
    expiresAt: expiresAt ?? null,
    ...settings,
  })
  return { id, organization_id, text }
}

export type Caller = {
  readonly organizationId: string
  readonly projectId: string
  readonly key: string
}

/** A new organization with a key of its default project. */
export async function openCaller(database: Database, plan: string): Promise<Caller> {
  const { id, projectId } = await openOrganization(database, plan)
  return { organizationId: id, projectId, key: (await openKey(database, projectId)).text }
}

/** An account that belongs to no organization yet. */
export async function openAccount(
  database: Database,
  state: AccountState = 'active',
  registered = true,
): Promise<string> {
  const email = `${crypto.randomUUID()}@example.com`
  return (await createAccount(database, { email, state, registered })).id
}

export async function join(
  database: Database,
  organizationId: string,
  accountId: string,
): Promise<void> {
  await addMember(database, { organizationId, accountId }, 'member')
}

/** Adds to a balance, in micro-units. Returns the versions that Valkey must learn. */
export async function grantFunds(
  database: Database,
  organizationId: string,
  amount: number,
): Promise<readonly RaisedVersion[]> {
  const { raised } = await changeFunds(database, {
    organizationId,
    amount,
    kind: 'grant',
    reference: crypto.randomUUID(),
    madeBy: 'test',
    reason: 'a test',
  })
  return raised
}

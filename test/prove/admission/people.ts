import { createAccount } from '../../../src/store/tenants/accounts.ts'
import { storeApiKey } from '../../../src/store/tenants/api-keys.ts'
import { addMember } from '../../../src/store/tenants/memberships.ts'
import { createOrganization } from '../../../src/store/tenants/organizations.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { findProject } from '../../../src/store/tenants/projects.ts'
import { createApiKey } from '../../../src/tenancy/api-key.ts'
import type { AccountState } from '../../../src/tenancy/identity.ts'

const KEY_PREFIX = 'headrace'

type Database = Postgres['database']

export type Organization = { readonly id: string; readonly projectId: string }

export type Key = { readonly id: string; readonly organization_id: string; readonly text: string }

export async function openOrganization(database: Database, plan: string): Promise<Organization> {
  const slug = `admission-${crypto.randomUUID().slice(0, 13)}`
  const { id } = await createOrganization(database, {
    slug,
    name: slug,
    plan,
    retention: 'zero',
    ownerAccountId: null,
  })
  return { id, projectId: (await findProject(database, id, 'default')).id }
}

/** A key of a person, or of the organization as a whole. */
export async function openKey(
  database: Database,
  projectId: string,
  options: { readonly accountId?: string; readonly expiresAt?: Date } = {},
): Promise<Key> {
  const text = createApiKey(KEY_PREFIX)
  const { id, organization_id } = await storeApiKey(database, text, {
    projectId,
    createdByAccountId: options.accountId ?? null,
    name: 'admission',
    expiresAt: options.expiresAt ?? null,
  })
  return { id, organization_id, text }
}

/** An account, not a member of anything yet. */
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

/** Does it for each, a few at once. */
export async function forEach<T>(
  values: Iterable<T>,
  atOnce: number,
  act: (value: T) => Promise<void>,
): Promise<void> {
  const waiting = values[Symbol.iterator]()
  const lane = async () => {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) await act(next.value)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}

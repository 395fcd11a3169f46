import type { Config } from '../../config/load.ts'
import { createOperator } from '../../platform/sign-in/accounts/password-links.ts'
import { createKey } from '../../platform/keys/create-key.ts'
import { addMember } from '../../platform/members/add-member.ts'
import { createOrganization } from '../../platform/organizations/create-organization.ts'
import { createSignInLink } from '../../platform/sign-in/sessions/sign-in-link.ts'
import { findAccount } from '../../store/tenants/accounts.ts'
import { findByKeyHash } from '../../store/tenants/identities.ts'
import { findOrganization } from '../../store/tenants/organizations.ts'
import { hashApiKey, parseApiKey } from '../../tenancy/api-key.ts'
import type { Platform } from '../open-platform.ts'

export const DEMO_ORGANIZATION = 'demo'
export const DEMO_OPERATOR = 'operator@example.com'
const ACTOR = { kind: 'operator_shell', name: 'headrace dev', request: null } as const

/** Reuses the key of the previous run if it still works. */
export async function demoKey(
  { environment, postgres }: Platform,
  config: Config,
  previous: string | undefined,
): Promise<string> {
  const { pool, database } = postgres
  const known = previous === undefined ? undefined : parseApiKey(previous, config.api.key_prefix)
  const identity = known && (await findByKeyHash(pool, hashApiKey(known)))
  if (known !== undefined && identity?.credential.kind === 'api_key') {
    if (identity.credential.revokedAt === null) return known
  }
  const slug = DEMO_ORGANIZATION
  const { id } = await findOrganization(database, slug).catch(() =>
    createOrganization(environment, ACTOR, { slug, name: 'Demo' }),
  )
  return (await createKey(environment, ACTOR, { organization: id, name: 'headrace dev' })).key
}

/** Signs in as an operator who also owns the demo organization. */
export async function operatorLink({ environment, postgres }: Platform): Promise<string> {
  const known = await findAccount(postgres.database, DEMO_OPERATOR).catch(() => undefined)
  if (known === undefined) {
    await createOperator(environment, ACTOR, { email: DEMO_OPERATOR })
    const owner = { account: DEMO_OPERATOR, role: 'owner' } as const
    await addMember(environment, ACTOR, { organization: DEMO_ORGANIZATION, ...owner })
  }
  return createSignInLink(environment, ACTOR, { account: DEMO_OPERATOR })
}

import { findAccount } from '../../store/tenants/accounts.ts'
import { findOrganization } from '../../store/tenants/organizations.ts'
import { displayApiKey } from '../../tenancy/api-key.ts'
import { pageAddress } from '../sign-in/accounts/links.ts'
import type { Environment } from '../use-case/environment.ts'
import { tellAccounts, tellOwners } from '../members/tell-owners.ts'

type RevokedKey = {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly last4: string
  /** Null for a key that belongs to the organization. */
  readonly created_by: string | null
  /** Null for a key of the platform. */
  readonly organization_id: string | null
}

/** Tells whoever owns a key, and the owners of its organization, that its secret was found. */
export function tellKeyRevoked(environment: Environment, key: RevokedKey): void {
  const { database, settings } = environment
  environment.later(key.id, async () => {
    const { created_by: ownerId, organization_id: organizationId } = key
    const organization =
      organizationId === null ? undefined : await findOrganization(database, organizationId)
    const page = organization === undefined ? 'operator' : `o/${organization.slug}/keys`
    const message = {
      kind: 'key_revoked',
      name: key.name,
      shownAs: displayApiKey(key),
      link: pageAddress(settings, page),
    } as const
    const owner = ownerId === null ? undefined : await findAccount(database, ownerId)
    if (owner !== undefined) await tellAccounts(environment, [owner.email], message)
    if (organization !== undefined)
      await tellOwners(environment, organization.id, message, owner?.email)
  })
}

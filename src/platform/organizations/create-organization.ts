import { createOrganization as storeOrganization } from '../../store/tenants/organizations.ts'
import type { Retention } from '../../tenancy/retention.ts'
import { findGrantee } from '../sign-in/accounts/find-grantee.ts'
import { shortenForOwner } from '../sign-in/sessions/shorten-for-owner.ts'
import { defineChange } from '../use-case/use-case.ts'
import { checkPlan } from './check-plan.ts'
import { createdOrganization } from './created-organization.ts'

export type CreateOrganizationInput = {
  readonly slug: string
  /** Default: the slug. */
  readonly name?: string
  /** Default: the default plan of the configuration. */
  readonly plan?: string
  readonly retention?: Exclude<Retention, 'contributor'>
  /** The account that becomes the owner: email address or id. */
  readonly owner?: string
}

/** Creates an organization with one project, for somebody else. */
export const createOrganization = defineChange(
  { action: 'organization.create', permission: 'platform:write' },
  async ({ environment, transaction }, input: CreateOrganizationInput) => {
    const { slug, name = slug, plan = environment.settings.default_plan } = input
    checkPlan(plan, environment.settings)
    const owner = input.owner === undefined ? null : await findGrantee(transaction, input.owner)
    const row = await storeOrganization(transaction, {
      slug,
      name,
      plan,
      retention: input.retention ?? 'zero',
      ownerAccountId: owner?.id ?? null,
    })
    if (owner !== null) await shortenForOwner(environment, transaction, owner.id, 'owner')
    return createdOrganization(row, owner?.email ?? null)
  },
)

import type { OrganizationUpdate } from '../../../contract/management/operator-organization.ts'
import type { OrganizationChanges } from '../../../store/tenants/organizations.ts'
import type { LimitOverrides } from '../../../tenancy/identity.ts'

/** The names of the store for what an operator sent. */
export function changesOf(body: OrganizationUpdate): OrganizationChanges {
  const { name, plan, billing_state: billingState, suspension, limits = {} } = body
  const overrides = overridesOf(limits)
  return {
    ...(name !== undefined && { name }),
    ...(plan !== undefined && { plan }),
    ...(billingState !== undefined && { billingState }),
    ...(suspension !== undefined && { suspendedReason: suspension?.reason ?? null }),
    ...(Object.keys(overrides).length > 0 && { limits: overrides }),
  }
}

function overridesOf(limits: NonNullable<OrganizationUpdate['limits']>): Partial<LimitOverrides> {
  const overrides = {
    requestsPerMinute: limits.requests_per_minute,
    requestsPerDay: limits.requests_per_day,
    tokensPerMinute: limits.tokens_per_minute,
    tokensPerDay: limits.tokens_per_day,
  }
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given)
}

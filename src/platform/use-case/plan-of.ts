import { readPlans, type Plan } from '../../tenancy/plan.ts'
import type { Settings } from './environment.ts'

/** The plan of an organization; undefined if the operator no longer offers it. */
export function planOf(settings: Settings, organization: { readonly plan: string }) {
  const plans: ReadonlyMap<string, Plan> = readPlans(settings.plans, settings.models)
  return plans.get(organization.plan)
}

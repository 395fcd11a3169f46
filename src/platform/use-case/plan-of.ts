import { readPlans, type Plan } from '../../tenancy/plan.ts'
import type { Settings } from './environment.ts'

/** The plan of an organization; undefined if the operator no longer offers it. */
export function planOf(settings: Settings, organization: { readonly plan: string }) {
  const plans: ReadonlyMap<string, Plan> = readPlans(settings.plans, settings.models)
  return plans.get(organization.plan)
}

/** The models that a plan may use; none without a plan. */
export function modelsOf(settings: Settings, plan: Plan | undefined): Settings['models'] {
  return settings.models.filter(
    ({ id }) => plan !== undefined && (plan.models === 'all' || plan.models.has(id)),
  )
}

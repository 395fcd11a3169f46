import type { Plan } from '../../contract/management/operator-system.ts'
import { readPlans, type PlanSettings } from '../../tenancy/plan.ts'
import type { Settings } from '../use-case/environment.ts'
import { viewMoney } from '../use-case/view-money.ts'
import { defineRead } from '../use-case/use-case.ts'

/** The plans of the configuration. */
export const listPlans = defineRead(
  { action: 'plan.list', permission: 'platform:read' },
  ({ environment }, _input: object) => Promise.resolve({ data: viewPlans(environment.settings) }),
)

function viewPlans(settings: Settings): Plan[] {
  const { models, currency } = settings
  return [...readPlans(settings.plans, models).values()].map((plan) => ({
    name: plan.name,
    default: plan.name === settings.default_plan,
    models: modelsOf(plan.models, models),
    credentials: [...plan.credentials],
    ignored_parameters: [...plan.ignoredParameters],
    billing: plan.billing,
    ...viewLimits(settings.plans[plan.name]!.limits),
    weight: plan.weight,
    priority: plan.priority,
    prices: Object.fromEntries(
      [...plan.prices].map(([model, price]) => [
        model,
        {
          input: viewMoney(price.input, currency),
          cached_input: viewMoney(price.cachedInput, currency),
          output: viewMoney(price.output, currency),
        },
      ]),
    ),
  }))
}

function viewLimits(limits: PlanSettings['limits']) {
  const { concurrent_requests, concurrent_requests_per_key, ...others } = limits
  const { concurrent_requests_per_model = {}, ...rates } = others
  const ofOrganization = concurrent_requests === undefined ? {} : { concurrent_requests }
  const ofKey = concurrent_requests_per_key === undefined ? {} : { concurrent_requests_per_key }
  return {
    limits: { ...rates, ...ofOrganization, ...ofKey },
    concurrent_requests_per_model: { ...concurrent_requests_per_model },
  }
}

/** The models of the catalog that a plan includes. */
export function modelsOf(
  included: 'all' | ReadonlySet<string>,
  catalog: readonly { readonly id: string }[],
): string[] {
  const ids = catalog.map(({ id }) => id)
  return included === 'all' ? ids : ids.filter((id) => included.has(id))
}

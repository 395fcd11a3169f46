import type { Plan } from '../../contract/management/operator-system.ts'
import { readPlans } from '../../tenancy/plan.ts'
import type { Settings } from '../environment.ts'
import { viewMoney } from '../view-money.ts'
import { defineRead } from '../use-case.ts'

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
    billing: plan.billing,
    limits: { ...settings.plans[plan.name]!.limits },
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

/** The models of the catalog that a plan includes. */
export function modelsOf(
  included: 'all' | ReadonlySet<string>,
  catalog: readonly { readonly id: string }[],
): string[] {
  const ids = catalog.map(({ id }) => id)
  return included === 'all' ? ids : ids.filter((id) => included.has(id))
}

import type { PlanModels } from '../../contract/management/billing.ts'
import { defaultOutputTokens } from '../../contract/prompt-bound.ts'
import type { Price } from '../../tenancy/price.ts'
import { modelsOf, planOf } from '../use-case/plan-of.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewMoney } from '../use-case/view-money.ts'
import { readCapabilities } from './model-capabilities.ts'
import { readAvailability } from './model-availability.ts'

/** The models of the organization's plan with their prices. The file bounds their number. */
export const listModels = defineRead(
  { action: 'model.list', permission: 'organization:read' },
  async ({ environment, access }): Promise<PlanModels> => {
    const { organization } = access
    const { settings } = environment
    const plan = planOf(settings, organization)
    const availabilityOf = await readAvailability(environment, organization.id)
    const capabilitiesOf = await readCapabilities(environment, organization.id)
    const data = modelsOf(settings, plan).map((model) => ({
      id: model.id,
      owned_by: model.owned_by,
      context_length: model.context_length ?? null,
      max_output_tokens: model.max_output_tokens ?? null,
      default_output_tokens: defaultOutputTokens(model),
      shutdown_date: model.shutdown_date,
      availability: availabilityOf(model),
      capabilities: capabilitiesOf(model.id),
      reasoning_efforts: [...(model.reasoning?.supported_efforts ?? [])],
      prices: viewPrices(plan?.prices.get(model.id), settings.currency),
    }))
    return { plan: organization.plan, billing: plan?.billing ?? null, data }
  },
)

function viewPrices(price: Price | undefined, currency: string) {
  if (price === undefined) return null
  return {
    input: viewMoney(price.input, currency),
    cached_input: viewMoney(price.cachedInput, currency),
    output: viewMoney(price.output, currency),
  }
}

import { joinIgnored, type IgnorableParameter } from '../contract/ignorable-parameters.ts'
import type { Billing } from './funds.ts'
import { priceFrom, type Price, type PriceSettings } from './price.ts'
import type { ConcurrencyLimits, RateLimits } from './rate-limits.ts'

export const CREDENTIAL_KINDS = ['api_key', 'playground'] as const

export type CredentialKind = (typeof CREDENTIAL_KINDS)[number]

export type Priority = 'interactive' | 'standard' | 'batch'

const PRIORITY_WEIGHTS: Readonly<Record<Priority, number>> = {
  interactive: 8,
  standard: 1,
  batch: 1 / 8,
}

/** The share of engines that are in demand, relative to a plan of weight 1 and no priority. */
export function shareOf({ weight, priority }: Pick<Plan, 'weight' | 'priority'>): number {
  return weight * PRIORITY_WEIGHTS[priority]
}

/** A plan that the operator offers. */
export type Plan = {
  readonly name: string
  readonly limits: RateLimits
  readonly concurrency: ConcurrencyLimits
  readonly weight: number
  readonly priority: Priority
  readonly models: 'all' | ReadonlySet<string>
  readonly credentials: ReadonlySet<CredentialKind>
  /** What requests may have without effect. */
  readonly ignoredParameters: readonly IgnorableParameter[]
  readonly billing: Billing
  /** By model id, for every model of the plan; empty if nothing is billed. */
  readonly prices: ReadonlyMap<string, Price>
}

export type Plans = ReadonlyMap<string, Plan>

/** A plan as in the configuration file. */
export type PlanSettings = {
  readonly models: 'all' | readonly string[]
  readonly credentials: readonly string[]
  readonly ignored_parameters: readonly string[]
  readonly limits: {
    readonly requests_per_minute: number
    readonly requests_per_day: number
    readonly tokens_per_minute: number
    readonly tokens_per_day: number
    readonly concurrent_requests?: number | undefined
    readonly concurrent_requests_per_key?: number | undefined
    readonly concurrent_requests_per_model?: Readonly<Record<string, number>> | undefined
  }
  readonly weight: number
  readonly priority: Priority
  readonly billing: Billing
  readonly prices: Readonly<Record<string, PriceSettings>>
}

type ModelSettings = { readonly id: string; readonly price?: PriceSettings | undefined }

export function readPlans(
  plans: Readonly<Record<string, PlanSettings>>,
  models: readonly ModelSettings[],
): Plans {
  return new Map(
    Object.entries(plans).map(([name, plan]) => [
      name,
      {
        name,
        models: plan.models === 'all' ? 'all' : new Set(plan.models),
        credentials: new Set(CREDENTIAL_KINDS.filter((kind) => plan.credentials.includes(kind))),
        ignoredParameters: joinIgnored(plan.ignored_parameters),
        limits: {
          requestsPerMinute: plan.limits.requests_per_minute,
          requestsPerDay: plan.limits.requests_per_day,
          tokensPerMinute: plan.limits.tokens_per_minute,
          tokensPerDay: plan.limits.tokens_per_day,
        },
        concurrency: concurrencyOf(plan),
        weight: plan.weight,
        priority: plan.priority,
        billing: plan.billing,
        prices: pricesUnder(plan, models),
      },
    ]),
  )
}

function concurrencyOf({ limits }: PlanSettings): ConcurrencyLimits {
  return {
    organization: limits.concurrent_requests ?? null,
    key: limits.concurrent_requests_per_key ?? null,
    models: new Map(Object.entries(limits.concurrent_requests_per_model ?? {})),
  }
}

function pricesUnder(plan: PlanSettings, models: readonly ModelSettings[]): Map<string, Price> {
  const prices = new Map<string, Price>()
  if (plan.billing === 'none') return prices
  for (const { id, price } of models) {
    const own = Object.hasOwn(plan.prices, id) ? plan.prices[id] : price
    if (own !== undefined && (plan.models === 'all' || plan.models.includes(id)))
      prices.set(id, priceFrom(own))
  }
  return prices
}

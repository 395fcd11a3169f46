import type { RateLimits } from './rate-limits.ts'

export const CREDENTIAL_KINDS = ['api_key', 'playground'] as const

export type CredentialKind = (typeof CREDENTIAL_KINDS)[number]

/** What the operator sells under one name. */
export type Plan = {
  readonly name: string
  readonly limits: RateLimits
  readonly models: 'all' | ReadonlySet<string>
  readonly credentials: ReadonlySet<CredentialKind>
}

export type Plans = ReadonlyMap<string, Plan>

/** A plan as the operator's file spells it. */
export type PlanSettings = {
  readonly models: 'all' | readonly string[]
  readonly credentials: readonly string[]
  readonly limits: {
    readonly requests_per_minute: number
    readonly requests_per_day: number
    readonly tokens_per_minute: number
    readonly tokens_per_day: number
  }
}

export function readPlans(settings: Readonly<Record<string, PlanSettings>>): Plans {
  return new Map(
    Object.entries(settings).map(([name, plan]) => [
      name,
      {
        name,
        models: plan.models === 'all' ? 'all' : new Set(plan.models),
        credentials: new Set(CREDENTIAL_KINDS.filter((kind) => plan.credentials.includes(kind))),
        limits: {
          requestsPerMinute: plan.limits.requests_per_minute,
          requestsPerDay: plan.limits.requests_per_day,
          tokensPerMinute: plan.limits.tokens_per_minute,
          tokensPerDay: plan.limits.tokens_per_day,
        },
      },
    ]),
  )
}

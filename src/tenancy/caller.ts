import type { IgnorableParameter } from '../contract/ignorable-parameters.ts'
import type { Funds } from './funds.ts'
import type { KeyLimits } from './key-limits.ts'
import type { CredentialKind, Priority } from './plan.ts'
import type { Price } from './price.ts'
import type { ConcurrencyLimits, RateLimits } from './rate-limits.ts'
import type { ContributorTerms, Retention } from './retention.ts'

/**
 * The owner of a credential in good standing, with everything that the request path needs to know.
 */
export type Caller = {
  readonly organizationId: string
  readonly projectId: string
  /** Null for an API key that is owned by the organization, not by a member. */
  readonly accountId: string | null
  readonly credentialKind: CredentialKind
  readonly credentialId: string
  readonly retention: Retention
  /** The consent to `contributor` retention. */
  readonly terms: ContributorTerms | null
  readonly plan: string
  /** Of the plan. */
  readonly models: 'all' | ReadonlySet<string>
  /** Of the API key, which can use those of the plan that are in it; null means all of them. */
  readonly keyModels: ReadonlySet<string> | null
  /** Of the plan and of the API key together: what requests may have without effect. */
  readonly ignoredParameters: readonly IgnorableParameter[]
  readonly limits: RateLimits
  readonly concurrency: ConcurrencyLimits
  /** Of the plan: its share of engines that are in demand, relative to other organizations. */
  readonly weight: number
  /** Of the plan: who waits when engines are in demand. */
  readonly priority: Priority
  readonly funds: Funds
  readonly keyLimits: KeyLimits | null
  /** By model id; models without a price are free. */
  readonly prices: ReadonlyMap<string, Price>
  /** The organization's version when this was read. */
  readonly version: number
}

/** Whether both the plan and the key allow the model. */
export function mayUse({ models, keyModels }: Caller, model: string): boolean {
  return (models === 'all' || models.has(model)) && (keyModels?.has(model) ?? true)
}

import type { Funds } from './funds.ts'
import type { CredentialKind } from './plan.ts'
import type { Price } from './price.ts'
import type { RateLimits } from './rate-limits.ts'
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
  readonly models: 'all' | ReadonlySet<string>
  readonly limits: RateLimits
  readonly funds: Funds
  /** By model id; models without a price are free. */
  readonly prices: ReadonlyMap<string, Price>
  /** The organization's version when this was read. */
  readonly version: number
}

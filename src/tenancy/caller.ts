import type { Funds } from './funds.ts'
import type { CredentialKind } from './plan.ts'
import type { Price } from './price.ts'
import type { RateLimits } from './rate-limits.ts'
import type { ContributorTerms, Retention } from './retention.ts'

/**
 * A credential in good standing: what the request path needs to know, and nothing that it could
 * misjudge.
 */
export type Caller = {
  readonly organizationId: string
  readonly projectId: string
  /** Null for an API key that belongs to the organization and not to one of its members. */
  readonly accountId: string | null
  readonly credentialKind: CredentialKind
  readonly credentialId: string
  readonly retention: Retention
  /** The consent behind a retention as `contributor`. */
  readonly terms: ContributorTerms | null
  readonly plan: string
  readonly models: 'all' | ReadonlySet<string>
  readonly limits: RateLimits
  readonly funds: Funds
  /** Of the models that cost something, by their id. */
  readonly prices: ReadonlyMap<string, Price>
  /** The organization's version that all of this was read at. */
  readonly version: number
}

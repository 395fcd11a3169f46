import type { RateLimits } from './rate-limits.ts'
import type { ContributorTerms, Retention } from './retention.ts'
import type { Role } from './role.ts'

export const ACCOUNT_STATES = ['waiting', 'active', 'restricted'] as const
export type AccountState = (typeof ACCOUNT_STATES)[number]

export const BILLING_STATES = ['ok', 'exhausted', 'conflict'] as const
export type BillingState = (typeof BILLING_STATES)[number]

export type MembershipState = 'active' | 'removed'

/** Limits that hold for one organization whatever its plan says; null leaves the plan's. */
export type LimitOverrides = {
  readonly [dimension in keyof RateLimits]: RateLimits[dimension] | null
}

/**
 * The facts that are stored about one credential, read in one piece and judged by `judgeStanding`.
 *
 * It may be cached for as long as `organization.version` is the newest: whoever changes any of
 * these facts raises that version. Time is the only thing that changes them without anyone's doing,
 * and is judged at each use. What was spent is the exception: it is posted without raising the
 * version, and only used where the admission script has no newer word.
 */
export type Identity = {
  readonly credential: IdentityCredential
  readonly project: {
    readonly id: string
    readonly archived: boolean
    /** For one calendar month (UTC), in micro-units; null is none. */
    readonly spendingLimit: number | null
    /** What was posted this month; only read where there is a limit, 0 otherwise. */
    readonly spent: number
  }
  readonly organization: {
    readonly id: string
    readonly plan: string
    readonly limitOverrides: LimitOverrides
    readonly retention: Retention
    readonly terms: ContributorTerms | null
    readonly billingState: BillingState
    /** What the books hold, in micro-units: all that was ever granted, and all that was spent. */
    readonly granted: number
    readonly spent: number
    readonly version: number
  }
  /** Null for an API key that belongs to the organization and not to one of its members. */
  readonly account: {
    readonly id: string
    readonly state: AccountState
    readonly registered: boolean
  } | null
  /** Null when the account never was a member, and when there is no account. */
  readonly membership: { readonly role: Role; readonly state: MembershipState } | null
}

export type IdentityCredential =
  | {
      readonly kind: 'api_key'
      readonly id: string
      readonly expiresAt: Date | null
      readonly revokedAt: Date | null
    }
  | { readonly kind: 'playground'; readonly id: string; readonly expiresAt: Date }

/**
 * The accounts cannot be read at the moment. Says nothing about the credential that was asked for.
 */
export class AccountsUnavailable extends Error {
  override readonly name = 'AccountsUnavailable'
}

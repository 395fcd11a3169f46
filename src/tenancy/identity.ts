import type { Networks } from '../lib/addresses/networks.ts'
import type { KeyLimits } from './key-limits.ts'
import type { RateLimits } from './rate-limits.ts'
import type { ContributorTerms, Retention } from './retention.ts'
import type { Role } from './role.ts'

export const ACCOUNT_STATES = ['waiting', 'active', 'restricted'] as const
export type AccountState = (typeof ACCOUNT_STATES)[number]

export const BILLING_STATES = ['ok', 'exhausted', 'conflict'] as const
export type BillingState = (typeof BILLING_STATES)[number]

export type MembershipState = 'active' | 'removed'

/** Limits of one organization that override those of its plan; null means no override. */
export type LimitOverrides = {
  readonly [dimension in keyof RateLimits]: RateLimits[dimension] | null
}

/**
 * Everything that is stored about one credential, read at once and checked by `checkStanding`.
 *
 * It may be cached while `organization.version` is the newest: every change to these facts raises
 * that version. Expiry depends on time alone, so it is checked at each use. Spending is the
 * exception: it is posted without raising the version, and used only if the admission script has no
 * newer value.
 */
export type Identity = {
  readonly credential: IdentityCredential
  readonly project: {
    readonly id: string
    readonly archived: boolean
    /** Per calendar month (UTC), in micro-units; null means no limit. */
    readonly spendingLimit: number | null
    /** Posted this month; read only if there is a limit, 0 otherwise. */
    readonly spent: number
  }
  readonly organization: {
    readonly id: string
    readonly plan: string
    readonly limitOverrides: LimitOverrides
    readonly retention: Retention
    readonly terms: ContributorTerms | null
    readonly billingState: BillingState
    /** The month of an invoice that is unpaid for too long, as 2026-10; null if there is none. */
    readonly overdueMonth: string | null
    /** By the operator: none of its credentials works. */
    readonly suspended: boolean
    /** Where its credentials may be used; null means anywhere. */
    readonly allowedNetworks: Networks | null
    /** Totals of the ledger in micro-units: ever granted, and ever spent. */
    readonly granted: number
    readonly spent: number
    /** What it may owe at most on a postpaid plan, in micro-units; null means any amount. */
    readonly creditLimit: number | null
    /** What its unpaid invoices amount to; read only if there is a credit limit, 0 otherwise. */
    readonly receivable: number
    readonly version: number
  }
  /** Null for an API key that is owned by the organization, not by a member. */
  readonly account: {
    readonly id: string
    readonly state: AccountState
    readonly registered: boolean
  } | null
  /** Null if the account never was a member, or if there is no account. */
  readonly membership: { readonly role: Role; readonly state: MembershipState } | null
}

export type IdentityCredential =
  | {
      readonly kind: 'api_key'
      readonly id: string
      readonly expiresAt: Date | null
      readonly revokedAt: Date | null
      /** Null means all of the plan. */
      readonly models: ReadonlySet<string> | null
      /** Added to those of the plan. */
      readonly ignoredParameters: readonly string[]
      /** Null if nothing but the organization and the project limits it. */
      readonly limits: KeyLimits | null
    }
  | { readonly kind: 'playground'; readonly id: string; readonly expiresAt: Date }

/** The accounts cannot be read at the moment. The credential may still be valid. */
export class AccountsUnavailable extends Error {
  override readonly name = 'AccountsUnavailable'
}

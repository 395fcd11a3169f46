import { ApiError } from '../contract/error.ts'
import type { Caller } from './caller.ts'
import type { Identity } from './identity.ts'
import type { Plan, Plans } from './plan.ts'
import type { RateLimits } from './rate-limits.ts'
import { retentionInForce } from './retention.ts'

/**
 * The same words for every cause, so that a stranger cannot tell a key that once worked from one
 * that never did.
 */
const INVALID_API_KEY =
  'The API key or playground credential is not valid. It may be incorrect, revoked or expired.'

/** What the operator offers to whom it lets in. */
export type Offer = {
  readonly plans: Plans
  /** Whether there is a key to encrypt content with; without one nothing is kept. */
  readonly keepsContent: boolean
}

/**
 * Judges a credential. The order is fixed, because a caller who mends the first fault must then
 * meet the next one:
 *
 * 1. 401 `invalid_api_key`: unknown, revoked or expired, or its project is archived.
 * 2. 403 `account_restricted`: the account was shut out. It comes first, so that it is never told
 *    to join or to wait.
 * 3. 403 `platform_access_required`: the account waits for access.
 * 4. 403 `onboarding_pending`: the registration is unfinished. It stops the playground only, not
 *    API keys.
 * 5. 403 `organization_membership_required`: the account never joined the organization, or left it.
 * 6. 403 `plan_access_denied`: the plan excludes this kind of credential, or the operator has no
 *    such plan any more.
 *
 * An API key without an account belongs to the organization as a whole: an operator made it for a
 * service. There is no person to judge, so 2 to 5 do not apply, and it lives until it is revoked. A
 * playground credential always has an account.
 */
export function judgeStanding(
  identity: Identity | undefined,
  { plans, keepsContent }: Offer,
  nowMs: number,
): Caller {
  if (identity === undefined || !isValid(identity, nowMs)) {
    throw new ApiError('invalid_api_key', INVALID_API_KEY)
  }
  judgeAccount(identity)
  const plan = judgePlan(identity, plans)
  const { organization, project, credential, account } = identity
  return {
    organizationId: organization.id,
    projectId: project.id,
    accountId: account?.id ?? null,
    credentialKind: credential.kind,
    credentialId: credential.id,
    retention: retentionInForce(organization.retention, organization.terms, keepsContent),
    terms: organization.terms,
    plan: plan.name,
    models: plan.models,
    limits: limitsInForce(identity, plan),
    funds: {
      billing: plan.billing,
      granted: organization.granted,
      spent: organization.spent,
      spendingLimit: project.spendingLimit,
      projectSpent: project.spent,
    },
    prices: plan.prices,
    version: organization.version,
  }
}

/** 402 and 409. Only chat completions cost anything, so only they are judged by this. */
export function judgeBilling(identity: Identity): void {
  switch (identity.organization.billingState) {
    case 'ok':
      return
    case 'exhausted':
      throw new ApiError(
        'insufficient_balance',
        "The organization's balance or spending limit is exhausted. Add funds or raise the limit.",
        { headers: { 'x-should-retry': 'false' } },
      )
    case 'conflict':
      throw new ApiError(
        'billing_conflict',
        "The organization's billing is being changed. Retry when the change is complete.",
        { headers: { 'x-should-retry': 'false' } },
      )
  }
}

function isValid({ credential, project }: Identity, nowMs: number): boolean {
  if (credential.kind === 'api_key' && credential.revokedAt !== null) return false
  if (credential.expiresAt !== null && credential.expiresAt.getTime() <= nowMs) return false
  return !project.archived
}

function judgeAccount({ account, credential, membership }: Identity): void {
  if (account === null) {
    if (credential.kind === 'api_key') return
    throw new ApiError('invalid_api_key', INVALID_API_KEY)
  }
  if (account.state === 'restricted') {
    throw new ApiError('account_restricted', 'This account is restricted from using the API.')
  }
  if (account.state === 'waiting') {
    throw new ApiError(
      'platform_access_required',
      'This account has not been granted access to the platform yet.',
    )
  }
  if (credential.kind === 'playground' && !account.registered) {
    throw new ApiError(
      'onboarding_pending',
      'The registration of this account is not complete. Complete it to use the playground.',
    )
  }
  if (membership?.state !== 'active') {
    throw new ApiError(
      'organization_membership_required',
      'The account that this credential belongs to is not an active member of the organization.',
    )
  }
}

const CREDENTIAL_NAMES = { api_key: 'API keys', playground: 'the playground' } as const

function judgePlan({ credential, organization }: Identity, plans: Plans): Plan {
  const plan = plans.get(organization.plan)
  if (plan === undefined) {
    throw new ApiError(
      'plan_access_denied',
      "The organization's plan is no longer offered. Choose another plan to continue.",
    )
  }
  if (!plan.credentials.has(credential.kind)) {
    throw new ApiError(
      'plan_access_denied',
      `The organization's plan does not include access with ${CREDENTIAL_NAMES[credential.kind]}.`,
    )
  }
  return plan
}

function limitsInForce({ organization }: Identity, plan: Plan): RateLimits {
  const own = organization.limitOverrides
  return {
    requestsPerMinute: own.requestsPerMinute ?? plan.limits.requestsPerMinute,
    requestsPerDay: own.requestsPerDay ?? plan.limits.requestsPerDay,
    tokensPerMinute: own.tokensPerMinute ?? plan.limits.tokensPerMinute,
    tokensPerDay: own.tokensPerDay ?? plan.limits.tokensPerDay,
  }
}

import { ApiError } from '../contract/error.ts'
import { joinIgnored, type IgnorableParameter } from '../contract/ignorable-parameters.ts'
import { shortAddress } from '../lib/addresses/networks.ts'
import type { Caller } from './caller.ts'
import { organizationFunds } from './funds.ts'
import type { Identity, IdentityCredential, LimitOverrides } from './identity.ts'
import type { Plan, Plans } from './plan.ts'
import type { RateLimits } from './rate-limits.ts'
import { retentionInForce } from './retention.ts'

/**
 * The same message for every cause, so that it does not reveal whether a key ever worked.
 */
const INVALID_API_KEY =
  'The API key or playground credential is not valid. It may be incorrect, revoked or expired.'

export function invalidCredential(): ApiError {
  return new ApiError('invalid_api_key', INVALID_API_KEY)
}

/** The part of the configuration that standing depends on. */
export type StandingSettings = {
  readonly plans: Plans
  /** Whether there is a key to encrypt content; without one nothing is stored. */
  readonly keepsContent: boolean
}

/**
 * Returns the caller of a credential, or throws the first error in this documented order:
 *
 * 1. 401 `invalid_api_key`: unknown, revoked or expired, or its project is archived.
 * 2. 403 `account_restricted`: first of the 403s, so that a restricted account is not asked to join
 *    or to wait.
 * 3. 403 `platform_access_required`: the account is waiting for access.
 * 4. 403 `onboarding_pending`: the registration is not complete. Affects the playground only, not
 *    API keys.
 * 5. 403 `organization_membership_required`: the account never joined the organization, left it, or
 *    became a viewer, who may neither make keys nor open the playground.
 * 6. 403 `organization_suspended`: the operator suspended the organization. Only its members learn
 *    of that.
 * 7. 403 `plan_access_denied`: the plan excludes this kind of credential, or no longer exists.
 *
 * An API key without an account is owned by the organization: an operator created it for a service.
 * Then 2 to 5 do not apply, and it is valid until it expires or is revoked. A playground credential
 * always has an account.
 */
export function checkStanding(
  identity: Identity | undefined,
  { plans, keepsContent }: StandingSettings,
  nowMs: number,
): Caller {
  if (identity === undefined || !isValid(identity, nowMs)) throw invalidCredential()
  checkAccount(identity)
  checkSuspension(identity)
  const plan = checkPlan(identity, plans)
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
    keyModels: credential.kind === 'api_key' ? credential.models : null,
    ignoredParameters: ignoredBy(plan, credential),
    limits: limitsInForce(identity, plan),
    concurrency: plan.concurrency,
    weight: plan.weight,
    priority: plan.priority,
    funds: {
      ...organizationFunds(plan.billing, organization),
      spent: organization.spent,
      spendingLimit: project.spendingLimit,
      projectSpent: project.spent,
    },
    keyLimits: credential.kind === 'api_key' ? credential.limits : null,
    prices: plan.prices,
    version: organization.version,
  }
}

/** No look-up of its own: both lists arrive with the plan and the identity. */
function ignoredBy(plan: Plan, credential: IdentityCredential): readonly IgnorableParameter[] {
  if (credential.kind !== 'api_key' || credential.ignoredParameters.length === 0)
    return plan.ignoredParameters
  return joinIgnored(plan.ignoredParameters, credential.ignoredParameters)
}

/** 403, after the others. The address is only read if the organization has such a rule. */
export function checkNetwork(
  { organization: { allowedNetworks } }: Identity,
  readCallerAddress: () => string | undefined,
): void {
  if (allowedNetworks === null) return
  const address = readCallerAddress()
  if (allowedNetworks.has(address)) return
  throw networkRefusal(address)
}

/** For a caller in none of the networks that the organization allows. Says who can change that. */
export function networkRefusal(address: string | undefined): ApiError {
  const seen = address === undefined ? 'an unknown address' : shortAddress(address)
  return new ApiError(
    'network_not_allowed',
    `This organization does not allow calls from your network (${seen}). An owner can add it in ` +
      'the console, under Settings, Sign-in, Allowed networks.',
  )
}

/**
 * 402 and 409. Called for chat completions only, because other operations are free. What an
 * operator has set comes first. Unpaid invoices refuse nothing where there are no payments.
 */
export function checkBilling(
  { organization: { billingState, overdueMonth } }: Identity,
  hasPayments: boolean,
): void {
  switch (billingState) {
    case 'ok':
      if (overdueMonth === null || !hasPayments) return
      throw new ApiError(
        'insufficient_balance',
        `The organization's invoice for ${overdueMonth} is overdue. Pay it in the console, under ` +
          'Billing; requests work again as soon as it is paid.',
        { headers: { 'x-should-retry': 'false' } },
      )
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

function checkAccount({ account, credential, membership }: Identity): void {
  if (account === null) {
    if (credential.kind === 'api_key') return
    throw invalidCredential()
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
  if (membership.role === 'viewer') {
    throw new ApiError(
      'organization_membership_required',
      'The account that this credential belongs to is a viewer of the organization.',
    )
  }
}

function checkSuspension({ organization }: Identity): void {
  if (!organization.suspended) return
  throw new ApiError(
    'organization_suspended',
    'The operator suspended this organization. Its members find the reason in the console.',
  )
}

const CREDENTIAL_NAMES = { api_key: 'API keys', playground: 'the playground' } as const

function checkPlan({ credential, organization }: Identity, plans: Plans): Plan {
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

type HasLimits = { readonly organization: { readonly limitOverrides: LimitOverrides } }

/** Those of the plan, but for the ones that the organization has of its own. */
export function limitsInForce({ organization }: HasLimits, plan: Pick<Plan, 'limits'>): RateLimits {
  const own = organization.limitOverrides
  return {
    requestsPerMinute: own.requestsPerMinute ?? plan.limits.requestsPerMinute,
    requestsPerDay: own.requestsPerDay ?? plan.limits.requestsPerDay,
    tokensPerMinute: own.tokensPerMinute ?? plan.limits.tokensPerMinute,
    tokensPerDay: own.tokensPerDay ?? plan.limits.tokensPerDay,
  }
}

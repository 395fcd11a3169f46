import { ApiError } from '../contract/error.ts'
import type { Call } from '../http/call.ts'
import type { Caller } from '../tenancy/caller.ts'
import {
  LimitsUnavailable,
  type ConcurrencyLimit,
  type Dimension,
  type LimitsAsk,
  type LimitsDecision,
  type ModelShare,
} from '../tenancy/rate-limits.ts'
import type { OpenedRecord } from '../tenancy/usage-record.ts'
import { capacityHeaders, retryHeaders, type Headers } from './headers.ts'
import { unidentified, type Accounts, type Identified, type Stale } from './identify.ts'

export type Limits = { admit(ask: LimitsAsk): Promise<LimitsDecision> }

type AdmitDeps = {
  readonly accounts: Accounts
  readonly limits: Limits
  readonly usageLog: { release(opened: OpenedRecord): void }
}

/** An admitted request. */
export type Admission = {
  readonly kind: 'admitted'
  readonly caller: Caller
  readonly opened: OpenedRecord | null
} & ModelShare

/**
 * Admits a request exactly once with its usage record, or rejects it; `opened` is null for an
 * operation that uses no tokens. Stale if the organization changed since the caller was cached.
 * The response gets the rate-limit headers.
 */
export async function admit(
  call: Call,
  identified: Identified,
  opened: OpenedRecord | null,
  inputTokens: number,
  deps: AdmitDeps,
): Promise<Admission | Stale> {
  const { caller } = identified
  const decision = await decide(identified, opened, inputTokens, deps)
  if (decision.kind === 'stale') {
    if (identified.reread !== true) return { ...decision, opened }
    release(opened, deps)
    throw unavailable(new Error('an identity that bypassed the cache was stale'))
  }
  if (decision.kind === 'expired') throw unidentified(call, deps.accounts)
  if (decision.kind === 'unfunded') throw unfunded(decision.of, caller)
  const headers = capacityHeaders(decision.capacities, opened !== null)
  if (decision.kind === 'refused')
    throw rateLimited(decision, { caller, opened }, headers, inputTokens)
  Object.assign(call.headers, headers)
  const { virtualTime, running } = decision
  return { kind: 'admitted', caller, opened, virtualTime, running }
}

async function decide(
  { caller, fresh }: Identified,
  opened: OpenedRecord | null,
  inputTokens: number,
  deps: AdmitDeps,
): Promise<LimitsDecision> {
  const { organizationId, projectId, version, funds } = caller
  try {
    return await deps.limits.admit({
      organizationId,
      projectId,
      version,
      fresh,
      funds,
      key: caller.keyLimits,
      limits: caller.limits,
      concurrency: caller.concurrency,
      tokens: inputTokens,
      record: opened,
    })
  } catch (cause) {
    if (!(cause instanceof LimitsUnavailable)) throw cause
    if (cause.asked) release(opened, deps)
    throw unavailable(cause)
  }
}

/** Undoes an admission that may have happened although its reply was lost. */
function release(opened: OpenedRecord | null, { usageLog }: AdmitDeps): void {
  if (opened !== null) usageLog.release(opened)
}

function unavailable(cause: Error): ApiError {
  return new ApiError(
    'rate_limit_unavailable',
    'Rate limiting is temporarily unavailable. Retry shortly.',
    { cause, headers: retryHeaders(1_000, true) },
  )
}

const UNFUNDED = {
  organization: "The organization's balance does not cover this request. Add funds.",
  project: "The project's spending limit does not cover this request. Raise the limit.",
  key: "The API key's monthly budget does not cover this request. Raise the budget.",
} as const

const CREDIT_LIMIT_REACHED =
  "The organization's credit limit does not cover this request. Pay open invoices, or ask the " +
  'operator for a higher limit.'

/** Without rate-limit headers, like every 402: funds are checked before limits. */
function unfunded(of: keyof typeof UNFUNDED, { funds }: Caller): ApiError {
  const headers = { 'x-should-retry': 'false' }
  if (of === 'organization' && funds.billing === 'credit')
    return new ApiError('credit_limit_reached', CREDIT_LIMIT_REACHED, { headers })
  return new ApiError('insufficient_balance', UNFUNDED[of], { headers })
}

const NAMES: Readonly<Record<Dimension, readonly [unit: string, period: string]>> = {
  requestsPerMinute: ['request', 'minute'],
  requestsPerDay: ['request', 'day'],
  tokensPerMinute: ['token', 'minute'],
  tokensPerDay: ['token', 'day'],
}

const CONCURRENCY_NAMES: Readonly<Record<ConcurrencyLimit, string>> = {
  organization: 'concurrentRequests',
  key: 'keyConcurrentRequests',
  model: 'modelConcurrentRequests',
}

type Refused = Extract<LimitsDecision, { kind: 'refused' }>
type Asking = Pick<Admission, 'caller' | 'opened'>

// Clients look for "rate limit" here; a phrase such as "too many tokens" would make agents shorten
// their conversation instead of waiting.
function rateLimited(
  refused: Refused,
  asking: Asking,
  capacity: Headers,
  tokens: number,
): ApiError {
  const { capacities, violated, ofKey, concurrent, never, retryAfterMs } = refused
  const daily = violated.some((each) => each.endsWith('PerDay'))
  const message = `${reachedBy(refused, asking)} ${adviceOf(never, daily, retryAfterMs)}`
  const ofMinute = violated.length === 0 && ofKey ? ['keyRequestsPerMinute'] : violated
  const rates = (Object.keys(NAMES) as Dimension[]).map((name) => ({
    name,
    needed: name.startsWith('requests') ? 1 : tokens,
    left: capacities[name].remaining,
    of: capacities[name].limit,
  }))
  const full = concurrent.map((each) => ({
    name: CONCURRENCY_NAMES[each],
    needed: 1,
    left: 0,
    of: concurrencyOf(each, asking),
  }))
  return new ApiError('rate_limit_exceeded', message, {
    headers: { ...capacity, ...retryHeaders(retryAfterMs, !daily && !never) },
    limits: [...ofMinute, ...full.map(({ name }) => name)],
    checked: [...rates, ...full],
  })
}

/** Names one limit: of a day, of a minute, of the key's minute, or of requests at once. */
function reachedBy({ capacities, violated, ofKey, concurrent }: Refused, asking: Asking): string {
  const daily = violated.find((each) => each.endsWith('PerDay'))
  const ofOrganization = daily ?? violated[0]
  const [full = 'organization'] = concurrent
  if (ofOrganization === undefined && !ofKey) return reachedAtOnce(full, asking)
  const named = ofOrganization ?? 'requestsPerMinute'
  const { keyLimits } = asking.caller
  const limit =
    ofOrganization === undefined ? keyLimits?.requestsPerMinute : capacities[named].limit
  const [unit, period] = NAMES[named]
  const units = limit === 1 ? unit : `${unit}s`
  const whose = ofOrganization === undefined ? 'This API key' : 'Your organization'
  return `${whose} reached its rate limit of ${limit} ${units} per ${period}.`
}

/** The model is one that is served: anything else is content and is not repeated. */
function reachedAtOnce(full: ConcurrencyLimit, asking: Asking): string {
  const limit = concurrencyOf(full, asking)
  const whose = full === 'key' ? 'This API key' : 'Your organization'
  const requests = limit === 1 ? 'request' : 'requests'
  const of = full === 'model' ? ` for ${asking.opened?.model}` : ''
  return `${whose} reached its rate limit of ${limit} concurrent ${requests}${of}.`
}

function concurrencyOf(which: ConcurrencyLimit, { caller, opened }: Asking): number {
  const { organization, key, models } = caller.concurrency
  const most = { organization, key, model: models.get(opened?.model ?? '') }[which]
  return most ?? 0
}

function adviceOf(never: boolean, daily: boolean, retryAfterMs: number): string {
  const resets = daily ? ' The limit resets at 00:00 UTC.' : ''
  if (never) return `This request alone needs more than that, so retrying does not help.${resets}`
  return daily ? resets.trim() : `Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s.`
}

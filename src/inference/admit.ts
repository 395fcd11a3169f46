import { ApiError } from '../contract/error.ts'
import type { Caller } from '../tenancy/caller.ts'
import {
  LimitsUnavailable,
  type Dimension,
  type LimitsAsk,
  type LimitsDecision,
} from '../tenancy/rate-limits.ts'
import type { OpenedRecord } from '../tenancy/usage-record.ts'
import { capacityHeaders, retryHeaders, type Headers } from './headers.ts'
import type { Identified } from './identify.ts'

export type Limits = { admit(ask: LimitsAsk): Promise<LimitsDecision> }

/** What a request asks to be let in for. */
export type Entry = {
  readonly requestId: string
  readonly inputTokens: number
  /** Whether the operation is limited by tokens too, and so reports them. */
  readonly countsTokens: boolean
  /** The usage record that the admission opens; null for an operation that uses nothing. */
  opens(caller: Caller): OpenedRecord | null
}

type AdmitDeps = {
  readonly limits: Limits
  readonly usageLog: { release(opened: OpenedRecord): void }
}

/** Proof that a request was let in, and what its answer says about the capacity that is left. */
export type Admission = {
  readonly requestId: string
  readonly caller: Caller
  readonly opened: OpenedRecord | null
  readonly headers: Headers
}

/**
 * Lets a request in exactly once, or refuses it. When something about its organization changed
 * since the caller was read, the caller is read afresh and judged again.
 */
export async function admit(
  identified: Identified,
  entry: Entry,
  deps: AdmitDeps,
  identifyUncached: () => Promise<Identified>,
): Promise<Admission> {
  const first = await ask(identified, entry, deps)
  if (first.decision.kind !== 'stale') return admissionOf(first, first.decision, entry)
  const again = await identifyUncached().catch((error: unknown) => {
    // The stale answer may be to a call that was sent again, and the first one may have admitted.
    release(first.opened, deps)
    throw error
  })
  const second = await ask(again, entry, deps)
  if (second.decision.kind !== 'stale') return admissionOf(second, second.decision, entry)
  release(second.opened, deps)
  throw unavailable(new Error('an identity that bypassed the cache was stale'))
}

/** A decision, with all that it was asked for. */
type Asked = {
  readonly caller: Caller
  readonly opened: OpenedRecord | null
  readonly decision: LimitsDecision
}

async function ask({ caller, fresh }: Identified, entry: Entry, deps: AdmitDeps): Promise<Asked> {
  const { organizationId, projectId, version, funds } = caller
  const opened = entry.opens(caller)
  try {
    const decision = await deps.limits.admit({
      organizationId,
      projectId,
      version,
      fresh,
      funds,
      limits: caller.limits,
      tokens: entry.inputTokens,
      record: opened,
    })
    return { caller, opened, decision }
  } catch (cause) {
    if (!(cause instanceof LimitsUnavailable)) throw cause
    if (cause.asked) release(opened, deps)
    throw unavailable(cause)
  }
}

/** Takes back an admission that nobody knows of, because its answer was lost. */
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

type Decided = Exclude<LimitsDecision, { kind: 'stale' }>

function admissionOf({ caller, opened }: Asked, decision: Decided, entry: Entry): Admission {
  if (decision.kind === 'unfunded') throw unfunded(decision.of)
  const headers = capacityHeaders(decision.capacities, entry.countsTokens)
  const { requestId } = entry
  if (decision.kind === 'admitted') return { requestId, caller, opened, headers }
  throw refusal(decision, headers)
}

const UNFUNDED = {
  organization: "The organization's balance does not cover this request. Add funds.",
  project: "The project's spending limit does not cover this request. Raise the limit.",
} as const

/** Without capacity headers: like every lack of funds, it is told before limits are looked at. */
function unfunded(of: keyof typeof UNFUNDED): ApiError {
  return new ApiError('insufficient_balance', UNFUNDED[of], {
    headers: { 'x-should-retry': 'false' },
  })
}

const NAMES: Readonly<Record<Dimension, readonly [unit: string, period: string]>> = {
  requestsPerMinute: ['request', 'minute'],
  requestsPerDay: ['request', 'day'],
  tokensPerMinute: ['token', 'minute'],
  tokensPerDay: ['token', 'day'],
}

// Clients look for "rate limit" here; words such as "too many tokens" would make agents shorten
// their conversation instead of waiting.
function refusal(
  { capacities, violated, never, retryAfterMs }: Extract<Decided, { kind: 'refused' }>,
  capacity: Headers,
): ApiError {
  const daily = violated.find((each) => each.endsWith('PerDay'))
  const named = daily ?? violated[0] ?? 'requestsPerMinute'
  const { limit } = capacities[named]
  const [unit, period] = NAMES[named]
  const units = limit === 1 ? unit : `${unit}s`
  const reached = `Your organization reached its rate limit of ${limit} ${units} per ${period}.`
  const message = `${reached} ${adviceOf(never, daily !== undefined, retryAfterMs)}`
  const worthwhile = daily === undefined && !never
  return new ApiError('rate_limit_exceeded', message, {
    headers: { ...capacity, ...retryHeaders(retryAfterMs, worthwhile) },
  })
}

function adviceOf(never: boolean, daily: boolean, retryAfterMs: number): string {
  const resets = daily ? ' The limit resets at 00:00 UTC.' : ''
  if (never) return `This request alone needs more than that, so retrying does not help.${resets}`
  return daily ? resets.trim() : `Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s.`
}

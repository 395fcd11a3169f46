import { ApiError } from '../contract/error.ts'
import type { Caller } from '../tenancy/caller.ts'
import {
  LimitsUnavailable,
  type Dimension,
  type LimitsAsk,
  type LimitsDecision,
} from '../tenancy/rate-limits.ts'
import { capacityHeaders, retryHeaders, type Headers } from './headers.ts'
import type { Identified } from './identify.ts'

export type Limits = { admit(ask: LimitsAsk): Promise<LimitsDecision> }

/** What a request asks to be let in for. */
export type Entry = {
  readonly requestId: string
  readonly inputTokens: number
  /** Whether the operation is limited by tokens too, and so reports them. */
  readonly countsTokens: boolean
}

/** Proof that a request was let in, and what its answer says about the capacity that is left. */
export type Admission = {
  readonly requestId: string
  readonly caller: Caller
  readonly headers: Headers
}

/**
 * Lets a request in exactly once, or refuses it. When something about its organization changed
 * since the caller was read, the caller is read afresh and judged again.
 */
export async function admit(
  identified: Identified,
  entry: Entry,
  limits: Limits,
  identifyAfresh: () => Promise<Identified>,
): Promise<Admission> {
  const decision = await ask(identified, entry, limits)
  if (decision.kind !== 'stale') return admissionOf(decision, identified.caller, entry)
  const again = await identifyAfresh()
  const second = await ask(again, entry, limits)
  if (second.kind !== 'stale') return admissionOf(second, again.caller, entry)
  throw new ApiError('rate_limit_unavailable', 'Rate limiting is temporarily unavailable. Retry.', {
    cause: new Error('an identity read afresh was stale'),
    headers: retryHeaders(1_000, true),
  })
}

async function ask(
  { caller, fresh }: Identified,
  entry: Entry,
  limits: Limits,
): Promise<LimitsDecision> {
  const { organizationId, projectId, credentialId, version } = caller
  const record = JSON.stringify({ id: entry.requestId, projectId, credentialId })
  try {
    return await limits.admit({
      organizationId,
      version,
      fresh,
      limits: caller.limits,
      tokens: entry.inputTokens,
      record,
    })
  } catch (cause) {
    if (!(cause instanceof LimitsUnavailable)) throw cause
    throw new ApiError(
      'rate_limit_unavailable',
      'Rate limiting is temporarily unavailable. Retry.',
      { cause, headers: retryHeaders(1_000, true) },
    )
  }
}

type Decided = Exclude<LimitsDecision, { kind: 'stale' }>

function admissionOf(decision: Decided, caller: Caller, entry: Entry): Admission {
  const headers = capacityHeaders(decision.capacities, entry.countsTokens)
  if (decision.kind === 'admitted') return { requestId: entry.requestId, caller, headers }
  throw refusal(decision, headers)
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
  if (never) return `This request alone costs more than that, so waiting does not help.${resets}`
  return daily ? resets.trim() : `Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s.`
}

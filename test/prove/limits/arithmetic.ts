// The four limits in exact arithmetic, written from the specification, not from the script.
import type { LimitsDecision } from '../../../src/tenancy/rate-limits.ts'
import type { Capacity, Dimension, RateLimits } from '../../../src/tenancy/rate-limits.ts'

const DAY = 86_400_000n
/** Per-minute amounts are counted in 60,000ths, of which a millisecond refills a whole number. */
const PART = 60_000n

/** What one organization has used, as of the latest moment at which something was admitted. */
export type Used = {
  readonly latest: bigint
  readonly missingRequests: bigint
  readonly missingTokens: bigint
  readonly requestsOfDay: bigint
  readonly tokensOfDay: bigint
}

type Cost = { readonly requests: bigint; readonly tokens: bigint }

const DIMENSIONS: readonly Dimension[] = [
  'requestsPerMinute',
  'requestsPerDay',
  'tokensPerMinute',
  'tokensPerDay',
]

export function unused(now: bigint): Used {
  return { latest: now, missingRequests: 0n, missingTokens: 0n, requestsOfDay: 0n, tokensOfDay: 0n }
}

/** The clock must have run ahead if it says less than this much before the latest moment. */
const BEHIND_MAX = 60_000n

/** After a clock that ran ahead was corrected, time goes on from now, and nothing refills. */
export function corrected(used: Used, now: bigint): Used {
  return used.latest > now + BEHIND_MAX ? { ...used, latest: now } : used
}

/** The same use as seen at another moment. A moment before the latest changes nothing. */
export function usedAt(used: Used, limits: RateLimits, moment: bigint): Used {
  if (moment <= used.latest) return used
  const elapsed = moment - used.latest
  const sameDay = moment / DAY === used.latest / DAY
  return {
    latest: moment,
    missingRequests: refill(used.missingRequests, limits.requestsPerMinute, elapsed),
    missingTokens: refill(used.missingTokens, limits.tokensPerMinute, elapsed),
    requestsOfDay: sameDay ? used.requestsOfDay : 0n,
    tokensOfDay: sameDay ? used.tokensOfDay : 0n,
  }
}

function refill(missing: bigint, limit: number, elapsed: bigint): bigint {
  const left = missing - BigInt(limit) * elapsed
  return left > 0n ? left : 0n
}

export function take(used: Used, cost: Cost): Used {
  return {
    latest: used.latest,
    missingRequests: used.missingRequests + cost.requests * PART,
    missingTokens: used.missingTokens + cost.tokens * PART,
    requestsOfDay: used.requestsOfDay + cost.requests,
    tokensOfDay: used.tokensOfDay + cost.tokens,
  }
}

function costIn(name: Dimension, cost: Cost): bigint {
  return name === 'requestsPerMinute' || name === 'requestsPerDay' ? cost.requests : cost.tokens
}

/** Whether the cost fits into one limit at the given moment if nothing else came until then. */
export function fits(
  name: Dimension,
  used: Used,
  limits: RateLimits,
  cost: Cost,
  at: bigint,
): boolean {
  if (costIn(name, cost) === 0n) return true
  const after = take(usedAt(used, limits, at), cost)
  const limit = BigInt(limits[name])
  if (name === 'requestsPerMinute') return after.missingRequests <= limit * PART
  if (name === 'tokensPerMinute') return after.missingTokens <= limit * PART
  return (name === 'requestsPerDay' ? after.requestsOfDay : after.tokensOfDay) <= limit
}

/** Until the cost fits; where it never will, until the day's end. */
export function waitFor(
  name: Dimension,
  used: Used,
  limits: RateLimits,
  cost: Cost,
  now: bigint,
): number {
  const dayEnd = untilDayEnds(used, now)
  const limit = BigInt(limits[name])
  if (costIn(name, cost) > limit || name.endsWith('Day')) return dayEnd
  const missing = name === 'requestsPerMinute' ? used.missingRequests : used.missingTokens
  const guess = used.latest + (missing + costIn(name, cost) * PART - limit * PART) / limit - now
  return soonest(guess, (wait) => fits(name, used, limits, cost, now + wait))
}

export function untilDayEnds(used: Used, now: bigint): number {
  const latest = used.latest > now ? used.latest : now
  return Number((latest / DAY + 1n) * DAY - now)
}

/** The first whole number of milliseconds for which a condition that stays true holds. */
function soonest(guess: bigint, holds: (wait: bigint) => boolean): number {
  if (holds(0n)) return 0
  let wait = guess > 0n ? guess : 0n
  while (!holds(wait)) wait += 1n
  while (holds(wait - 1n)) wait -= 1n
  return Number(wait)
}

export function report(used: Used, limits: RateLimits, now: bigint): Record<Dimension, Capacity> {
  const seen = usedAt(used, limits, now)
  const dayMs = untilDayEnds(used, now)
  const minute = (limit: number, field: 'missingRequests' | 'missingTokens'): Capacity => {
    const guess = limit === 0 ? 0n : used.latest + used[field] / BigInt(limit) - now
    const isFull = (wait: bigint) => limit === 0 || usedAt(used, limits, now + wait)[field] === 0n
    const remaining = atLeastZero(BigInt(limit) * PART - seen[field]) / PART
    return { limit, remaining: Number(remaining), resetMs: soonest(guess, isFull) }
  }
  const day = (limit: number, count: bigint): Capacity => {
    return { limit, remaining: Number(atLeastZero(BigInt(limit) - count)), resetMs: dayMs }
  }
  return {
    requestsPerMinute: minute(limits.requestsPerMinute, 'missingRequests'),
    requestsPerDay: day(limits.requestsPerDay, seen.requestsOfDay),
    tokensPerMinute: minute(limits.tokensPerMinute, 'missingTokens'),
    tokensPerDay: day(limits.tokensPerDay, seen.tokensOfDay),
  }
}

export function untilFull(missing: bigint, limit: bigint): bigint {
  return limit === 0n ? 0n : (missing + limit - 1n) / limit
}

function atLeastZero(number: bigint): bigint {
  return number > 0n ? number : 0n
}

/** Undefined if all four limits hold. */
export function refuse(
  before: Used,
  limits: RateLimits,
  tokens: number,
  now: bigint,
): LimitsDecision | undefined {
  const cost = costOf(tokens)
  const violated = DIMENSIONS.filter((name) => !fits(name, before, limits, cost, now))
  if (violated.length === 0) return undefined
  const capacities = report(before, limits, now)
  const waits = violated.map((name) => waitFor(name, before, limits, cost, now))
  const never = violated.some((name) => costIn(name, cost) > BigInt(limits[name]))
  const retryAfterMs = Math.max(...waits)
  const own = { ofKey: false, concurrent: [] }
  return { kind: 'refused', capacities, violated, ...own, retryAfterMs, never }
}

export function costOf(tokens: number): Cost {
  return { requests: 1n, tokens: BigInt(tokens) }
}

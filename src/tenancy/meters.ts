import { DAY_MS, MINUTE_MS } from '../lib/time.ts'
import type { Funds } from './funds.ts'
import type { Capacities, Capacity, RateLimits } from './rate-limits.ts'

/** What the admission script has stored of an organization, and the time at which it was read. */
export type Peeked = {
  readonly nowMs: number
  readonly used: {
    /** When this was true. */
    readonly atMs: number
    /** What is missing from a full minute, in 1/60,000 of a request or token. */
    readonly requestDebt: number
    readonly tokenDebt: number
    readonly requestsToday: number
    readonly tokensToday: number
  }
  /** In micro-units; null if nothing is stored. */
  readonly spent: number | null
  readonly reserved: number
  /** Running requests. */
  readonly running: number
}

export type Meters = {
  readonly atMs: number
  readonly capacities: Capacities
  /** What was granted less what was spent, in micro-units; null if nothing is charged. */
  readonly balance: number | null
  /** The worst case of the running requests. */
  readonly reserved: number
  readonly running: number
}

/**
 * What the rate-limit headers of an organization would say now, and its money. The arithmetic is
 * that of limits.lua; the proof `meters` compares both.
 */
export function readMeters(
  limits: RateLimits,
  funds: Pick<Funds, 'billing' | 'granted' | 'spent'>,
  peeked: Peeked,
): Meters {
  // A value that was posted is never less than what was spent at that time.
  const spent = Math.max(peeked.spent ?? 0, funds.spent)
  return {
    atMs: peeked.nowMs,
    capacities: capacitiesAt(limits, peeked),
    balance: funds.billing === 'none' ? null : funds.granted - spent,
    reserved: peeked.reserved,
    running: peeked.running,
  }
}

function capacitiesAt(limits: RateLimits, { nowMs, used }: Peeked): Capacities {
  // A clock that went back by more than a minute had run ahead: time goes on from now.
  const lastMs = used.atMs > nowMs + MINUTE_MS ? nowMs : used.atMs
  const atMs = Math.max(nowMs, lastMs)
  const passed = { elapsedMs: atMs - lastMs, behindMs: atMs - nowMs }
  const today = Math.floor(atMs / DAY_MS)
  const sameDay = today <= Math.floor(lastMs / DAY_MS)
  const resetMs = (today + 1) * DAY_MS - nowMs
  const ofDay = (limit: number, count: number): Capacity => ({
    limit,
    remaining: Math.max(0, limit - (sameDay ? count : 0)),
    resetMs,
  })
  return {
    requestsPerMinute: minuteOf(limits.requestsPerMinute, used.requestDebt, passed),
    requestsPerDay: ofDay(limits.requestsPerDay, used.requestsToday),
    tokensPerMinute: minuteOf(limits.tokensPerMinute, used.tokenDebt, passed),
    tokensPerDay: ofDay(limits.tokensPerDay, used.tokensToday),
  }
}

function minuteOf(
  limit: number,
  storedDebt: number,
  { elapsedMs, behindMs }: { readonly elapsedMs: number; readonly behindMs: number },
): Capacity {
  const debt = Math.max(0, storedDebt - limit * elapsedMs)
  return {
    limit,
    remaining: Math.max(0, Math.floor((limit * MINUTE_MS - debt) / MINUTE_MS)),
    resetMs: debt === 0 || limit === 0 ? 0 : behindMs + Math.ceil(debt / limit),
  }
}

import type { ClockComparison } from '../../lib/compare-clocks.ts'
import { failed, ok, warning, type Finding } from './run-checks.ts'

const AHEAD_MS_MAX = 1_000
const AHEAD_MS_USUAL = 200
const SYNCHRONISE = 'Synchronise both clocks (NTP): keys, limits and usage records depend on them.'

/** Compares the clock of a store with the one of this machine. */
export function judgeClock({ aheadMs }: ClockComparison): Finding {
  const found = `${Math.abs(aheadMs).toFixed(0)} ms ${aheadMs < 0 ? 'behind' : 'ahead of'} ours`
  if (Math.abs(aheadMs) > AHEAD_MS_MAX) return failed(found, SYNCHRONISE)
  return Math.abs(aheadMs) > AHEAD_MS_USUAL ? warning(found, SYNCHRONISE) : ok(found)
}

export function judgeRoundTrip({ roundTripMs }: ClockComparison, mostMs: number): Finding {
  const found = `${roundTripMs.toFixed(1)} ms`
  return roundTripMs <= mostMs
    ? ok(found)
    : warning(found, 'Move it closer, or reduce its load: requests wait for it.')
}

/** One limit as the service reported it. */
export type Reported = {
  readonly limit: number
  readonly remaining: number
  readonly reset_ms: number
}

/** Capacity per minute comes back evenly; capacity per day comes back at once, at 00:00 UTC. */
export type Refill = 'evenly' | 'at-once'

/** What is left so long after the report, if nothing else was used. */
export function remainingAfter(
  { limit, remaining, reset_ms: resetMs }: Reported,
  elapsedMs: number,
  refill: Refill,
): number {
  if (remaining >= limit || elapsedMs >= resetMs) return Math.max(limit, remaining)
  if (refill === 'at-once' || elapsedMs <= 0) return remaining
  return Math.floor(remaining + ((limit - remaining) * elapsedMs) / resetMs)
}

/** How long until all of it is available again. */
export function resetAfter({ reset_ms: resetMs }: Reported, elapsedMs: number): number {
  return Math.max(0, resetMs - Math.max(0, elapsedMs))
}

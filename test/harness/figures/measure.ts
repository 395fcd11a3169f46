import { setTimeout as pause } from 'node:timers/promises'

/** The same clock in every process of a machine. */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** The value that a share of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN
}

type Condition = () => boolean | Promise<boolean>

type Waiting = {
  readonly pollMs?: number
  /** Reads what is there instead of what is awaited, for the error. */
  readonly seen?: () => unknown
}

const POLL_MS = 20

/**
 * Polls until the condition holds, and returns how long that took. At the timeout it throws an
 * error that says what it waited for: `waited 5 s for the engine to be idle`. What the condition
 * throws ends the waiting at once.
 */
export async function waitUntil(
  what: string,
  holds: Condition,
  timeoutMs: number,
  { pollMs = POLL_MS, seen }: Waiting = {},
): Promise<number> {
  const tookMs = await timeUntil(holds, timeoutMs, pollMs)
  if (tookMs !== null) return tookMs
  const last = seen === undefined ? '' : `; last seen: ${textOf(await seen())}`
  throw new Error(`waited ${Math.round(timeoutMs / 10) / 100} s for ${what}${last}`)
}

/**
 * Like `waitUntil`, for a proof that notes a condition that never held and goes on: null if it
 * did not hold within the timeout.
 */
export async function timeUntil(
  holds: Condition,
  timeoutMs: number,
  pollMs = POLL_MS,
): Promise<number | null> {
  const sinceMs = performance.now()
  while (performance.now() - sinceMs < timeoutMs) {
    if (await holds()) return performance.now() - sinceMs
    // pacing: the condition is asked again after a moment, not all the time.
    await pause(pollMs)
  }
  return null
}

function textOf(seen: unknown): string {
  return typeof seen === 'string' ? seen : JSON.stringify(seen)
}

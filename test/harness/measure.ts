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

/** Polls until the condition holds. Resolves to the time that took, or Infinity on timeout. */
export async function waitUntil(
  holds: () => boolean | Promise<boolean>,
  timeoutMs: number,
  pollMs = 20,
): Promise<number> {
  const sinceMs = performance.now()
  while (performance.now() - sinceMs < timeoutMs) {
    if (await holds()) return performance.now() - sinceMs
    await pause(pollMs)
  }
  return Infinity
}

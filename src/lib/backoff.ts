/** Cut by up to half at random, so that callers which failed together do not retry together. */
function jitter(delayMs: number): number {
  return delayMs * (0.5 + Math.random() / 2)
}

/** The delay before a retry; `attempt` counts from 1. */
export function linearBackoffMs(attempt: number, stepMs: number, maxMs: number): number {
  return jitter(Math.min(stepMs * attempt, maxMs))
}

export function exponentialBackoffMs(attempt: number, firstMs: number, maxMs: number): number {
  return jitter(Math.min(firstMs * 2 ** (attempt - 1), maxMs))
}

/** Limits retries to a share of the requests, so that retries do not double the load. */
export type RetryBudget = {
  /** Every request earns a fraction of a retry. */
  earn(): void
  /** Takes one retry, if available. */
  spend(): boolean
}

const SHARE = 0.1
const BUDGET_MAX = 50
/** The budget refills to this over time, for models with little traffic. */
const FLOOR = 3
const FLOOR_PER_SECOND = 1

export function createRetryBudget(now: () => number = () => performance.now()): RetryBudget {
  let budget = FLOOR
  let lastMs = now()
  const refill = () => {
    const elapsedMs = now() - lastMs
    lastMs += elapsedMs
    if (budget < FLOOR) budget = Math.min(FLOOR, budget + (elapsedMs / 1000) * FLOOR_PER_SECOND)
  }
  return {
    earn() {
      budget = Math.min(BUDGET_MAX, budget + SHARE)
    },
    spend() {
      refill()
      if (budget < 1) return false
      budget -= 1
      return true
    },
  }
}

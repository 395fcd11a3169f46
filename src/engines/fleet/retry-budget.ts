/** Retries are a share of the requests, so that a failing fleet is not asked twice as much. */
export type RetryBudget = {
  /** Every request earns a part of a retry. */
  earn(): void
  /** Takes one retry if there is one. */
  spend(): boolean
}

const SHARE = 0.1
const BUDGET_MAX = 50
/** So many retries come back by themselves, for models with little traffic. */
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

/** Limits retries to a share of the requests, so that retries do not double the load. */
export type RetryBudget = {
  /** Every request earns a fraction of a retry. */
  earn(organizationId: string): void
  /** Takes one retry, if available. */
  spend(organizationId: string): boolean
}

type Bounds = {
  readonly max: number
  /** A budget refills to this over time, for models with little traffic. */
  readonly floor: number
  readonly floorPerSecond: number
}

const SHARE = 0.1
/** One organization can use up half of what all of them have, and then only what it earns. */
const OWN: Bounds = { max: 50, floor: 3, floorPerSecond: 1 }
const ALL: Bounds = { max: 100, floor: 6, floorPerSecond: 2 }
/** Beyond it the one that asked longest ago is forgotten, and begins anew. */
const ORGANIZATIONS_MAX = 1_000

export function createRetryBudget(now: () => number = () => performance.now()): RetryBudget {
  const all = new Budget(ALL, now)
  // In the order of their last requests.
  const own = new Map<string, Budget>()

  function budgetOf(organizationId: string): Budget {
    const budget = own.get(organizationId) ?? new Budget(OWN, now)
    own.delete(organizationId)
    own.set(organizationId, budget)
    if (own.size > ORGANIZATIONS_MAX) {
      const [oldest = ''] = own.keys()
      own.delete(oldest)
    }
    return budget
  }

  return {
    earn(organizationId) {
      all.earn()
      budgetOf(organizationId).earn()
    },
    spend(organizationId) {
      const budget = budgetOf(organizationId)
      if (!all.hasOne() || !budget.hasOne()) return false
      all.spend()
      budget.spend()
      return true
    },
  }
}

class Budget {
  readonly #bounds: Bounds
  readonly #now: () => number
  #left: number
  #lastMs: number

  constructor(bounds: Bounds, now: () => number) {
    this.#bounds = bounds
    this.#now = now
    this.#left = bounds.floor
    this.#lastMs = now()
  }

  earn(): void {
    this.#left = Math.min(this.#bounds.max, this.#left + SHARE)
  }

  hasOne(): boolean {
    const { floor, floorPerSecond } = this.#bounds
    const elapsedMs = this.#now() - this.#lastMs
    this.#lastMs += elapsedMs
    if (this.#left < floor)
      this.#left = Math.min(floor, this.#left + (elapsedMs / 1000) * floorPerSecond)
    return this.#left >= 1
  }

  spend(): void {
    this.#left -= 1
  }
}

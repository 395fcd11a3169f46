/** Organizations that run so many are known to other processes, the heaviest of them. */
const HEAVY_MIN = 2
const HEAVY_MAX = 8

/** Requests of each organization that run here; only of those that do. */
export class RunningCounts {
  readonly #counts = new Map<string, number>()

  of(organizationId: string): number {
    return this.#counts.get(organizationId) ?? 0
  }

  began(organizationId: string): void {
    this.#counts.set(organizationId, this.of(organizationId) + 1)
  }

  ended(organizationId: string): void {
    const rest = this.of(organizationId) - 1
    if (rest > 0) this.#counts.set(organizationId, rest)
    else this.#counts.delete(organizationId)
  }

  /** Those that may run too much, and how much. */
  heaviest(): Record<string, number> {
    const heavy = [...this.#counts].filter(([, count]) => count >= HEAVY_MIN)
    if (heavy.length <= HEAVY_MAX) return Object.fromEntries(heavy)
    const heaviest = heavy.toSorted((left, right) => right[1] - left[1])
    return Object.fromEntries(heaviest.slice(0, HEAVY_MAX))
  }
}

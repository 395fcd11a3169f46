/** Organizations that run so many are known to other processes, the heaviest of them. */
const HEAVY_MIN = 2
const HEAVY_MAX = 8

/** Those that may run too much, and how much. */
export function heaviestOf(running: ReadonlyMap<string, number>): Record<string, number> {
  const heavy = [...running].filter(([, count]) => count >= HEAVY_MIN)
  if (heavy.length <= HEAVY_MAX) return Object.fromEntries(heavy)
  const heaviest = heavy.toSorted((left, right) => right[1] - left[1])
  return Object.fromEntries(heaviest.slice(0, HEAVY_MAX))
}

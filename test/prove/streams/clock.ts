/** The same clock in every process of a machine. */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** The value that a share of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN
}

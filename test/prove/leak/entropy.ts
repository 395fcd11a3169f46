/** The entropy of what is seen, in bits for each of the values. */
export function entropy(values: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) {
    const share = count / values.length
    bits -= share * Math.log2(share)
  }
  return bits
}

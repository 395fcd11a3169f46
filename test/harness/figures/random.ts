/** Choices that a seed repeats. */
export type Random = {
  /** A whole number within both bounds. */
  between(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(choices: readonly T[]): T
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  // Mulberry32: small, fast, and the same everywhere.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    between,
    chance: (probability) => next() < probability,
    pick<T>(choices: readonly T[]): T {
      if (choices.length === 0) throw new RangeError('nothing to pick from')
      return choices[between(0, choices.length - 1)] as T
    },
  }
}

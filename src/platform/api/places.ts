/** What runs at the same time has a bound, and each owner has one of its own within it. */
export type Places = {
  /** Takes a place until it is disposed of, or says whose places are all taken. */
  take(owner: string): Disposable | 'all' | 'own'
}

export function createPlaces(placesMax: number, perOwnerMax: number): Places {
  const takenBy = new Map<string, number>()
  let taken = 0
  return {
    take(owner) {
      const own = takenBy.get(owner) ?? 0
      if (own >= perOwnerMax) return 'own'
      if (taken >= placesMax) return 'all'
      taken += 1
      takenBy.set(owner, own + 1)
      return {
        [Symbol.dispose]() {
          taken -= 1
          const left = (takenBy.get(owner) ?? 1) - 1
          if (left === 0) takenBy.delete(owner)
          else takenBy.set(owner, left)
        },
      }
    },
  }
}

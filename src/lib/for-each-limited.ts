/** Does it for each, a few at once: whoever serves it has others to serve. */
export async function forEachLimited<T>(
  count: number,
  all: Iterable<T>,
  act: (each: T) => Promise<void>,
): Promise<void> {
  const waiting = all[Symbol.iterator]()
  const lane = async () => {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) await act(next.value)
  }
  await Promise.all(Array.from({ length: count }, lane))
}

/** Calls `act` for each item, at most `concurrency` at a time. */
export async function forEachLimited<T>(
  concurrency: number,
  items: Iterable<T>,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]()
  const work = async () => {
    for (let next = iterator.next(); next.done !== true; next = iterator.next())
      await act(next.value)
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}

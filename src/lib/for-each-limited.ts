/** Runs `act` for each item, at most `concurrency` at a time. */
export async function forEachLimited<T>(
  concurrency: number,
  items: Iterable<T>,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const remaining = items[Symbol.iterator]()
  const run = async () => {
    for (let next = remaining.next(); next.done !== true; next = remaining.next())
      await act(next.value)
  }
  // Waits for all, so that nothing is still running when a failure is reported.
  const results = await Promise.allSettled(Array.from({ length: concurrency }, run))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

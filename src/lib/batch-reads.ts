/** Too many reads are waiting, or this one takes too long. */
export class TooBusy extends Error {
  override readonly name = 'TooBusy'
}

export type BatchLimits = {
  /** Batches that are read at once. */
  readonly running: number
  /** What one batch reads. */
  readonly keys: number
  readonly waiting: number
  /** For waiting and reading. */
  readonly deadlineMs: number
}

type Waiting<Key, Value> = { readonly key: Key; readonly reply: PromiseWithResolvers<Value> }

/**
 * Reads single keys in batches: a key is read at once while few batches run, and those that come
 * meanwhile are read together, in order. So a read of a key always begins after it was asked for.
 * Keys with the same id that wait are read once. Throws TooBusy instead of waiting for long.
 *
 * If a batch fails, all that wait fail with it: the server is unavailable, and each of them would
 * only find that out after another timeout.
 */
export function batchReads<Key, Value>(
  limits: BatchLimits,
  /** The values in the order of the keys. */
  read: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (id: string, key: Key) => Promise<Value> {
  const waiting = new Map<string, Waiting<Key, Value>>()
  let running = 0

  function takeBatch(): Waiting<Key, Value>[] {
    const batch = waiting.entries().take(limits.keys).toArray()
    for (const [id] of batch) waiting.delete(id)
    return batch.map(([, each]) => each)
  }

  async function readWaiting(): Promise<void> {
    running += 1
    while (waiting.size > 0) {
      const batch = takeBatch()
      try {
        const values = await read(batch.map(({ key }) => key))
        for (const [at, { reply }] of batch.entries()) reply.resolve(values[at]!)
      } catch (error) {
        for (const { reply } of [...batch, ...waiting.values()]) reply.reject(error)
        waiting.clear()
      }
    }
    running -= 1
  }

  async function ask(id: string, key: Key): Promise<Value> {
    if (waiting.size >= limits.waiting) throw new TooBusy('too many are waiting')
    const asked = { key, reply: Promise.withResolvers<Value>() }
    waiting.set(id, asked)
    const timer = setTimeout(() => {
      if (waiting.get(id) === asked) waiting.delete(id)
      asked.reply.reject(new TooBusy('took too long'))
    }, limits.deadlineMs)
    if (running < limits.running) void readWaiting()
    try {
      return await asked.reply.promise
    } finally {
      clearTimeout(timer)
    }
  }

  return (id, key) => waiting.get(id)?.reply.promise ?? ask(id, key)
}

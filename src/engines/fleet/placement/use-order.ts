/** An entry of a list in the order of use; the list sets these members. */
type Used<Entry> = {
  usedMs: number
  older: Entry | undefined
  newer: Entry | undefined
}

/**
 * Entries in the order of their last use. Every step takes constant time: the first member of a Set
 * is slow to find when many before it were deleted.
 */
export class UseOrder<Entry extends Used<Entry>> {
  #oldest: Entry | undefined
  #newest: Entry | undefined
  /** The oldest entry that `expire` has not returned since its last use. */
  #current: Entry | undefined

  get oldest(): Entry | undefined {
    return this.#oldest
  }

  /** Adds an entry, or moves it to the end. */
  use(entry: Entry, nowMs: number): void {
    this.remove(entry)
    entry.usedMs = nowMs
    entry.older = this.#newest
    if (this.#newest !== undefined) this.#newest.newer = entry
    this.#newest = entry
    this.#oldest ??= entry
    this.#current ??= entry
  }

  remove(entry: Entry): void {
    const { older, newer } = entry
    if (this.#current === entry) this.#current = newer
    if (this.#oldest === entry) this.#oldest = newer
    if (this.#newest === entry) this.#newest = older
    if (older !== undefined) older.newer = newer
    if (newer !== undefined) newer.older = older
    entry.older = undefined
    entry.newer = undefined
  }

  /** The next entry that was last used before a time, each once; undefined if there is none. */
  expire(beforeMs: number): Entry | undefined {
    const entry = this.#current
    if (entry === undefined || entry.usedMs >= beforeMs) return undefined
    this.#current = entry.newer
    return entry
  }
}

import type { Clocks } from './clocks.ts'

/** A request that waits. */
export type Waiting = { readonly organizationId: string }

/** A bounded queue that serves organizations fairly, by what they used. */
export type FairQueue<Entry extends Waiting> = {
  readonly length: number
  /** How many entries an organization has. */
  countOf(organizationId: string): number
  /** Adds an entry. Returns the entry that was dropped for it, which may be the new one. */
  push(entry: Entry): Entry | undefined
  /** The next entry, of the organization with the lowest clock, and that clock. */
  peek(mayRun?: (entry: Entry) => boolean): [Entry, number] | undefined
  /** Removes an entry that no longer waits. */
  remove(entry: Entry): boolean
  /**
   * After how many starts one more entry of the organization would be started, about. `weigh` tells
   * how much the start of another one counts that is served first.
   */
  startsBefore(organizationId: string, weigh?: (organizationId: string) => number): number
  /** The first entry of each organization. */
  heads(): Iterable<Entry>
}

/**
 * The organization whose clock is furthest behind is next. Each may use an equal share of the
 * queue, with room for one more organization, so that a greedy one is rejected immediately and not
 * after waiting. If the queue is full anyway, the newest entry of the longest line is dropped.
 */
export function createFairQueue<Entry extends Waiting>(
  lengthMax: () => number,
  clocks: Pick<Clocks, 'at'>,
): FairQueue<Entry> {
  const lines = new Map<string, Entry[]>()
  let length = 0

  function drop(entry: Entry): void {
    const line = lines.get(entry.organizationId) ?? []
    line.splice(line.indexOf(entry), 1)
    length -= 1
    if (line.length === 0) lines.delete(entry.organizationId)
  }

  /** Loops over the waiting organizations, at most `lengthMax`. */
  function findLongest(): Entry[] {
    let longest: Entry[] = []
    for (const line of lines.values()) if (line.length > longest.length) longest = line
    return longest
  }

  return {
    get length() {
      return length
    },
    countOf: (organizationId) => lines.get(organizationId)?.length ?? 0,
    push(entry) {
      const line = lines.get(entry.organizationId) ?? []
      line.push(entry)
      lines.set(entry.organizationId, line)
      length += 1
      let dropped: Entry | undefined
      if (line.length > Math.ceil(lengthMax() / (lines.size + 1))) dropped = entry
      else if (length > lengthMax()) {
        const longest = findLongest()
        // Among lines of the same length the new entry is dropped.
        dropped = longest.length > line.length ? longest.at(-1) : entry
      }
      if (dropped !== undefined) drop(dropped)
      return dropped
    },
    peek(mayRun = () => true) {
      let next: [Entry, number] | undefined
      for (const [organizationId, [entry]] of lines) {
        if (entry === undefined || !mayRun(entry)) continue
        const clock = clocks.at(organizationId)
        if (next === undefined || clock < next[1]) next = [entry, clock]
      }
      return next
    },
    remove(entry) {
      if (lines.get(entry.organizationId)?.includes(entry) !== true) return false
      drop(entry)
      return true
    },
    startsBefore(organizationId, weigh = () => 1) {
      const own = lines.get(organizationId)?.length ?? 0
      if (own > 0) return Math.min(length, (own + 1) * lines.size - 1)
      return lines.keys().reduce((starts, other) => starts + weigh(other), 0)
    },
    *heads() {
      for (const [entry] of lines.values()) if (entry !== undefined) yield entry
    },
  }
}

/** A waiting request and its cost in tokens. */
export type Waiting = {
  readonly organizationId: string
  readonly tokens: number
}

/** A bounded queue that serves organizations fairly, by the tokens they were served. */
export type FairQueue<Entry extends Waiting> = {
  readonly length: number
  /** Adds an entry. Returns the entry that was dropped for it, which may be the new one. */
  push(entry: Entry): Entry | undefined
  /** Removes an entry of the organization that has been served least. */
  shift(): Entry | undefined
  /** Removes an entry that no longer waits. */
  remove(entry: Entry): boolean
}

type Line<Entry> = { readonly entries: Entry[]; served: number }

/**
 * Start-time fair queueing: each organization has a virtual clock that advances by the tokens it
 * is served, and the one furthest behind is next. A returning organization starts at the present,
 * so that idling earns nothing. Each may use an equal share of the queue, with room for one more
 * organization, so that a greedy one is rejected immediately and not after waiting. If the queue is
 * full anyway, the newest entry of the longest line is dropped.
 */
export function createFairQueue<Entry extends Waiting>(lengthMax: number): FairQueue<Entry> {
  const lines = new Map<string, Line<Entry>>()
  let length = 0
  let present = 0

  function dropFrom(line: Line<Entry>, organizationId: string, entry: Entry): void {
    line.entries.splice(line.entries.indexOf(entry), 1)
    length -= 1
    if (line.entries.length === 0) lines.delete(organizationId)
  }

  /** Loops over the waiting organizations, at most `lengthMax`. */
  function find(better: (a: Line<Entry>, b: Line<Entry>) => boolean): [string, Line<Entry>] {
    let best: [string, Line<Entry>] | undefined
    for (const candidate of lines)
      if (best === undefined || better(candidate[1], best[1])) best = candidate
    if (best === undefined) throw new Error('the queue is empty')
    return best
  }

  return {
    get length() {
      return length
    },
    push(entry) {
      const line = lines.get(entry.organizationId) ?? { entries: [], served: present }
      line.entries.push(entry)
      lines.set(entry.organizationId, line)
      length += 1
      if (line.entries.length > Math.ceil(lengthMax / (lines.size + 1))) {
        dropFrom(line, entry.organizationId, entry)
        return entry
      }
      if (length <= lengthMax) return undefined
      const [organizationId, longest] = find((a, b) => a.entries.length > b.entries.length)
      // Among lines of the same length the new entry is dropped.
      const isShorter = longest.entries.length > line.entries.length
      const dropped = isShorter ? (longest.entries.at(-1) ?? entry) : entry
      const owner = isShorter ? organizationId : entry.organizationId
      dropFrom(isShorter ? longest : line, owner, dropped)
      return dropped
    },
    shift() {
      if (length === 0) return undefined
      const [organizationId, line] = find((a, b) => a.served < b.served)
      const [entry] = line.entries
      if (entry === undefined) return undefined
      present = line.served
      line.served += Math.max(1, entry.tokens)
      dropFrom(line, organizationId, entry)
      return entry
    },
    remove(entry) {
      const line = lines.get(entry.organizationId)
      if (line === undefined || !line.entries.includes(entry)) return false
      dropFrom(line, entry.organizationId, entry)
      return true
    },
  }
}

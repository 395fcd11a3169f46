/** Who waits, and how much of an engine's work its request stands for. */
export type Waiting = {
  readonly organizationId: string
  readonly tokens: number
}

/** A queue of bounded length that serves organizations in turn, by the tokens they were given. */
export type FairQueue<Entry extends Waiting> = {
  readonly length: number
  /** Adds an entry. Returns the one that had to leave for it, which may be the entry itself. */
  push(entry: Entry): Entry | undefined
  /** The entry whose organization has been served least. */
  shift(): Entry | undefined
  /** Takes out an entry that no longer waits. */
  remove(entry: Entry): boolean
}

type Line<Entry> = { readonly entries: Entry[]; served: number }

/**
 * Start-time fair queueing: each organization has a virtual clock that advances by the tokens it
 * is served, and the one furthest behind is next. One that comes back starts at the present, so
 * that idling earns nothing. Each may hold an equal share of the queue, with room for one more to
 * come, so a greedy organization is told at once and not after it has waited; only when the queue
 * is full all the same, the newest entry of the longest line leaves.
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

  /** The loop is over organizations that wait, of which there are at most `lengthMax`. */
  function find(better: (a: Line<Entry>, b: Line<Entry>) => boolean): [string, Line<Entry>] {
    let best: [string, Line<Entry>] | undefined
    for (const candidate of lines)
      if (best === undefined || better(candidate[1], best[1])) best = candidate
    if (best === undefined) throw new Error('nobody waits')
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
      // Between lines of the same length the newcomer gives way.
      const shorter = longest.entries.length > line.entries.length
      const victim = shorter ? (longest.entries.at(-1) ?? entry) : entry
      dropFrom(shorter ? longest : line, shorter ? organizationId : entry.organizationId, victim)
      return victim
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

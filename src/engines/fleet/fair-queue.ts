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
  /** Removes an entry of the organization that has been served least, of those that may run. */
  shift(mayRun?: (organizationId: string) => boolean): Entry | undefined
  /** Removes an entry that no longer waits. */
  remove(entry: Entry): boolean
  /** Charges an organization for a request that did not wait. */
  charge(organizationId: string, tokens: number): void
  /** Corrects a charge by the difference to what was used. */
  settle(organizationId: string, tokens: number): void
}

/** Beyond it, the clock of the organization that was served longest ago is forgotten. */
const CLOCKS_MAX = 10_000

/**
 * Start-time fair queueing: each organization has a virtual clock that advances by the tokens it
 * is served, and the one furthest behind is next. A returning organization starts at the present,
 * so that idling earns nothing, or at its clock if that is later, so that it cannot gain by
 * returning. Each may use an equal share of the queue, with room for one more organization, so that
 * a greedy one is rejected immediately and not after waiting. If the queue is full anyway, the
 * newest entry of the longest line is dropped.
 */
export function createFairQueue<Entry extends Waiting>(lengthMax: number): FairQueue<Entry> {
  const lines = new Map<string, Entry[]>()
  const clocks = createClocks(lines)
  let length = 0

  function dropFrom(line: Entry[], organizationId: string, entry: Entry): void {
    line.splice(line.indexOf(entry), 1)
    length -= 1
    if (line.length === 0) lines.delete(organizationId)
  }

  /** Loops over the waiting organizations, at most `lengthMax`. */
  function findLongest(): [string, Entry[]] {
    let longest: [string, Entry[]] | undefined
    for (const candidate of lines)
      if (longest === undefined || candidate[1].length > longest[1].length) longest = candidate
    if (longest === undefined) throw new Error('the queue is empty')
    return longest
  }

  return {
    get length() {
      return length
    },
    push(entry) {
      const { organizationId } = entry
      const line = lines.get(organizationId) ?? []
      if (line.length === 0) clocks.lift(organizationId)
      line.push(entry)
      lines.set(organizationId, line)
      length += 1
      if (line.length > Math.ceil(lengthMax / (lines.size + 1))) {
        dropFrom(line, organizationId, entry)
        return entry
      }
      if (length <= lengthMax) return undefined
      const [longestId, longest] = findLongest()
      // Among lines of the same length the new entry is dropped.
      const isShorter = longest.length > line.length
      const dropped = isShorter ? (longest.at(-1) ?? entry) : entry
      dropFrom(isShorter ? longest : line, isShorter ? longestId : organizationId, dropped)
      return dropped
    },
    shift(mayRun = () => true) {
      let next: string | undefined
      for (const id of lines.keys())
        if (mayRun(id) && (next === undefined || clocks.at(id) < clocks.at(next))) next = id
      const line = lines.get(next ?? '')
      const entry = line?.[0]
      if (next === undefined || line === undefined || entry === undefined) return undefined
      clocks.advance(next, entry.tokens)
      dropFrom(line, next, entry)
      return entry
    },
    remove(entry) {
      const line = lines.get(entry.organizationId)
      if (line === undefined || !line.includes(entry)) return false
      dropFrom(line, entry.organizationId, entry)
      return true
    },
    charge(organizationId, tokens) {
      clocks.lift(organizationId)
      clocks.advance(organizationId, tokens)
    },
    settle: (organizationId, tokens) => clocks.correct(organizationId, tokens),
  }
}

/** The virtual clocks of the organizations; those of `waiting` ones are never forgotten. */
function createClocks(waiting: ReadonlyMap<string, unknown>) {
  // In the order in which they were last set.
  const clocks = new Map<string, number>()
  let present = 0

  function set(organizationId: string, clock: number): void {
    clocks.delete(organizationId)
    clocks.set(organizationId, clock)
    if (clocks.size <= CLOCKS_MAX) return
    const [oldest = ''] = clocks.keys()
    const clockOfOldest = clocks.get(oldest) ?? 0
    clocks.delete(oldest)
    if (waiting.has(oldest)) clocks.set(oldest, clockOfOldest)
  }

  const at = (organizationId: string) => clocks.get(organizationId) ?? present

  return {
    at,
    lift: (organizationId: string) => set(organizationId, Math.max(at(organizationId), present)),
    advance(organizationId: string, tokens: number) {
      const start = at(organizationId)
      present = Math.max(present, start)
      set(organizationId, start + Math.max(1, tokens))
    },
    /** Never to a time before the present. */
    correct(organizationId: string, tokens: number) {
      if (!clocks.has(organizationId)) return
      set(organizationId, Math.max(at(organizationId) + tokens, present))
    },
  }
}

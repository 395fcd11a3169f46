/** Can be on one roster. */
export type RosterEntry = {
  /** Its position on the roster, which sets it; -1 if it is on none. */
  place: number
}

/**
 * What is open at the moment, such as requests and connections. Entries come and go by the thousand
 * a second, which makes a Set expensive: when V8 replaces the table of a Set, the old table keeps a
 * reference to the new one. From the first table that reached the old generation on, every later
 * table survives with all that was in it, until the next full collection (decision 76).
 */
export class Roster<Entry extends RosterEntry> implements Iterable<Entry> {
  readonly #entries: Entry[] = []

  get size(): number {
    return this.#entries.length
  }

  add(entry: Entry): void {
    entry.place = this.#entries.push(entry) - 1
  }

  /** False if the entry was not on the roster. */
  remove(entry: Entry): boolean {
    const { place } = entry
    if (place === -1) return false
    entry.place = -1
    const last = this.#entries.pop()
    if (last === undefined || last === entry) return true
    this.#entries[place] = last
    last.place = place
    return true
  }

  /** Nothing may be removed meanwhile: the last entry would move to its place. */
  [Symbol.iterator](): Iterator<Entry> {
    return this.#entries.values()
  }
}

import { Heap } from './heap.ts'
import { LineLengths } from './line-lengths.ts'
import type { VirtualTimes } from './virtual-times.ts'

/** A request that waits. */
export type Waiting = {
  readonly organizationId: string
  /** The same for all requests that may be sent to the same engines. */
  engines?: string
}

/** A bounded queue that serves organizations fairly, by what they used. */
export type FairQueue<Entry extends Waiting> = {
  readonly length: number
  /** The lowest virtual time that waits; Infinity if none does. */
  readonly lowest: number
  /** How many entries an organization has. */
  countOf(organizationId: string): number
  /** Adds an entry. Returns the entry that was dropped for it, which may be the new one. */
  push(entry: Entry): Entry | undefined
  /** The next entry, of the organization with the lowest virtual time, and that time. */
  peek(rules?: Rules<Entry>): [Entry, number] | undefined
  /** Removes an entry that no longer waits. */
  remove(entry: Entry): boolean
  /** The virtual time of an organization has changed. */
  moved(organizationId: string): void
  /** The engines of entries have changed; `change` is called for each entry. */
  regroup(change: (entry: Entry) => void): void
  /**
   * After how many starts one more entry of the organization would be started, about. The start of
   * one of `others` counts only as `weight`.
   */
  startsBefore(organizationId: string, others?: Iterable<string>, weight?: number): number
  /** The first entry of each organization. */
  heads(): Iterable<Entry>
}

/** What may be started now. */
export type Rules<Entry> = {
  readonly mayRun: (organizationId: string) => boolean
  /** Asked once for all that may be sent to the same engines. */
  readonly hasRoom: (entry: Entry) => boolean
}

/** The entries of one organization. */
type Line<Entry> = {
  readonly organizationId: string
  readonly entries: Entry[]
  /** The order in which lines began. */
  readonly order: number
  virtualTime: number
  /** That of the engines of its first entry. */
  heap: Heap<Line<Entry>> | undefined
  place: number
  lengthPlace: number
}

/**
 * The organization whose virtual time is lowest is next. Each may use an equal share of the queue,
 * with room for one more organization, so that a greedy one is rejected immediately and not after
 * waiting. If the queue is full anyway, the newest entry of the longest line is dropped. No step
 * visits all organizations.
 */
export function createFairQueue<Entry extends Waiting>(
  lengthMax: () => number,
  times: Pick<VirtualTimes, 'at'>,
): FairQueue<Entry> {
  return new Lines(lengthMax, times)
}

class Lines<Entry extends Waiting> implements FairQueue<Entry> {
  length = 0
  readonly #lengthMax: () => number
  readonly #times: Pick<VirtualTimes, 'at'>
  readonly #lines = new Map<string, Line<Entry>>()
  readonly #lengths = new LineLengths<Line<Entry>>()
  /** By the engines of the first entry of each line; few, since few engines differ. */
  readonly #heaps = new Map<string, Heap<Line<Entry>>>()
  #begun = 0

  constructor(lengthMax: () => number, times: Pick<VirtualTimes, 'at'>) {
    this.#lengthMax = lengthMax
    this.#times = times
  }

  get lowest(): number {
    return this.peek()?.[1] ?? Infinity
  }

  countOf(organizationId: string): number {
    return this.#lines.get(organizationId)?.entries.length ?? 0
  }

  push(entry: Entry): Entry | undefined {
    const line = this.#lines.get(entry.organizationId) ?? this.#open(entry.organizationId)
    line.entries.push(entry)
    this.length += 1
    this.#changed(line, line.entries.length - 1)
    const lengthMax = this.#lengthMax()
    let dropped: Entry | undefined
    if (line.entries.length > Math.ceil(lengthMax / (this.#lines.size + 1))) dropped = entry
    else if (this.length > lengthMax) {
      const { longest } = this.#lengths
      // Among lines of the same length the new entry is dropped.
      const isLonger = (longest?.entries.length ?? 0) > line.entries.length
      dropped = isLonger ? longest?.entries.at(-1) : entry
    }
    if (dropped !== undefined) this.remove(dropped)
    return dropped
  }

  peek(rules?: Rules<Entry>): [Entry, number] | undefined {
    let next: Line<Entry> | undefined
    for (const heap of this.#heaps.values()) {
      const [head] = heap.first?.entries ?? []
      if (head === undefined || rules?.hasRoom(head) === false) continue
      const first = heap.find(({ organizationId }) => rules?.mayRun(organizationId) !== false)
      if (first !== undefined && (next === undefined || isBefore(first, next))) next = first
    }
    const [entry] = next?.entries ?? []
    return next === undefined || entry === undefined ? undefined : [entry, next.virtualTime]
  }

  remove(entry: Entry): boolean {
    const line = this.#lines.get(entry.organizationId)
    const index = line?.entries.indexOf(entry) ?? -1
    if (line === undefined || index < 0) return false
    line.entries.splice(index, 1)
    this.length -= 1
    this.#changed(line, line.entries.length + 1)
    return true
  }

  moved(organizationId: string): void {
    const line = this.#lines.get(organizationId)
    if (line === undefined) return
    line.virtualTime = this.#times.at(organizationId)
    line.heap?.moved(line)
  }

  regroup(change: (entry: Entry) => void): void {
    for (const line of this.#lines.values()) {
      line.entries.forEach(change)
      this.#changed(line, line.entries.length)
    }
  }

  startsBefore(organizationId: string, others: Iterable<string> = [], weight = 1): number {
    const own = this.countOf(organizationId)
    if (own > 0) return Math.min(this.length, (own + 1) * this.#lines.size - 1)
    let starts = this.#lines.size
    for (const other of others) if (this.#lines.has(other)) starts -= 1 - weight
    return starts
  }

  *heads(): Iterable<Entry> {
    for (const { entries } of this.#lines.values()) yield* entries.slice(0, 1)
  }

  #open(organizationId: string): Line<Entry> {
    const virtualTime = this.#times.at(organizationId)
    const places = { heap: undefined, place: 0, lengthPlace: 0 }
    this.#begun += 1
    const line = { organizationId, entries: [], order: this.#begun, virtualTime, ...places }
    this.#lines.set(organizationId, line)
    return line
  }

  /** Entries were added to a line or removed. */
  #changed(line: Line<Entry>, before: number): void {
    this.#lengths.changed(line, before)
    const [head] = line.entries
    const heap = head === undefined ? undefined : this.#heapOf(head)
    if (head === undefined) this.#lines.delete(line.organizationId)
    if (heap === line.heap) return
    line.heap?.remove(line)
    line.heap = heap
    heap?.add(line)
  }

  #heapOf({ engines = '' }: Entry): Heap<Line<Entry>> {
    const known = this.#heaps.get(engines)
    if (known !== undefined) return known
    for (const [other, { size }] of this.#heaps) if (size === 0) this.#heaps.delete(other)
    const heap = new Heap<Line<Entry>>(isBefore)
    this.#heaps.set(engines, heap)
    return heap
  }
}

type Order = Pick<Line<never>, 'virtualTime' | 'order'>

function isBefore(one: Order, other: Order): boolean {
  if (one.virtualTime !== other.virtualTime) return one.virtualTime < other.virtualTime
  return one.order < other.order
}

/** Time that passes only when nothing is left to do: an hour of it takes as long as its events. */
export type VirtualTime = {
  now(): number
  at(ms: number, act: () => unknown): void
  after(ms: number, act: () => unknown): void
  /** Resolves after so much virtual time. */
  pause(ms: number): Promise<void>
  /** Runs events up to a time. A promise that one returns is awaited before the next. */
  runUntil(endMs: number): Promise<void>
}

type Event = { atMs: number; order: number; act: () => unknown; isCancelled: boolean }
type Handle = { readonly events: Event[]; unref(): Handle; ref(): Handle }

const START_MS = 1_000_000

/** Replaces `performance.now` and the timers of this process for good. */
export function installVirtualTime(): VirtualTime {
  const yieldReally = setImmediate
  const events = new EventHeap()
  let nowMs = START_MS
  let order = 0

  function at(ms: number, act: () => unknown): Event {
    const event = { atMs: Math.max(ms, nowMs), order: (order += 1), act, isCancelled: false }
    events.push(event)
    return event
  }

  function handleOf(event: Event): Handle {
    const handle: Handle = { events: [event], unref: () => handle, ref: () => handle }
    return handle
  }

  const cancel = (handle: Handle | undefined) => {
    for (const event of handle?.events ?? []) event.isCancelled = true
  }
  const setVirtualTimeout = (act: () => unknown, ms = 0) => handleOf(at(nowMs + ms, act))
  const setVirtualInterval = (act: () => unknown, ms = 0) => {
    const handle = handleOf(at(nowMs + ms, turn))
    function turn(): void {
      act()
      if (handle.events[0]?.isCancelled !== true) handle.events[0] = at(nowMs + ms, turn)
    }
    return handle
  }
  Object.defineProperty(performance, 'now', { value: () => nowMs, configurable: true })
  Object.assign(globalThis, {
    setTimeout: setVirtualTimeout,
    clearTimeout: cancel,
    setInterval: setVirtualInterval,
    clearInterval: cancel,
  })

  return {
    now: () => nowMs,
    at,
    after: (ms, act) => at(nowMs + ms, act),
    pause: (ms) => new Promise((resolve) => at(nowMs + ms, () => resolve())),
    async runUntil(endMs) {
      for (;;) {
        const event = events.popUntil(endMs)
        if (event === undefined) break
        if (event.isCancelled) continue
        nowMs = event.atMs
        await event.act()
        // What the event has settled goes on before the next event.
        await new Promise((resolve) => yieldReally(resolve))
      }
      nowMs = endMs
    },
  }
}

/** The events, the earliest first; of those at the same time the one that was added first. */
class EventHeap {
  readonly #heap: Event[] = []

  push(event: Event): void {
    let index = this.#heap.push(event) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!this.#isBefore(index, parent)) return
      this.#swap(index, parent)
      index = parent
    }
  }

  popUntil(endMs: number): Event | undefined {
    const first = this.#heap[0]
    if (first === undefined || first.atMs > endMs) return undefined
    const last = this.#heap.pop()
    if (last === undefined || this.#heap.length === 0) return first
    this.#heap[0] = last
    for (let index = 0; ;) {
      const [left, right] = [2 * index + 1, 2 * index + 2]
      let least = index
      if (left < this.#heap.length && this.#isBefore(left, least)) least = left
      if (right < this.#heap.length && this.#isBefore(right, least)) least = right
      if (least === index) return first
      this.#swap(index, least)
      index = least
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one]!, this.#heap[other]!]
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
  }

  #swap(one: number, other: number): void {
    const event = this.#heap[one]!
    this.#heap[one] = this.#heap[other]!
    this.#heap[other] = event
  }
}

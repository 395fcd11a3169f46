import type { CacheKey, Place } from './slot-table.ts'

/** The slots of an engine that only this process uses, in memory. */
export type OwnSlots = {
  take(key: CacheKey, isolated: boolean): Place
  /** Others may have used the slots: forgets their owners, and trusts no slot for a while. */
  forget(): void
  /** Notes a generation that was placed in another way; call the result when it has ended. */
  hold(slot: number): () => void
  /** Whether the time after `forget` has passed. */
  readonly isSettled: boolean
}

type Entry = {
  /** The organization whose prompt is in the slot; undefined if that is not certain. */
  owner: string | undefined
  prefix: number
  head: number
  /** The generations that are in the slot or wait for it. */
  running: number
  /** Changes with every generation that takes the slot. */
  turn: number
  usedMs: number
  /** Until then an aborted request may still reach the slot. */
  unsettledUntilMs: number
}

/** The engine notices within about a second that a client has left. */
const UNSETTLED_MS = 5_000
/** A slot of another organization that was idle for so long is taken before one's own. */
const STALE_MS = 60_000

/**
 * `slot-table.lua` decides in the same way for several processes. The new owner of a slot is not
 * recorded before the engine has replaced the cached prompt.
 */
export function createOwnSlots(slots: number, now: () => number): OwnSlots {
  const entries = Array.from({ length: slots }, (): Entry => {
    const never = { usedMs: -Infinity, unsettledUntilMs: -Infinity }
    return { owner: undefined, prefix: 0, head: 0, running: 0, turn: 0, ...never }
  })
  let settledMs = -Infinity
  const leave = (entry: Entry) => {
    entry.running -= 1
    entry.usedMs = now()
  }
  return {
    take({ organizationId, prefix, head }, isolated) {
      const nowMs = now()
      const slot = choose(entries, { organizationId, prefix, head }, nowMs)
      const entry = entries[slot]
      if (entry === undefined) throw new Error('an engine has no slots')
      const reuse = isolated && entry.owner === organizationId && entry.running === 0
      const records = isolated && entry.running === 0 && nowMs >= entry.unsettledUntilMs
      if (!reuse) entry.owner = undefined
      const turn = entry.turn + 1
      Object.assign(entry, { prefix, head, turn, running: entry.running + 1, usedMs: nowMs })
      return {
        use: { slot, reuse },
        progressed() {
          if (records && entry.turn === turn) entry.owner = organizationId
        },
        release(ended) {
          leave(entry)
          if (!ended) entry.unsettledUntilMs = entry.usedMs + UNSETTLED_MS
        },
      }
    },
    forget() {
      settledMs = now() + UNSETTLED_MS
      for (const entry of entries) {
        entry.owner = undefined
        entry.turn += 1
        entry.unsettledUntilMs = settledMs
      }
    },
    hold(slot) {
      const entry = entries[slot]
      if (entry === undefined) return () => undefined
      entry.running += 1
      return () => leave(entry)
    },
    get isSettled() {
      return now() >= settledMs
    },
  }
}

/** The best slot. One that is in use only if all are: the engine lets the generation wait. */
function choose(entries: readonly Entry[], key: CacheKey, nowMs: number): number {
  let best = -1
  let bestRank = Infinity
  for (const [slot, entry] of entries.entries()) {
    const rank = entry.running * BUSY_RANK + rankOf(entry, key, nowMs)
    const other = entries[best]
    const isLater = other !== undefined && entry.usedMs > other.usedMs
    // Of several slots with the conversation the latest is best, otherwise the oldest.
    if (rank < bestRank || (rank === bestRank && isLater === (rank === 0))) best = slot
    bestRank = Math.min(rank, bestRank)
  }
  return best
}

const BUSY_RANK = 5

/** Lower is better. */
function rankOf(entry: Entry, { organizationId, prefix, head }: CacheKey, nowMs: number): number {
  if (entry.owner === organizationId) {
    if (entry.prefix === prefix) return 0
    return entry.head === head ? 2 : 3
  }
  if (nowMs < entry.unsettledUntilMs) return 4
  return entry.owner === undefined || nowMs - entry.usedMs > STALE_MS ? 1 : 3
}

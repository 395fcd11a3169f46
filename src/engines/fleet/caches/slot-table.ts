import type { CacheUse } from '../../adapters/engine.ts'

/** What is known about a request when it gets a slot. */
export type CacheKey = {
  readonly organizationId: string
  /** Hash of the start of the conversation, the same on each of its turns. */
  readonly prefix: number
  /** Hash of its system messages, the same in many conversations. */
  readonly head: number
}

/** The slot of one generation. */
export type Place = {
  readonly use: CacheUse
  /** The engine sent pieces, so the slot holds the prompt of this generation. */
  progressed(): void
  /**
   * `ended` is false if the generation was aborted, so that it may still run in the engine. Only
   * the first call counts.
   */
  release(ended: boolean): void
}

/** The slots of one engine whose prompt cache belongs to its slots. */
export type SlotTable = {
  /** The generation must be sent at once. */
  take(key: CacheKey): Place
  /** Whether the engine was seen to keep the cached prompts of its slots apart. */
  isolated: boolean
  /** Whether organizations find their cached prompts. */
  readonly isReusing: boolean
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
 * Decides which slot of an engine a generation uses, and whether it may reuse what the slot has
 * cached: only if the same organization put it there. When a slot changes its owner nothing is
 * reused, and the new owner is not recorded before the engine has replaced the cached prompt.
 *
 * This process must be the only one that uses the engine. Another one, or this one with another
 * table, may have used it until now: no slot is trusted before all have settled.
 */
export function createSlotTable(
  slots: number,
  now: () => number = () => performance.now(),
): SlotTable {
  const settledMs = now() + UNSETTLED_MS
  const entries = Array.from({ length: slots }, (): Entry => {
    const never = { usedMs: -Infinity, unsettledUntilMs: settledMs }
    return { owner: undefined, prefix: 0, head: 0, running: 0, turn: 0, ...never }
  })
  return {
    isolated: false,
    get isReusing() {
      return this.isolated && now() >= settledMs
    },
    take(key) {
      const nowMs = now()
      const slot = choose(entries, key, nowMs)
      const entry = entries[slot]
      if (entry === undefined) throw new Error('an engine has no slots')
      return occupy(entry, { ...key, slot, isolated: this.isolated, nowMs }, now)
    },
  }
}

type Occupation = CacheKey & {
  readonly slot: number
  readonly isolated: boolean
  readonly nowMs: number
}

/** Puts a generation into a slot, or behind those that are in it. */
function occupy(entry: Entry, occupation: Occupation, now: () => number): Place {
  const { organizationId, prefix, head, slot, isolated, nowMs } = occupation
  const reuse = isolated && entry.owner === organizationId && entry.running === 0
  const records = isolated && entry.running === 0 && nowMs >= entry.unsettledUntilMs
  if (!reuse) entry.owner = undefined
  const turn = entry.turn + 1
  Object.assign(entry, { prefix, head, turn, running: entry.running + 1, usedMs: nowMs })
  let isReleased = false
  return {
    use: { slot, reuse },
    progressed() {
      if (records && entry.turn === turn) entry.owner = organizationId
    },
    release(ended) {
      if (isReleased) return
      isReleased = true
      entry.running -= 1
      entry.usedMs = now()
      if (!ended) entry.unsettledUntilMs = entry.usedMs + UNSETTLED_MS
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

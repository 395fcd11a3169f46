import type { CacheUse } from '../adapters/engine.ts'

/**
 * Who uses an engine at the moment. `alone`: only this process does. `shared`: perhaps others do,
 * who know about us. `closed`: others could believe that they are alone.
 */
export type EngineAccess = 'alone' | 'shared' | 'closed'

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
  /** `ended` is false if the generation was aborted, so that it may still run in the engine. */
  release(ended: boolean): void
}

/** The slots of one engine whose prompt cache belongs to its slots. */
export type SlotTable = {
  take(key: CacheKey): Place
  /** Whether the engine was seen to keep the cached prompts of its slots apart. */
  isolated: boolean
  readonly access: () => EngineAccess
}

type Entry = {
  /** The organization whose prompt is in the slot; undefined if that is not certain. */
  owner: string | undefined
  prefix: number
  head: number
  busy: boolean
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
 * Another process would put its prompts into the same slots. So only a process that is alone uses
 * the caches. A shared engine chooses the slots itself, and reuses nothing.
 */
export function createSlotTable(
  slots: number,
  access: () => EngineAccess,
  now: () => number = () => performance.now(),
): SlotTable {
  const entries = Array.from({ length: slots }, (): Entry => {
    const never = { usedMs: -Infinity, unsettledUntilMs: -Infinity }
    return { owner: undefined, prefix: 0, head: 0, busy: false, ...never }
  })
  let owning = true
  /** Counts the changes between owning and not owning the slots. */
  let period = 0
  /** Running generations whose slot the engine has chosen. */
  let unplaced = 0

  function takeUnplaced(): Place {
    unplaced += 1
    return {
      use: { slot: undefined, reuse: false },
      progressed: () => undefined,
      release: () => void (unplaced -= 1),
    }
  }

  return {
    access,
    isolated: false,
    take(key) {
      const nowMs = now()
      // A generation whose slot is unknown could be in any of them.
      const owns = access() === 'alone' && unplaced === 0
      if (owns !== owning) {
        owning = owns
        period += 1
        for (const entry of entries) entry.owner = undefined
      }
      const slot = owns ? choose(entries, key, nowMs) : -1
      const entry = entries[slot]
      if (entry === undefined) return takeUnplaced()
      const { organizationId, prefix, head } = key
      const reuse = this.isolated && entry.owner === organizationId
      const takenIn = period
      const isSettled = this.isolated && nowMs >= entry.unsettledUntilMs
      if (!reuse) entry.owner = undefined
      Object.assign(entry, { prefix, head, busy: true, usedMs: nowMs })
      return {
        use: { slot, reuse },
        progressed() {
          if (isSettled && takenIn === period) entry.owner = organizationId
        },
        release(ended) {
          entry.busy = false
          entry.usedMs = now()
          if (!ended) entry.unsettledUntilMs = entry.usedMs + UNSETTLED_MS
        },
      }
    },
  }
}

/** The best free slot; -1 if there is none. */
function choose(entries: readonly Entry[], key: CacheKey, nowMs: number): number {
  let best = -1
  let bestRank = Infinity
  for (const [slot, entry] of entries.entries()) {
    if (entry.busy) continue
    const rank = rankOf(entry, key, nowMs)
    const other = entries[best]
    const isLater = other !== undefined && entry.usedMs > other.usedMs
    // Of several slots with the conversation the latest is best, otherwise the oldest.
    if (rank < bestRank || (rank === bestRank && isLater === (rank === 0))) best = slot
    bestRank = Math.min(rank, bestRank)
  }
  return best
}

/** Lower is better. */
function rankOf(entry: Entry, { organizationId, prefix, head }: CacheKey, nowMs: number): number {
  if (entry.owner === organizationId) {
    if (entry.prefix === prefix) return 0
    return entry.head === head ? 2 : 3
  }
  if (nowMs < entry.unsettledUntilMs) return 4
  return entry.owner === undefined || nowMs - entry.usedMs > STALE_MS ? 1 : 3
}

import type { Active } from '../capacity/shared-pools.ts'

/** How many slots of a model an organization may use while others are active. */
export type SlotShares = {
  /** Call when an organization asks for a slot or releases one. */
  noteActive(organizationId: string): void
  /** Those active since the last call; the latest two. */
  takeActive(): readonly string[]
  /** Learns who was active in other processes. */
  learn(active: readonly Active[]): void
  /** Whether an organization that runs so many of so many slots may use one more. */
  mayTake(organizationId: string, running: number, slots: number): boolean
}

/** How long an organization counts as active after it asked for a slot or released one. */
const ACTIVE_MS = 600_000
/** One of so many slots, and at least one, stays free for others that are active. */
const SLOTS_PER_FREE = 9

/**
 * An organization that is alone may use every slot. While another is active it leaves some free, so
 * that the other does not have to wait for generations that may take minutes.
 */
export function createSlotShares(now: () => number = () => performance.now()): SlotShares {
  let latest = { organizationId: '', atMs: -Infinity }
  /** The latest activity of any other organization. */
  let other = latest
  const fresh = new Set<string>()

  function note(organizationId: string, atMs: number): void {
    if (latest.organizationId !== organizationId) other = latest
    latest = { organizationId, atMs }
  }

  return {
    noteActive(organizationId) {
      note(organizationId, now())
      fresh.add(organizationId)
      if (fresh.size > 2) for (const id of fresh) if (fresh.size > 2) fresh.delete(id)
    },
    takeActive() {
      const organizations = [...fresh]
      fresh.clear()
      return organizations
    },
    learn(active) {
      for (const [organizationId, agoMs] of active) {
        const known = [latest, other].find((each) => each.organizationId === organizationId)
        const atMs = now() - agoMs
        if (known === undefined && atMs > other.atMs) other = { organizationId, atMs }
        if (other.atMs > latest.atMs) [latest, other] = [other, latest]
      }
    },
    mayTake(organizationId, running, slots) {
      const { atMs } = latest.organizationId === organizationId ? other : latest
      if (slots < 2 || now() - atMs > ACTIVE_MS) return true
      return running < slots - Math.max(1, Math.floor(slots / SLOTS_PER_FREE))
    },
  }
}

/** How many slots of a model each organization uses, and may use. */
export type SlotShares = {
  /** Call when an organization asks for a slot. */
  asked(organizationId: string): void
  took(organizationId: string): void
  released(organizationId: string): void
  /** Whether an organization may use one more of so many slots. */
  mayTake(organizationId: string, slots: number): boolean
}

/** How long an organization counts as active after it asked for a slot or released one. */
const ACTIVE_MS = 120_000
/** One of so many slots, and at least one, stays free for others that are active. */
const SLOTS_PER_FREE = 9

/**
 * An organization that is alone may use every slot. While another is active it leaves some free, so
 * that the other does not have to wait for generations that may take minutes.
 */
export function createSlotShares(now: () => number = () => performance.now()): SlotShares {
  // Only organizations with running generations.
  const running = new Map<string, number>()
  let latest = { organizationId: '', atMs: -Infinity }
  /** The latest activity of any other organization. */
  let other = latest

  function note(organizationId: string): void {
    if (latest.organizationId !== organizationId) other = latest
    latest = { organizationId, atMs: now() }
  }

  const runningOf = (organizationId: string) => running.get(organizationId) ?? 0

  return {
    asked: note,
    took: (organizationId) => void running.set(organizationId, runningOf(organizationId) + 1),
    released(organizationId) {
      note(organizationId)
      const rest = runningOf(organizationId) - 1
      if (rest > 0) running.set(organizationId, rest)
      else running.delete(organizationId)
    },
    mayTake(organizationId, slots) {
      const { atMs } = latest.organizationId === organizationId ? other : latest
      if (slots < 2 || now() - atMs > ACTIVE_MS) return true
      return runningOf(organizationId) < slots - Math.max(1, Math.floor(slots / SLOTS_PER_FREE))
    },
  }
}

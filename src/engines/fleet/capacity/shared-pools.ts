import type { HeartbeatPart, Telling } from '../heartbeat.ts'

/** An organization that was active, and how long ago. */
export type Active = readonly [organization: string, agoMs: number]

/** What all processes know of one model together. */
export type SharedPool = {
  /** The highest virtual time at which any process started a request. */
  readonly present: number
  /** The two organizations that were active last. */
  readonly active: readonly Active[]
  /** What organizations run in other processes, of those that run much here. */
  readonly runningElsewhere: Readonly<Record<string, number>>
}

/** What the pool of a model contributes. */
export type PoolFigures = {
  /** Organizations that were active since the last call. */
  takeActive(): readonly string[]
  present(): number
  /** Organizations that run much, and how much. */
  running(): Readonly<Record<string, number>>
}

export type SharedPools = {
  readonly part: HeartbeatPart
  add(pool: string, figures: PoolFigures): void
  of(pool: string): SharedPool
  drop(pool: string): void
}

type Counts = Readonly<Record<string, number>>
type PoolReply = readonly [present: number, ...active: (string | number)[]]
type Reply = {
  readonly known: Readonly<Record<string, PoolReply>>
  readonly running: Readonly<Record<string, Counts>>
}

const NOBODY: SharedPool = { present: 0, active: [], runningElsewhere: {} }

export function createSharedPools(): SharedPools {
  const figures = new Map<string, PoolFigures>()
  const shared = new Map<string, SharedPool>()
  /** What was told of each pool's organizations. */
  const told = new Map<string, Counts>()
  /** Pools that are gone, until the others know. */
  const dropped = new Set<string>()
  const of = (pool: string) => shared.get(pool) ?? NOBODY

  /** Those that ran much the last time are told once more, with 0. */
  function takeRunning(): Record<string, Counts> {
    const running: Record<string, Counts> = {}
    for (const [pool, each] of figures) {
      const now = each.running()
      const before = told.get(pool)
      if (before === undefined && Object.keys(now).length === 0) continue
      running[pool] = { ...zerosOf(before), ...now }
      if (Object.keys(now).length === 0) told.delete(pool)
      else told.set(pool, now)
    }
    for (const pool of dropped) running[pool] = zerosOf(told.get(pool))
    return running
  }

  function report({ whole, figures: isTime }: Telling): object | undefined {
    if (!isTime) return undefined
    const active: Record<string, readonly string[]> = {}
    const present: Record<string, number> = {}
    for (const [pool, each] of figures) {
      const organizations = each.takeActive()
      if (organizations.length > 0) active[pool] = organizations
      if (each.present() > of(pool).present) present[pool] = each.present()
    }
    const wanted = whole ? [...figures.keys()] : Object.keys(active)
    return { active, present, wanted, running: takeRunning() }
  }

  function accept(reply: unknown): void {
    if (reply === undefined) return
    const { known, running } = reply as Reply
    for (const pool of dropped) told.delete(pool)
    dropped.clear()
    for (const [pool, each] of Object.entries(known))
      shared.set(pool, { ...of(pool), ...readPool(each) })
    for (const [pool, totals] of Object.entries(running)) {
      if (!figures.has(pool)) continue
      const own = told.get(pool) ?? {}
      const others = Object.entries(totals).map(
        ([organization, total]) => [organization, total - (own[organization] ?? 0)] as const,
      )
      shared.set(pool, { ...of(pool), runningElsewhere: Object.fromEntries(others) })
    }
  }

  return {
    part: { report, accept },
    add(pool, each) {
      figures.set(pool, each)
      dropped.delete(pool)
    },
    of,
    drop(pool) {
      figures.delete(pool)
      shared.delete(pool)
      dropped.add(pool)
    },
  }
}

function zerosOf(counts: Counts = {}): Record<string, number> {
  return Object.fromEntries(Object.keys(counts).map((organization) => [organization, 0]))
}

function readPool([present, ...active]: PoolReply): Pick<SharedPool, 'present' | 'active'> {
  const pairs = active.flatMap((value, index) =>
    index % 2 === 0 ? [[String(value), Number(active[index + 1])] as const] : [],
  )
  return { present, active: pairs }
}

/** Failures of one engine in this process, of the last minute. */
export type FaultLog = {
  add(kind: string, organizationId: string, nowMs: number): void
  /** Of how many organizations requests failed in the last 10 s: one can fail all of its own. */
  recent(nowMs: number): number
  /** Those so far are not recent any more. */
  passed(): void
  /** By kind: how many, and of how many organizations. */
  summary(nowMs: number): Record<string, { count: number; organizations: number }>
}

type Fault = { readonly atMs: number; readonly kind: string; readonly organizationId: string }

/** Beyond it the oldest are forgotten: more say nothing new. */
const FAULTS_MAX = 256
const KEPT_MS = 60_000
const RECENT_MS = 10_000

export function createFaultLog(): FaultLog {
  let faults: Fault[] = []
  /** Those before it are not recent. */
  let recentFrom = 0
  /** How many are recent of each organization, of those that have any. */
  const recent = new Map<string, number>()

  /** Those before this one are not recent any more. */
  function passUntil(index: number): void {
    for (; recentFrom < index; recentFrom += 1) {
      const { organizationId } = faults[recentFrom] ?? { organizationId: '' }
      const rest = (recent.get(organizationId) ?? 0) - 1
      if (rest > 0) recent.set(organizationId, rest)
      else recent.delete(organizationId)
    }
  }

  return {
    add(kind, organizationId, nowMs) {
      if (faults.length >= FAULTS_MAX) {
        passUntil(FAULTS_MAX / 2)
        faults = faults.slice(FAULTS_MAX / 2)
        recentFrom -= FAULTS_MAX / 2
      }
      faults.push({ atMs: nowMs, kind, organizationId })
      recent.set(organizationId, (recent.get(organizationId) ?? 0) + 1)
    },
    recent(nowMs) {
      let from = recentFrom
      while ((faults[from]?.atMs ?? Infinity) <= nowMs - RECENT_MS) from += 1
      passUntil(from)
      return recent.size
    },
    passed: () => passUntil(faults.length),
    summary(nowMs) {
      const kept = faults.filter(({ atMs }) => atMs > nowMs - KEPT_MS)
      const byKind = [...Map.groupBy(kept, ({ kind }) => kind)]
      const counts = byKind.map(([kind, same]) => {
        const organizations = new Set(same.map(({ organizationId }) => organizationId)).size
        return [kind, { count: same.length, organizations }] as const
      })
      return Object.fromEntries(counts)
    },
  }
}

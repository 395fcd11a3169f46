/** Failures of one engine in this process, of the last minute. */
export type FaultLog = {
  add(kind: string, organizationId: string, nowMs: number): void
  /** How many there were in the last 10 s. */
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
  return {
    add(kind, organizationId, nowMs) {
      if (faults.length >= FAULTS_MAX) {
        faults = faults.slice(FAULTS_MAX / 2)
        recentFrom = Math.max(0, recentFrom - FAULTS_MAX / 2)
      }
      faults.push({ atMs: nowMs, kind, organizationId })
    },
    recent(nowMs) {
      while ((faults[recentFrom]?.atMs ?? Infinity) <= nowMs - RECENT_MS) recentFrom += 1
      return faults.length - recentFrom
    },
    passed: () => void (recentFrom = faults.length),
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

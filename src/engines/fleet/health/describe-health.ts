import { worstState } from '../../../contract/engines/engine-severity.ts'
import type { EngineState } from '../../../contract/management/operator-system.ts'
import type { EngineHealth, HealthReport } from './engine-health.ts'

/** What operators see of an engine that is used under one or several model names. */
export function describeHealth(
  healths: readonly EngineHealth[],
  nowMs: number,
): Pick<EngineState, 'state' | 'since' | 'reason' | 'level' | 'faults' | 'probed_at'> {
  const reports = healths.map((health) => health.describe(nowMs))
  const state = worstState(reports.map((report) => report.state))
  const worst = reports.find((report) => report.state === state)
  if (worst === undefined) return {}
  const { sinceMs, reason, level, probedMs } = worst
  const time = (atMs: number) => new Date(performance.timeOrigin + atMs).toISOString()
  return {
    state,
    since: time(sinceMs),
    reason,
    level,
    faults: sumFaults(reports),
    probed_at: probedMs === undefined ? null : time(probedMs),
  }
}

function sumFaults(reports: readonly HealthReport[]): NonNullable<EngineState['faults']> {
  const sums: Record<string, { count: number; organizations: number }> = {}
  for (const { faults } of reports)
    for (const [kind, { count, organizations }] of Object.entries(faults)) {
      const before = sums[kind] ?? { count: 0, organizations: 0 }
      // The same organization may use several models.
      const most = Math.max(before.organizations, organizations)
      sums[kind] = { count: before.count + count, organizations: most }
    }
  return sums
}

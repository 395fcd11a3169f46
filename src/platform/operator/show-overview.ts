import type { OperatorOverview } from '../../contract/management/operator-ledger.ts'
import type { EnginesOfProcess, Process } from '../../contract/management/operator-system.ts'
import { DAY_MS, MINUTE_MS } from '../../lib/time.ts'
import { listReconciliations } from '../../store/ledger/list-reconciliations.ts'
import { readLedger } from '../../store/ledger/read-ledger.ts'
import {
  COUNT_MAX,
  countWaiting,
  findWithoutOrganization,
} from '../../store/tenants/search-accounts.ts'
import { countOrganizations } from '../../store/tenants/search-organizations.ts'
import { countRejected, readBacklog } from '../../store/usage/usage-stream.ts'
import { ValkeyUnavailable } from '../../store/valkey/valkey.ts'
import type { Environment } from '../use-case/environment.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewMoney } from '../use-case/view-money.ts'
import { readEngines } from './list-engines.ts'
import { readProcesses } from './list-processes.ts'
import { viewReconciliation } from './list-reconciliations.ts'

const DIFFERENCES_MAX = 10
/** The worker posts within seconds. */
const UNPOSTED_MS_MAX = 5 * MINUTE_MS

type Facts = Omit<OperatorOverview, 'problems'>

/** What an operator should know first. Everything is bounded, whatever the service holds. */
export const showOverview = defineRead(
  { action: 'overview.show', permission: 'platform:read' },
  async ({ environment, database }, _input: object): Promise<OperatorOverview> => {
    const [waiting, organizations, without, usage, ledger, reconciliation, processes, engines] =
      await Promise.all([
        countWaiting(database),
        countOrganizations(database),
        findWithoutOrganization(database),
        readUsage(environment),
        readLedger(database),
        readReconciliation(environment),
        readProcesses(environment),
        readEngines(environment),
      ])
    const facts: Facts = {
      waiting: upTo(waiting),
      organizations: upTo(organizations),
      without_organization: without,
      usage,
      ledger_sum: ledger.sum === null ? null : viewMoney(ledger.sum, environment.settings.currency),
      reconciliation,
      processes: sumProcesses(processes),
      traffic: sumTraffic(processes),
      engines: sumEngines(engines),
    }
    return { problems: problemsOf(facts), ...facts }
  },
)

function upTo(count: number): { count: number; more: boolean } {
  return { count: Math.min(count, COUNT_MAX), more: count > COUNT_MAX }
}

/** Null if Valkey cannot be asked. */
async function readUsage({ valkey }: Environment): Promise<OperatorOverview['usage']> {
  try {
    const [{ records, oldestMs, open }, rejected] = await Promise.all([
      readBacklog(valkey),
      countRejected(valkey),
    ])
    const oldest = oldestMs === undefined ? null : new Date(oldestMs).toISOString()
    return { running: open, unposted: records, oldest_unposted_at: oldest, rejected }
  } catch (error) {
    if (error instanceof ValkeyUnavailable) return null
    throw error
  }
}

async function readReconciliation({
  database,
}: Environment): Promise<OperatorOverview['reconciliation']> {
  const [[newest], differing] = await Promise.all([
    listReconciliations(database, { limit: 1, differing: false }),
    listReconciliations(database, { limit: DIFFERENCES_MAX, differing: true }),
  ])
  const recent = differing.filter(({ hour }) => Date.now() - hour.getTime() < DAY_MS)
  return {
    checked_at: newest?.checked_at.toISOString() ?? null,
    differences: recent.map(viewReconciliation),
  }
}

function sumProcesses(processes: readonly Process[]): OperatorOverview['processes'] {
  const urlsOf = (chosen: readonly Process[]) =>
    chosen.flatMap(({ url }) => (url === null ? [] : [url]))
  return {
    total: processes.length,
    unreachable: urlsOf(processes.filter(({ reachable }) => !reachable)),
    differing: urlsOf(processes.filter(({ differs }) => differs)),
  }
}

function sumTraffic(processes: readonly Process[]): OperatorOverview['traffic'] {
  const told = processes.flatMap(({ status }) => status?.traffic ?? [])
  if (told.length === 0) return null
  const refusals: Record<string, number> = {}
  for (const each of told)
    for (const [code, count] of Object.entries(each.refusals))
      refusals[code] = (refusals[code] ?? 0) + count
  const sum = (field: 'requests' | 'output_tokens') =>
    told.reduce((total, each) => total + each[field], 0)
  return {
    processes: told.length,
    requests: sum('requests'),
    output_tokens: sum('output_tokens'),
    refusals,
  }
}

function sumEngines(processes: readonly EnginesOfProcess[]): OperatorOverview['engines'] {
  const seen = processes.flatMap(({ url, engines }) =>
    engines.map((engine) => ({ process: url, ...engine })),
  )
  const sum = (field: 'slots' | 'slots_in_use') =>
    seen.reduce((total, { state }) => total + (state?.[field] ?? 0), 0)
  const missing = new Map(
    seen.flatMap(({ name, missing: lacks }) => (lacks?.length ? [[name, lacks] as const] : [])),
  )
  return {
    known: seen.some(({ state }) => state !== null),
    slots: sum('slots'),
    slots_in_use: sum('slots_in_use'),
    unhealthy: seen
      .filter(({ state }) => state?.healthy === false)
      .map(({ process, name }) => ({ process, engine: name })),
    incapable: [...missing].map(([engine, lacks]) => ({ engine, missing: lacks })),
  }
}

function problemsOf(facts: Facts): OperatorOverview['problems'] {
  const { usage, ledger_sum: sum, reconciliation, processes, engines } = facts
  const oldest = usage?.oldest_unposted_at ?? null
  const found: Record<OperatorOverview['problems'][number], boolean> = {
    usage_log_unreachable: usage === null,
    usage_not_posted: oldest !== null && Date.now() - Date.parse(oldest) > UNPOSTED_MS_MAX,
    usage_rejected: usage !== null && usage.rejected > 0,
    ledger_unbalanced: sum !== null && sum.amount_micro !== 0,
    reconciliation_differs: reconciliation.differences.length > 0,
    process_unreachable: processes.unreachable.length > 0,
    configuration_differs: processes.differing.length > 0,
    engine_unhealthy: engines.unhealthy.length > 0,
    engine_incapable: engines.incapable.length > 0,
  }
  const names = Object.keys(found) as OperatorOverview['problems']
  return names.filter((name) => found[name])
}

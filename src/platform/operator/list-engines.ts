import { EnginesReport, type EnginesOfProcess } from '../../contract/management/operator-system.ts'
import { listOrders } from '../../store/fleet/engine-orders.ts'
import { isUuid } from '../../store/postgres/page.ts'
import { namesOfOrganizations } from '../../store/tenants/organizations.ts'
import type { Environment } from '../use-case/environment.ts'
import { defineRead } from '../use-case/use-case.ts'
import { askProcesses } from './ask-processes.ts'
import { viewOrder } from './order-engine.ts'

/** The engines as each process sees them, and the orders that are in force. */
export const listEngines = defineRead(
  { action: 'engine.list', permission: 'platform:read' },
  async ({ environment, database }, _input: object) => {
    const [data, orders] = await Promise.all([readEngines(environment), listOrders(database)])
    const organizations = await namesOfOrganizations(database, heaviestOf(data))
    return { data, orders: orders.map(viewOrder), organizations }
  },
)

function heaviestOf(processes: readonly EnginesOfProcess[]): string[] {
  const pools = processes.flatMap(({ pools: each }) => Object.values(each))
  const ids = pools.flatMap(({ heaviest }) => heaviest.map((one) => one.organization_id))
  return [...new Set(ids)].filter((id) => isUuid(id))
}

export async function readEngines({ settings }: Environment): Promise<EnginesOfProcess[]> {
  const urls = settings.console.api_health_urls
  const answers = await askProcesses(urls, '/engines', EnginesReport)
  return answers.map(({ url, reachable, answer }) => ({
    url,
    reachable,
    engines: answer === null ? [] : enginesOf(answer),
    pools: answer?.pools ?? {},
  }))
}

function enginesOf({ engines, states = {} }: EnginesReport): EnginesOfProcess['engines'] {
  const names = new Set([...Object.keys(engines), ...Object.keys(states)])
  return [...names].map((name) => ({
    name,
    state: states[name] ?? null,
    missing: missingOf(engines[name] ?? null),
  }))
}

function missingOf(
  capabilities: Readonly<Record<string, boolean | 'unknown'>> | null,
): string[] | null {
  if (capabilities === null) return null
  return Object.keys(capabilities).filter((name) => capabilities[name] !== true)
}

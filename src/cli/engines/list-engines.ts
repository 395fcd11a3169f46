import type { Command } from 'commander'
import type { Config } from '../../config/load.ts'
import type { EnginesReport } from '../../contract/management/operator-system.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { EngineOrderRow } from '../../store/fleet/engine-orders.ts'
import { openOperator } from '../operator.ts'
import { jsonOption, processOption, type JsonOption, type ProcessOption } from '../options.ts'
import { printRecord, printTable } from '../print.ts'

const COLUMNS = [
  'engine',
  'state',
  'since',
  'order',
  'running',
  'leased',
  'found',
  'capacity',
  'waiting_inside',
  'first_token_ms',
  'tokens_per_second',
  'reason',
]

export function registerEngineList(engine: Command): void {
  engine
    .command('list')
    .description('list the engines: state, capacity, what runs and waits there, speed')
    .addOption(processOption())
    .addOption(jsonOption())
    .action(async (options: JsonOption & ProcessOption) => {
      const { viewEngine } = await import('./view-engine.ts')
      const { names, known } = await readEngines(options)
      const rows = names.map((name) => viewEngine(name, known))
      printTable(COLUMNS, rows, options)
    })
  engine
    .command('show <engine>')
    .description('show one engine, with its models, failures and missing capabilities')
    .addOption(processOption())
    .addOption(jsonOption())
    .action(async (name: string, options: JsonOption & ProcessOption) => {
      const { viewEngine } = await import('./view-engine.ts')
      const { names, known } = await readEngines(options)
      if (!names.includes(name)) throw new OperatorError('there is no engine with this name')
      printRecord(viewEngine(name, known), options)
    })
}

/** What is known of engines. */
export type Known = {
  readonly config: Pick<Config, 'engines' | 'models'>
  readonly reports: readonly EnginesReport[]
  readonly orders: readonly EngineOrderRow[]
}

/** Those of the configuration first, then others that processes found or that have an order. */
async function readEngines({ process: named }: ProcessOption) {
  await using operator = await openOperator()
  const { configuredHealthUrls } = await import('../processes/health-urls.ts')
  const { readEngineReports, statesByEngine } = await import('../processes/read-engines.ts')
  const { listOrders } = await import('../../store/fleet/engine-orders.ts')
  const { config, database } = operator
  const urls = named.length > 0 ? named : configuredHealthUrls(config)
  const [reports, orders] = await Promise.all([readEngineReports(urls), listOrders(database)])
  const configured = config.engines.map(({ name }) => name)
  const others = [...statesByEngine(reports).keys(), ...orders.map(({ engine }) => engine)]
  const known: Known = { config, reports, orders }
  return { names: [...new Set([...configured, ...others.toSorted()])], known }
}

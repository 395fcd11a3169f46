import type { Command } from 'commander'
import type { Config } from '../config/load.ts'
import { formatAmount } from '../tenancy/money/amount.ts'
import { readPlans, type PlanSettings } from '../tenancy/plan.ts'
import type { Price } from '../tenancy/price.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { jsonOption, type JsonOption } from './options.ts'
import { printRecord, printTable, type Printable } from './print.ts'

export function registerPlan(program: Command): void {
  const plan = program
    .command('plan')
    .description('show plans, which are changed in the configuration file')
  plan
    .command('list')
    .description('list plans')
    .addOption(jsonOption())
    .action(async (options: JsonOption) => {
      const config = await readConfig()
      const views = Object.entries(config.plans).map(([name, each]) => view(name, each, config))
      const columns = Object.keys(views[0] ?? {})
      printTable(columns, views, options)
    })
  plan
    .command('show <plan>')
    .description('show a plan')
    .addOption(jsonOption())
    .action(async (name: string, options: JsonOption) => {
      const config = await readConfig()
      const found = Object.hasOwn(config.plans, name) ? config.plans[name] : undefined
      if (found === undefined) {
        throw new OperatorError(`unknown plan ${JSON.stringify(name)}`)
      }
      printRecord(view(name, found, config), options)
    })
}

async function readConfig() {
  const { loadConfigFromProcess } = await import('../config/load.ts')
  return loadConfigFromProcess('command')
}

function view(name: string, plan: PlanSettings, config: Config): Printable {
  const prices = readPlans({ [name]: plan }, config.models).get(name)?.prices ?? new Map()
  return {
    name,
    default: name === config.default_plan,
    models: plan.models,
    credentials: plan.credentials,
    ignored_parameters: plan.ignored_parameters,
    ...showLimits(plan.limits),
    weight: plan.weight,
    priority: plan.priority,
    billing: plan.billing,
    prices: Array.from(prices, ([id, price]) => showPrice(id, price, config.currency)),
  }
}

function showLimits(limits: PlanSettings['limits']): Printable {
  const { concurrent_requests, concurrent_requests_per_key, ...others } = limits
  const { concurrent_requests_per_model = {}, ...rates } = others
  const byModel = Object.entries(concurrent_requests_per_model)
  return {
    ...rates,
    concurrent_requests: concurrent_requests ?? null,
    concurrent_requests_per_key: concurrent_requests_per_key ?? null,
    concurrent_requests_per_model: byModel.map(([id, limit]) => `${id} ${limit}`),
  }
}

/** Input, cached input and output, in units of the currency per million tokens. */
function showPrice(id: string, price: Price, currency: string): string {
  const parts = [price.input, price.cachedInput, price.output].map(formatAmount)
  return `${id} ${parts.join('/')} ${currency}`
}

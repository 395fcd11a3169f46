import type { Command } from 'commander'
import type { PlanSettings } from '../tenancy/plan.ts'
import { CommandFault } from './operator.ts'
import { jsonOption } from './options.ts'
import type { JsonOption } from './options.ts'
import { printRecord, printTable } from './print.ts'
import type { Printable } from './print.ts'

export function registerPlan(program: Command): void {
  const plan = program
    .command('plan')
    .description('what organizations may do; plans are changed in the configuration file')
  plan
    .command('list')
    .description('list the plans of the configuration')
    .addOption(jsonOption())
    .action(async (options: JsonOption) => {
      const { plans, default_plan } = await readConfig()
      const views = Object.entries(plans).map(([name, each]) => view(name, each, default_plan))
      const columns = Object.keys(views[0] ?? {})
      printTable(columns, views, options)
    })
  plan
    .command('show <plan>')
    .description('show one plan of the configuration')
    .addOption(jsonOption())
    .action(async (name: string, options: JsonOption) => {
      const { plans, default_plan } = await readConfig()
      const found = Object.hasOwn(plans, name) ? plans[name] : undefined
      if (found === undefined) {
        throw new CommandFault(`the configuration has no plan ${JSON.stringify(name)}`)
      }
      printRecord(view(name, found, default_plan), options)
    })
}

async function readConfig() {
  const { loadConfigFromProcess } = await import('../config.ts')
  return loadConfigFromProcess()
}

function view(name: string, plan: PlanSettings, defaultPlan: string): Printable {
  return {
    name,
    default: name === defaultPlan,
    models: plan.models,
    credentials: plan.credentials,
    ...plan.limits,
  }
}

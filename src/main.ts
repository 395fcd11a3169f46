#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { registerAccount } from './commands/account.ts'
import { registerApi } from './commands/api.ts'
import { registerBalance } from './commands/balance.ts'
import { registerConfig } from './commands/config.ts'
import { registerContent } from './commands/content.ts'
import { registerDev } from './commands/dev.ts'
import { registerEngine } from './commands/engine.ts'
import { registerKey } from './commands/key.ts'
import { registerMember } from './commands/member.ts'
import { registerMigrate } from './commands/migrate.ts'
import { registerOrganization } from './commands/organization.ts'
import { registerPlan } from './commands/plan.ts'
import { registerProject } from './commands/project.ts'
import { reportFault } from './commands/report-fault.ts'
import { registerUsage } from './commands/usage.ts'
import { registerWorker } from './commands/worker.ts'

// Commands load what they need when they run, so that `headrace --help` answers at once.

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
  description: string
}

const program = new Command('headrace')
  .description(manifest.description)
  .version(manifest.version)
  .showHelpAfterError('(add --help for what is possible)')

registerApi(program)
registerWorker(program)
registerDev(program)
registerConfig(program)
registerEngine(program)
registerMigrate(program)
registerOrganization(program)
registerAccount(program)
registerMember(program)
registerProject(program)
registerKey(program)
registerPlan(program)
registerBalance(program)
registerUsage(program)
registerContent(program)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = await reportFault(error)
}

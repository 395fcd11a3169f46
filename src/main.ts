#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { registerAccount } from './cli/account.ts'
import { registerBalance } from './cli/balance.ts'
import { registerConfig } from './cli/config.ts'
import { registerContent } from './cli/content.ts'
import { registerEngine } from './cli/engine.ts'
import { registerKey } from './cli/key.ts'
import { registerMember } from './cli/member.ts'
import { registerMigrate } from './cli/migrate.ts'
import { registerOrganization } from './cli/organization.ts'
import { registerPlan } from './cli/plan.ts'
import { registerProject } from './cli/project.ts'
import { reportError } from './cli/report-error.ts'
import { registerServe } from './cli/serve.ts'
import { registerUsage } from './cli/usage.ts'

// Commands load what they need when they run, so that `headrace --help` answers at once.

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
  description: string
}

const program = new Command('headrace')
  .description(manifest.description)
  .version(manifest.version)
  .showHelpAfterError('(see --help)')

registerServe(program)
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
  process.exitCode = await reportError(error)
}

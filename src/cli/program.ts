import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { registerAccount } from './account.ts'
import { registerBalance } from './balance.ts'
import { registerConfig } from './config.ts'
import { registerContent } from './content.ts'
import { registerDebug } from './debug/debug.ts'
import { registerDoctor } from './doctor/doctor.ts'
import { registerEngine } from './engine.ts'
import { registerExplain } from './explain/explain.ts'
import { registerKey } from './key.ts'
import { registerMember } from './member.ts'
import { registerMigrate } from './migrate.ts'
import { registerOrganization } from './organization.ts'
import { registerCapacity } from './capacity/capacity.ts'
import { registerInvoice } from './payments/invoice.ts'
import { registerPayment } from './payments/payment.ts'
import { registerVoucher } from './payments/voucher.ts'
import { registerPlan } from './plan.ts'
import { registerProject } from './project.ts'
import { registerRecover } from './recover.ts'
import { registerReload } from './reload.ts'
import { registerSecrets } from './secrets.ts'
import { registerServe } from './serve.ts'
import { registerTop } from './top/top.ts'
import { registerUsage } from './usage.ts'

/** Commands import their dependencies when they run, so that `headrace --help` is fast. */
export function createProgram(): Command {
  const manifest = new URL('../../package.json', import.meta.url)
  const { version, description } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    version: string
    description: string
  }
  const program = new Command('headrace')
    .description(description)
    .version(version)
    // `recover` and its own command have options of the same names.
    .enablePositionalOptions()
    .showHelpAfterError('(see --help)')
  registerServe(program)
  registerConfig(program)
  registerReload(program)
  registerDoctor(program)
  registerDebug(program)
  registerTop(program)
  registerEngine(program)
  registerMigrate(program)
  registerRecover(program)
  registerOrganization(program)
  registerAccount(program)
  registerMember(program)
  registerProject(program)
  registerKey(program)
  registerPlan(program)
  registerCapacity(program)
  registerBalance(program)
  registerVoucher(program)
  registerPayment(program)
  registerInvoice(program)
  registerUsage(program)
  registerExplain(program)
  registerContent(program)
  registerSecrets(program)
  return program
}

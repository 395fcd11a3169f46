import type { Command } from 'commander'
import { openOperator } from './operator.ts'
import { byOption, jsonOption, type ByOption, type JsonOption } from './options.ts'
import { printRecord } from './print.ts'

export function registerSecrets(program: Command): void {
  const secrets = program
    .command('secrets')
    .description('manage secrets of authenticator apps, identity providers and webhooks')
  secrets
    .command('rewrap')
    .description('re-encrypt stored secrets with the current HEADRACE_SIGNING_KEY')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (options: JsonOption & ByOption) => {
      await using operator = await openOperator()
      const { rewrapSecrets } = await import('../platform/secrets/rewrap-secrets.ts')
      printRecord(await operator.act(rewrapSecrets, {}, options), options)
    })
}

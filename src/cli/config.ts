import type { Command } from 'commander'

export function registerConfig(program: Command): void {
  const config = program.command('config')
  config
    .description('check the configuration and print the effective settings, with secrets masked')
    .action(async () => {
      const { loadConfigFromProcess } = await import('../config/load.ts')
      const { printableConfig } = await import('../config/printable.ts')
      console.log(JSON.stringify(printableConfig(loadConfigFromProcess()), null, 2))
    })
  config
    .command('fingerprint')
    .description('print the SHA-256 of the settings that all processes must share')
    .action(async () => {
      const { loadConfigFromProcess } = await import('../config/load.ts')
      const { fingerprintOf } = await import('../config/fingerprint.ts')
      console.log(fingerprintOf(loadConfigFromProcess('command')))
    })
}

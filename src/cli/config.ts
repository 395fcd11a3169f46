import type { Command } from 'commander'

export function registerConfig(program: Command): void {
  program
    .command('config')
    .description('check the configuration and print the effective settings, with secrets masked')
    .action(async () => {
      const { loadConfigFromProcess } = await import('../config/load.ts')
      const { printableConfig } = await import('../config/printable.ts')
      console.log(JSON.stringify(printableConfig(loadConfigFromProcess()), null, 2))
    })
}

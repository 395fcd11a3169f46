import type { Command } from 'commander'
import { jsonOption, type JsonOption } from './options.ts'

export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description('apply pending database migrations; safe to repeat')
    .addOption(jsonOption())
    .action(async (options: JsonOption) => {
      const { loadConfigFromProcess } = await import('../config/load.ts')
      const { migrate } = await import('../store/postgres/migrate.ts')
      const { checkCurrency } = await import('../store/ledger/currency.ts')
      const { openPostgres } = await import('../store/postgres/postgres.ts')
      const config = loadConfigFromProcess('migrate')
      const applied = await migrate(config.database_url)
      await using postgres = openPostgres(config.database_url, { connectionsMax: 1 })
      await checkCurrency(postgres.pool, config.currency)
      if (options.json === true) console.log(JSON.stringify({ applied }))
      else if (applied.length === 0) console.log('no pending migrations')
      else for (const name of applied) console.log(`applied ${name}`)
    })
}

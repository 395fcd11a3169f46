import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../config/load.ts'
import { checkCurrency, WrongCurrency } from '../store/ledger/currency.ts'
import { isNotMigrated, isUnavailable, openPostgres } from '../store/postgres/postgres.ts'

const RETRY_MS = 1000

/**
 * Rejects a configuration in another currency than that of the ledger. A process starts without
 * PostgreSQL, and before the migration; it is then checked as soon as possible, and ends if it is
 * the wrong one: until then no caller is known, so that nothing is charged.
 */
export async function watchCurrency(config: Config): Promise<void> {
  if (await isChecked(config)) return
  void checkLater(config).catch((error: unknown) => {
    // As at the start.
    console.error(error instanceof WrongCurrency ? error.message : error)
    process.exit(error instanceof WrongCurrency ? error.exitCode : 1)
  })
}

async function checkLater(config: Config): Promise<void> {
  do await pause(RETRY_MS, undefined, { ref: false })
  while (!(await isChecked(config)))
}

/** Returns false if PostgreSQL has no answer yet. */
async function isChecked(config: Config): Promise<boolean> {
  await using postgres = openPostgres(config.database_url, { connectionsMax: 1 })
  try {
    await checkCurrency(postgres.pool, config.currency)
    return true
  } catch (error) {
    if (isUnavailable(error) || isNotMigrated(error)) return false
    throw error
  }
}

import type { Pool } from 'pg'
import { OperatorError } from '../../lib/operator-error.ts'

/** The configuration names another currency than the ledger is kept in. */
export class WrongCurrency extends OperatorError {
  // EX_CONFIG of sysexits.h, as for other errors in the configuration.
  readonly exitCode = 78
  override readonly name = 'WrongCurrency'
  constructor(kept: string, configured: string) {
    super(
      `headrace: the ledger is kept in ${kept}, but the setting currency is ${configured}. ` +
        `Amounts are not converted: set currency: ${kept}, or see docs/operating/billing.md`,
    )
  }
}

/**
 * Rejects a currency that is not the one of the ledger. The first to call it decides, so that
 * amounts never change their currency by a change of the configuration.
 */
export async function checkCurrency(pool: Pick<Pool, 'query'>, currency: string): Promise<void> {
  const read = () => pool.query<{ currency: string }>('select currency from books')
  let { rows } = await read()
  if (rows.length === 0) {
    await pool.query('insert into books (currency) values ($1) on conflict do nothing', [currency])
    rows = (await read()).rows
  }
  const kept = rows[0]?.currency
  if (kept !== undefined && kept !== currency) throw new WrongCurrency(kept, currency)
}

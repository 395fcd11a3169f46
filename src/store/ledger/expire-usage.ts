import type { Pool } from 'pg'
import { dropPartitions, partitionStart } from '../postgres/partitions.ts'
import { firstIdAt } from './first-id-at.ts'

/** The tables of the ledger whose rows can be deleted after a number of days. */
export type ExpiringTable = 'usage_records' | 'usage_hourly' | 'usage_daily' | 'usage_transfers'

/** Rows of `transfers` that one transaction deletes. */
const BATCH_ROWS = 10_000

const SET_KEPT_FROM = `
  insert into kept_from (table_name, day) values ($1, $2)
  on conflict (table_name) do update set day = greatest(kept_from.day, excluded.day)`

/** Adds the sums of transfers that are deleted to the opening of a kept month. */
function addToOpening(source: string): string {
  return `
    insert into usage_transfers (hour, debit_account, credit_account, kind, amount)
    select $1, debit_account, credit_account, 'opening', sum(amount) from ${source}
    group by debit_account, credit_account
    on conflict (hour, debit_account, credit_account, kind)
    do update set amount = usage_transfers.amount + excluded.amount`
}

// The release before the partitions wrote its transfers of usage here. Ids begin with their time.
const EXPIRE_OLD = `
  with gone as (
    delete from transfers where id = any(array(
      select id from transfers where kind = 'usage' and id < $2
      order by id limit ${BATCH_ROWS} for update skip locked))
    returning debit_account, credit_account, amount
  ) ${addToOpening('gone')}`

/**
 * Deletes what is older than this day, a partition at a time, and notes from when on the table is
 * complete. Balances stay the sum of their transfers: the sum of deleted ones is carried forward.
 * Returns how many partitions were dropped.
 */
export async function expireUsage(
  pool: Pool,
  table: ExpiringTable,
  beforeDay: string,
): Promise<number> {
  const firstDay = partitionStart(table, beforeDay)
  const opening = new Date(`${firstDay}T00:00:00Z`)
  const dropped = await dropPartitions(pool, table, beforeDay, async (client, partition) => {
    await client.query(SET_KEPT_FROM, [table, firstDay])
    if (table === 'usage_transfers') await client.query(addToOpening(partition), [opening])
  })
  if (table !== 'usage_transfers') return dropped
  const values = [opening, firstIdAt(opening.getTime())]
  for (let more = true; more;) more = (await pool.query(EXPIRE_OLD, values)).rowCount !== 0
  return dropped
}

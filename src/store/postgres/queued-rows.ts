import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Tables } from './tables.ts'

/** A row of a queue whose deliveries are noted one by one. */
export type QueuedRow = {
  readonly table: 'queued_emails' | 'sent_alerts'
  /** The condition that only this row fulfils. */
  readonly is: RawBuilder<unknown>
  /** The column that says since when it waits. */
  readonly since: 'made_at' | 'reached_at'
}

export type RetryTimes = { readonly delaySeconds: number; readonly givenUpAfterSeconds: number }

/** A recorded delivery is not repeated, whoever takes the row next. */
export async function noteDelivered(
  database: Kysely<Tables>,
  { table, is }: QueuedRow,
  recipient: string,
): Promise<void> {
  await sql`update ${sql.table(table)} set delivered = array_append(delivered, ${recipient})
    where ${is} and not ${recipient} = any(delivered)`.execute(database)
}

/** Addresses are kept no longer than they are needed, here and when it is given up. */
export async function noteSent(database: Kysely<Tables>, { table, is }: QueuedRow): Promise<void> {
  await sql`update ${sql.table(table)} set sent_at = now(), delivered = '{}'
    where ${is}`.execute(database)
}

/** Returns whether it was given up, because it could not be delivered for this long. */
export async function retryLater(
  database: Kysely<Tables>,
  { table, is, since }: QueuedRow,
  { delaySeconds, givenUpAfterSeconds }: RetryTimes,
): Promise<boolean> {
  const isOver = sql`${sql.ref(since)} < now() - ${givenUpAfterSeconds} * interval '1 second'`
  const { rows } = await sql<{ givenUp: boolean }>`
    update ${sql.table(table)} set next_at = now() + ${delaySeconds} * interval '1 second',
      given_up_at = case when ${isOver} then now() end,
      delivered = case when ${isOver} then '{}' else delivered end
    where ${is} returning given_up_at is not null as "givenUp"`.execute(database)
  return rows[0]?.givenUp ?? false
}

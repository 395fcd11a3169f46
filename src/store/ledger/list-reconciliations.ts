import { sql, type Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

export type ReconciliationRow = {
  readonly hour: Date
  readonly source: 'engine' | 'usage_log'
  readonly name: string
  readonly ledger_records: number
  readonly ledger_prompt: number
  readonly ledger_completion: number
  readonly counted_records: number | null
  readonly counted_prompt: number | null
  readonly counted_completion: number
  readonly difference: number
  readonly checked_at: Date
}

type ReconciliationId = Pick<ReconciliationRow, 'hour' | 'source' | 'name'>

export type ReconciliationPage = {
  readonly limit: number
  readonly after?: ReconciliationId
  /** Only those with a difference. */
  readonly differing: boolean
}

/** Newest first, in the order of the primary key. */
export async function listReconciliations(
  database: Kysely<Tables>,
  { limit, after, differing }: ReconciliationPage,
): Promise<ReconciliationRow[]> {
  const beyond =
    after === undefined
      ? sql`true`
      : sql`(hour, source, name) < (${after.hour}::timestamptz, ${after.source}, ${after.name})`
  const { rows } = await sql<ReconciliationRow>`
    select * from reconciliations
    where ${beyond} and ${differing ? sql`difference <> 0` : sql`true`}
    order by hour desc, source desc, name desc limit ${limit}`.execute(database)
  return rows
}

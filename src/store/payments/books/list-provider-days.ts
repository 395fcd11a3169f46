import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../postgres/tables.ts'
import type { DayItem } from './provider-days.ts'

export type ProviderDayRow = {
  readonly day: string
  readonly their_charges: number
  readonly our_charges: number
  readonly their_refunds: number
  readonly our_refunds: number
  readonly their_disputes: number
  readonly our_disputes: number
  readonly their_fees: number
  readonly our_fees: number
  readonly other_fees: Readonly<Record<string, number>>
  readonly without_entry: number
  readonly without_line: number
  readonly awaited: number
  readonly ignored: number
  readonly difference: number
  readonly items: readonly DayItem[]
  readonly compared_at: Date
}

/** Newest first. */
export async function listProviderDays(
  database: Kysely<Tables>,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<ProviderDayRow[]> {
  const { rows } = await sql<ProviderDayRow>`
    select day::text, their_charges, our_charges, their_refunds, our_refunds, their_disputes,
      our_disputes, their_fees, our_fees, other_fees, without_entry, without_line, awaited, ignored,
      difference, items, compared_at
    from provider_days where ${after ?? null}::date is null or day < ${after ?? null}::date
    order by provider_days.day desc limit ${limit}`.execute(database)
  return rows
}

/** What all days that were compared come to: what the provider holds, and what our entries say. */
export type ComparedSums = {
  readonly until: string
  readonly theirs: number
  readonly ours: number
}

/** Undefined before the first day was compared. */
export async function sumProviderDays(database: Kysely<Tables>): Promise<ComparedSums | undefined> {
  const { rows } = await sql<ComparedSums>`
    select max(day)::text as until,
      sum(their_charges + their_refunds + their_disputes - their_fees)::bigint as theirs,
      sum(our_charges + our_refunds + our_disputes - our_fees)::bigint as ours
    from provider_days having count(*) > 0`.execute(database)
  return rows[0]
}

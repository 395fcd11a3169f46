import { sql, type Kysely } from 'kysely'
import { FIRST_ID } from '../postgres/page.ts'
import { dayOf } from '../postgres/partitions.ts'
import type { Tables } from '../postgres/tables.ts'
import { monthOf } from './recent-usage.ts'

/** Alerts looked at per statement. */
const PAGE_ALERTS = 500

type CheckedAlert = {
  readonly id: string
  readonly organizationId: string
  readonly projectId: string | null
  readonly thresholds: readonly number[]
  readonly version: number
  readonly checkedMonth: string | null
  readonly checkedSpent: number | null
  readonly checkedTotal: number | null
  /** All costs that were ever posted for the organization; it only grows. */
  readonly total: number
}

export type AlertsChecked = {
  readonly reached: number
  /** How many months were summed; the rest cannot have reached their next threshold. */
  readonly summed: number
}

/**
 * Records the thresholds that posted usage has reached in this UTC month. For each alert one row of
 * the ledger is read: what the organization has spent since the last check bounds what the alert's
 * month can be by now. Only if that reaches the next threshold are the totals of the month read.
 */
export async function recordReachedAlerts(
  database: Kysely<Tables>,
  nowMs: number,
): Promise<AlertsChecked> {
  const month = monthOf(dayOf(nowMs))
  let reached = 0
  let summed = 0
  for (let after = FIRST_ID; ;) {
    const alerts = await readAlerts(database, after)
    for (const alert of alerts.filter((each) => mayHaveReached(each, month))) {
      summed += 1
      reached += await checkAlert(database, alert, month)
    }
    const last = alerts.at(-1)
    if (last === undefined || alerts.length < PAGE_ALERTS) return { reached, summed }
    after = last.id
  }
}

async function readAlerts(database: Kysely<Tables>, after: string): Promise<CheckedAlert[]> {
  const { rows } = await sql<CheckedAlert>`
    select alert.id, alert.organization_id as "organizationId", alert.project_id as "projectId",
      thresholds, version, to_char(checked_month, 'YYYY-MM-DD') as "checkedMonth",
      checked_spent as "checkedSpent", checked_total as "checkedTotal",
      coalesce(ledger_accounts.debits, 0) as total
    from spending_alerts as alert
    left join ledger_accounts on ledger_accounts.id = 'usage:' || alert.organization_id
    where alert.id > ${after} order by alert.id limit ${PAGE_ALERTS}`.execute(database)
  // An array of bigint is read as texts.
  return rows.map((row) => ({ ...row, thresholds: row.thresholds.map(Number) }))
}

function mayHaveReached(alert: CheckedAlert, month: string): boolean {
  const { checkedMonth, checkedSpent, checkedTotal } = alert
  if (checkedMonth !== month || checkedSpent === null || checkedTotal === null) return true
  const most = checkedSpent + alert.total - checkedTotal
  return alert.thresholds.some((threshold) => threshold > checkedSpent && threshold <= most)
}

/** Returns how many thresholds were reached for the first time. */
async function checkAlert(
  database: Kysely<Tables>,
  alert: CheckedAlert,
  month: string,
): Promise<number> {
  const { organizationId, projectId } = alert
  const owner =
    projectId === null ? sql`organization_id = ${organizationId}` : sql`project_id = ${projectId}`
  const { rows } = await sql<{ spent: number }>`
    select coalesce(sum(cost), 0)::bigint as spent from usage_totals
    where ${owner} and day >= ${month}::date`.execute(database)
  const spent = rows[0]?.spent ?? 0
  const passed = alert.thresholds.filter((threshold) => threshold <= spent)
  return database.transaction().execute(async (transaction) => {
    // A change in the meantime wants its own check.
    const { numUpdatedRows } = await transaction
      .updateTable('spending_alerts')
      .set({ checked_month: month, checked_spent: spent, checked_total: alert.total })
      .where('id', '=', alert.id)
      .where('version', '=', alert.version)
      .executeTakeFirst()
    if (numUpdatedRows === 0n || passed.length === 0) return 0
    const inserted = await transaction
      .insertInto('sent_alerts')
      .values(passed.map((threshold) => ({ alert_id: alert.id, month, threshold, spent })))
      .onConflict((conflict) => conflict.columns(['alert_id', 'month', 'threshold']).doNothing())
      .returning('threshold')
      .execute()
    return inserted.length
  })
}

import { sql, type Kysely, type Transaction } from 'kysely'
import type { Page } from '../postgres/page.ts'
import type { SpendingAlertRow } from '../postgres/platform-tables.ts'
import type { Tables } from '../postgres/tables.ts'

/** An alert of an organization, or of one of its projects. */
export type AlertOf = { readonly organizationId: string; readonly projectId: string | null }

export type AlertSettings = {
  /** Micro-units per calendar month (UTC). */
  readonly thresholds: readonly number[]
  readonly emails: readonly string[]
  readonly webhook: { readonly url: string; readonly sealedSecret: Buffer } | null
}

export type ReachedThreshold = {
  readonly threshold: number
  readonly spent: number
  readonly reachedAt: Date
  readonly sentAt: Date | null
}

export type ListedAlert = SpendingAlertRow & {
  readonly project_name: string | null
  /** Of the current month. */
  readonly reached: readonly ReachedThreshold[]
}

/** Newest first, with what was reached in this month. */
export async function listSpendingAlerts(
  database: Kysely<Tables>,
  organizationId: string,
  month: string,
  page: Page,
): Promise<ListedAlert[]> {
  const alerts = await database
    .selectFrom('spending_alerts')
    .leftJoin('projects', 'projects.id', 'spending_alerts.project_id')
    .selectAll('spending_alerts')
    .select('projects.name as project_name')
    .where('spending_alerts.organization_id', '=', organizationId)
    .$if(page.after !== undefined, (query) =>
      query.where('spending_alerts.id', '<', page.after ?? ''),
    )
    .orderBy('spending_alerts.id', 'desc')
    .limit(page.limit)
    .execute()
  if (alerts.length === 0) return []
  const ids = alerts.map(({ id }) => id)
  const { rows } = await sql<ReachedThreshold & { alert_id: string }>`
    select alert_id, threshold, spent, reached_at as "reachedAt", sent_at as "sentAt"
    from sent_alerts where alert_id = any(${ids}::uuid[]) and month = ${month}::date
    order by threshold`.execute(database)
  return alerts.map(readRow).map((alert) => ({
    ...alert,
    reached: rows.filter(
      (row) => row.alert_id === alert.id && alert.thresholds.includes(row.threshold),
    ),
  }))
}

export async function findSpendingAlert(
  database: Kysely<Tables>,
  of: AlertOf,
): Promise<SpendingAlertRow | undefined> {
  const row = await database
    .selectFrom('spending_alerts')
    .selectAll()
    .where('organization_id', '=', of.organizationId)
    .where('project_id', 'is not distinct from', of.projectId)
    .executeTakeFirst()
  return row === undefined ? undefined : readRow(row)
}

/** Locks the row, so that its version can be compared. */
export async function lockSpendingAlert(
  transaction: Transaction<Tables>,
  of: AlertOf,
): Promise<SpendingAlertRow | undefined> {
  const row = await transaction
    .selectFrom('spending_alerts')
    .selectAll()
    .where('organization_id', '=', of.organizationId)
    .where('project_id', 'is not distinct from', of.projectId)
    .forUpdate()
    .executeTakeFirst()
  return row === undefined ? undefined : readRow(row)
}

/** Undefined if another transaction created one at the same time. */
export async function createSpendingAlert(
  transaction: Transaction<Tables>,
  { organizationId, projectId }: AlertOf,
  settings: AlertSettings & { readonly id: string },
): Promise<SpendingAlertRow | undefined> {
  const row = await transaction
    .insertInto('spending_alerts')
    .values({
      id: settings.id,
      organization_id: organizationId,
      project_id: projectId,
      ...columnsOf(settings),
    })
    .onConflict((conflict) => conflict.columns(['organization_id', 'project_id']).doNothing())
    .returningAll()
    .executeTakeFirst()
  return row === undefined ? undefined : readRow(row)
}

/** Forgets what was reached for thresholds that no longer exist and was not sent yet. */
export async function changeSpendingAlert(
  transaction: Transaction<Tables>,
  id: string,
  settings: AlertSettings,
): Promise<SpendingAlertRow> {
  const columns = columnsOf(settings)
  const row = await transaction
    .updateTable('spending_alerts')
    .set({
      ...columns,
      version: sql<number>`version + 1`,
      updated_at: sql<Date>`now()`,
      // The worker sums the month again.
      checked_month: null,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await transaction
    .deleteFrom('sent_alerts')
    .where('alert_id', '=', id)
    .where('sent_at', 'is', null)
    .where(sql<boolean>`not threshold = any(${columns.thresholds}::bigint[])`)
    .execute()
  return readRow(row)
}

export async function removeSpendingAlert(
  transaction: Transaction<Tables>,
  id: string,
): Promise<void> {
  await transaction.deleteFrom('spending_alerts').where('id', '=', id).execute()
}

function columnsOf({ thresholds, emails, webhook }: AlertSettings) {
  return {
    thresholds: [...thresholds],
    emails: [...emails],
    webhook_url: webhook?.url ?? null,
    webhook_secret: webhook?.sealedSecret ?? null,
  }
}

/** The driver reads an array of bigint as texts. */
function readRow<Row extends { thresholds: number[] }>(row: Row): Row {
  return { ...row, thresholds: row.thresholds.map(Number) }
}

import { sql, type Kysely } from 'kysely'
import type { QueuedRow } from '../postgres/queued-rows.ts'
import type { Tables } from '../postgres/tables.ts'

/** One threshold of one month. */
type AlertKey = {
  readonly alertId: string
  /** The first day of the month. */
  readonly month: string
  readonly threshold: number
}

export type DueAlert = AlertKey & {
  readonly row: QueuedRow
  readonly spent: number
  readonly reachedAt: Date
  readonly attempts: number
  /** Recipients that have it already. */
  readonly delivered: readonly string[]
  readonly emails: readonly string[]
  readonly webhookUrl: string | null
  readonly webhookSecret: Buffer | null
  readonly organizationId: string
  readonly organization: { readonly id: string; readonly slug: string; readonly name: string }
  readonly project: { readonly id: string; readonly name: string } | null
}

type DueRow = Omit<DueAlert, 'row' | 'organization' | 'project'> & {
  readonly slug: string
  readonly organizationName: string
  readonly projectId: string | null
  readonly projectName: string | null
}

/**
 * Takes alerts that are due, oldest first, for as long as the lease lasts. Nobody else takes them
 * until then; if the process dies, somebody does afterwards.
 */
export async function claimAlerts(
  database: Kysely<Tables>,
  limit: number,
  leaseSeconds: number,
): Promise<DueAlert[]> {
  const { rows } = await sql<DueRow>`
    with due as (
      select alert_id, month, threshold from sent_alerts
      where sent_at is null and given_up_at is null and next_at <= now()
      order by next_at limit ${limit} for update skip locked
    ), claimed as (
      update sent_alerts as sent set
        attempts = attempts + 1, next_at = now() + ${leaseSeconds} * interval '1 second'
      from due where sent.alert_id = due.alert_id and sent.month = due.month
        and sent.threshold = due.threshold
      returning sent.*
    )
    select claimed.alert_id as "alertId", to_char(claimed.month, 'YYYY-MM-DD') as month,
      claimed.threshold, claimed.spent, claimed.reached_at as "reachedAt", claimed.attempts,
      claimed.delivered, alert.emails, alert.webhook_url as "webhookUrl",
      alert.webhook_secret as "webhookSecret", alert.organization_id as "organizationId",
      organizations.slug, organizations.name as "organizationName",
      projects.id as "projectId", projects.name as "projectName"
    from claimed join spending_alerts as alert on alert.id = claimed.alert_id
    join organizations on organizations.id = alert.organization_id
    left join projects on projects.id = alert.project_id`.execute(database)
  return rows.map(({ slug, organizationName, projectId, projectName, ...due }) => ({
    ...due,
    row: { table: 'sent_alerts', is: isAlert(due), since: 'reached_at' },
    organization: { id: due.organizationId, slug, name: organizationName },
    project: projectId === null ? null : { id: projectId, name: projectName ?? '' },
  }))
}

function isAlert({ alertId, month, threshold }: AlertKey) {
  return sql`alert_id = ${alertId} and month = ${month}::date and threshold = ${threshold}`
}

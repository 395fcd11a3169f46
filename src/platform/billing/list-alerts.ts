import type { PageQuery } from '../../contract/management/schemas.ts'
import { monthOf } from '../../store/ledger/recent-usage.ts'
import { listSpendingAlerts } from '../../store/ledger/spending-alerts.ts'
import { dayOf } from '../../store/postgres/partitions.ts'
import { readPage } from '../use-case/page.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewAlert } from './view-alert.ts'

/** Spending alerts of the organization and its projects, with what was reached this month. */
export const listAlerts = defineRead(
  { action: 'spending_alert.list', permission: 'alerts:read' },
  ({ environment, database, access: { organization } }, query: PageQuery) =>
    readPage(
      query,
      (page) => listSpendingAlerts(database, organization.id, monthOf(dayOf(Date.now())), page),
      (alert) => viewAlert(alert, environment.settings.currency),
      ({ id }) => id,
    ),
)

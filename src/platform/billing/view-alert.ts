import type { SpendingAlert } from '../../contract/management/spending-alert.ts'
import type { ListedAlert } from '../../store/ledger/spending-alerts.ts'
import { viewMoney } from '../use-case/view-money.ts'

export function viewAlert(alert: ListedAlert, currency: string): SpendingAlert {
  const money = (micro: number) => viewMoney(micro, currency)
  return {
    project:
      alert.project_id === null ? null : { id: alert.project_id, name: alert.project_name ?? '' },
    thresholds: alert.thresholds.map(money),
    emails: [...alert.emails],
    webhook_url: alert.webhook_url,
    version: alert.version,
    reached: alert.reached.map(({ threshold, spent, reachedAt, sentAt }) => ({
      threshold: money(threshold),
      spent: money(spent),
      reached_at: reachedAt.toISOString(),
      sent_at: sentAt?.toISOString() ?? null,
    })),
  }
}

import type { SpendingAlert } from '../../api/routes.ts'
import { alerts as words } from '../../words/billing.ts'

export const ALERTS = 'GET /organizations/{organization}/spending-alerts'

export function scopeOf({ project }: Pick<SpendingAlert, 'project'>): string {
  return project?.name ?? words.organization
}

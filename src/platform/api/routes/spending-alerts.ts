import { Type } from 'typebox'
import { listOf, PAGE_QUERY } from '../../../contract/management/schemas.ts'
import {
  AlertTest,
  AlertTestInput,
  ChangedSpendingAlert,
  SpendingAlert,
  SpendingAlertChange,
} from '../../../contract/management/spending-alert.ts'
import { changeAlert } from '../../billing/change-alert.ts'
import { testAlert } from '../../billing/test-alert.ts'
import { listAlerts } from '../../billing/list-alerts.ts'
import { defineRoute, type Route } from '../route.ts'

const ALERTS = '/organizations/{organization}/spending-alerts'

export const SPENDING_ALERT_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: ALERTS,
    summary: 'Spending alerts, and what was reached this month.',
    does: listAlerts,
    query: Type.Object(PAGE_QUERY, { additionalProperties: false }),
    status: 200,
    answer: listOf(SpendingAlert),
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
  }),
  defineRoute({
    method: 'PUT',
    path: ALERTS,
    summary: 'Set the spending alert of the organization or of one project.',
    does: changeAlert,
    body: SpendingAlertChange,
    status: 200,
    answer: ChangedSpendingAlert,
    secret: true,
    input: ({ path, body, client }) => ({
      organization: path['organization']!,
      ...body,
      ifMatch: client.ifMatch,
    }),
    reply: (alert) => ({ body: alert, headers: { etag: `"${alert.version}"` } }),
    example: { body: { thresholds: ['50', '100'], emails: ['billing@example.com'] } },
  }),
  defineRoute({
    method: 'POST',
    path: `${ALERTS}/test`,
    summary: 'Send a test to the webhook and the addresses of a saved alert.',
    does: testAlert,
    body: AlertTestInput,
    status: 200,
    answer: AlertTest,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: { body: { project: null } },
  }),
]

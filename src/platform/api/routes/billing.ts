import { Type } from 'typebox'
import { Statements, StatementQuery } from '../../../contract/management/statement.ts'
import {
  Balance,
  BillingContacts,
  Credits,
  Overview,
  PlanModels,
  Transfer,
} from '../../../contract/management/billing.ts'
import { listOf, PAGE_QUERY } from '../../../contract/management/schemas.ts'
import { changeBillingContacts, showBillingContacts } from '../../billing/billing-contacts.ts'
import { exportStatement } from '../../billing/export-statement.ts'
import { getBalance } from '../../billing/get-balance.ts'
import { listCredits } from '../../billing/list-credits.ts'
import { listStatements } from '../../billing/list-statements.ts'
import { listTransfers } from '../../billing/list-transfers.ts'
import { getOverview } from '../../organizations/get-overview.ts'
import { listModels } from '../../organizations/list-models.ts'
import { defineRoute, type Route } from '../route.ts'
import { createExports } from '../send-export.ts'

const ORGANIZATION = '/organizations/{organization}'

export const BILLING_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/overview`,
    summary: 'Plan, limits, keys, usage of today and this month, and balance, in one call.',
    does: getOverview,
    status: 200,
    answer: Overview,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/models`,
    summary: 'Models of the plan and their prices.',
    does: listModels,
    status: 200,
    answer: PlanModels,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/balance`,
    summary: 'What was granted and spent, what running requests hold, and a forecast.',
    does: getBalance,
    status: 200,
    answer: Balance,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/billing-contacts`,
    summary: 'Who gets emails about money instead of the owners.',
    does: showBillingContacts,
    status: 200,
    answer: BillingContacts,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'PUT',
    path: `${ORGANIZATION}/billing-contacts`,
    summary: 'Set who gets emails about money instead of the owners.',
    does: changeBillingContacts,
    body: BillingContacts,
    status: 200,
    answer: BillingContacts,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: { body: { emails: ['billing@example.com'] } },
  }),
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/balance/transfers`,
    summary: 'What has changed the balance, except usage, newest first.',
    does: listTransfers,
    query: Type.Object(PAGE_QUERY, { additionalProperties: false }),
    status: 200,
    answer: listOf(Transfer),
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
  }),
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/credits`,
    summary: 'Money that expires and is not used up, by when it expires.',
    does: listCredits,
    status: 200,
    answer: Credits,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/statements`,
    summary: 'What was used in each month that is over, newest first.',
    does: listStatements,
    status: 200,
    answer: Statements,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/statements/{month}/cells`,
    summary: 'Download a statement by project and model, as JSON or CSV.',
    does: exportStatement,
    query: StatementQuery,
    status: 200,
    contentType: 'text/csv',
    input: ({ path, query }) => ({
      organization: path['organization']!,
      month: path['month']!,
      ...query,
    }),
    send: createExports(),
    example: { query: 'format=csv' },
  }),
]

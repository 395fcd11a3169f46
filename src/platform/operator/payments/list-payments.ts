import type {
  DisputesQuery,
  OperatorPaymentsQuery,
} from '../../../contract/payments/operator-payment.ts'
import { listDisputes as readDisputes } from '../../../store/payments/disputes.ts'
import { listPayments as readPayments } from '../../../store/payments/list-payments.ts'
import { returnedOf } from '../../../store/payments/returned-money.ts'
import { findOrganization } from '../../../store/tenants/organizations.ts'
import { readPage } from '../../use-case/page.ts'
import { defineRead } from '../../use-case/use-case.ts'
import { viewAnyDispute, viewAnyPayment } from './view-any-payment.ts'

/** Payments of all organizations, newest first. */
export const listAnyPayments = defineRead(
  { action: 'payment.list_any', permission: 'platform:read' },
  async ({ database }, { state, organization, ...query }: OperatorPaymentsQuery) => {
    const id =
      organization === undefined ? undefined : (await findOrganization(database, organization)).id
    return readPage(
      query,
      async (page) => {
        const rows = await readPayments(database, { state, organizationId: id }, page)
        const returned = await returnedOf(
          database,
          rows.map((row) => row.id),
        )
        return rows.map((row) => ({ row, returned: returned.get(row.id) ?? 0 }))
      },
      ({ row, returned }) => viewAnyPayment(row, returned),
      ({ row }) => row.id,
    )
  },
)

/** Disputes of all organizations, newest first. */
export const listDisputes = defineRead(
  { action: 'dispute.list', permission: 'platform:read' },
  async ({ environment, database }, { state, ...query }: DisputesQuery) =>
    readPage(
      query,
      (page) => readDisputes(database, state, page),
      (row) => viewAnyDispute(row, environment.settings.currency),
      ({ id }) => id,
    ),
)

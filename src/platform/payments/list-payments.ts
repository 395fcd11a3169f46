import type { PageQuery } from '../../contract/management/schemas.ts'
import { listPayments as readPayments } from '../../store/payments/list-payments.ts'
import { readPage } from '../use-case/page.ts'
import { defineRead } from '../use-case/use-case.ts'
import { mayPay, viewPayment } from './view-payment.ts'

/** Payments of the organization, newest first. */
export const listPayments = defineRead(
  { action: 'payment.list', permission: 'payments:read' },
  ({ database, access }, query: PageQuery) =>
    readPage(
      query,
      (page) => readPayments(database, { organizationId: access.organization.id }, page),
      (row) => viewPayment(row, mayPay(access)),
      ({ id }) => id,
    ),
)

import {
  DisputesQuery,
  OperatorDispute,
  NewRefund,
  OperatorPayment,
  OperatorPaymentDetail,
  OperatorPaymentsQuery,
  PaymentResolution,
  Refund,
} from '../../../../contract/payments/operator-payment.ts'
import { ProviderDay, ProviderDaysQuery } from '../../../../contract/payments/provider-day.ts'
import { listOf } from '../../../../contract/management/schemas.ts'
import { checkAnyPayment } from '../../../operator/payments/check-payment.ts'
import { listAnyPayments, listDisputes } from '../../../operator/payments/list-payments.ts'
import { listProviderDays } from '../../../operator/payments/list-provider-days.ts'
import { resolvePayment } from '../../../operator/payments/resolve-payment.ts'
import { showAnyPayment } from '../../../operator/payments/show-payment.ts'
import { requestRefund } from '../../../payments/returned-money/request-refund.ts'
import { defineRoute, type Route } from '../../route.ts'

const PAYMENTS = '/operator/payments'
const PAYMENT = `${PAYMENTS}/{payment}`

export const OPERATOR_PAYMENT_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: PAYMENTS,
    summary: 'List payments of all organizations, newest first.',
    does: listAnyPayments,
    needs: 'payments',
    query: OperatorPaymentsQuery,
    status: 200,
    answer: listOf(OperatorPayment),
    input: ({ query }) => query,
    example: { query: 'state=attention' },
  }),
  defineRoute({
    method: 'GET',
    path: PAYMENT,
    summary: 'Show a payment with its refunds, disputes, and all that happened to it.',
    does: showAnyPayment,
    needs: 'payments',
    status: 200,
    answer: OperatorPaymentDetail,
    input: ({ path }) => ({ payment: path['payment']! }),
  }),
  defineRoute({
    method: 'POST',
    path: `${PAYMENT}/check`,
    summary: 'Read a payment at the provider now, with its refunds and disputes.',
    does: checkAnyPayment,
    needs: 'payments',
    status: 200,
    answer: OperatorPaymentDetail,
    input: ({ path }) => ({ payment: path['payment']! }),
  }),
  defineRoute({
    method: 'POST',
    path: `${PAYMENT}/resolve`,
    summary: 'Decide about a payment that contradicts what was asked for.',
    does: resolvePayment,
    needs: 'payments',
    body: PaymentResolution,
    status: 200,
    answer: OperatorPaymentDetail,
    input: ({ path, body }) => ({ payment: path['payment']!, ...body }),
    example: { body: { how: 'outside', reason: 'paid back by bank transfer' } },
  }),
  defineRoute({
    method: 'POST',
    path: `${PAYMENT}/refunds`,
    summary:
      'Refund a part of a payment or all of it. The balance may become negative. If the provider ' +
      'does not answer, the refund stays `requested` and is asked for again.',
    does: requestRefund,
    needs: 'payments',
    body: NewRefund,
    status: 201,
    answer: Refund,
    input: ({ path, body }) => ({ payment: path['payment']!, ...body }),
    example: { body: { amount: { amount: '5.00' }, reason: 'duplicate order' } },
  }),
  defineRoute({
    method: 'GET',
    path: '/operator/disputes',
    summary: 'List disputes of all organizations, newest first.',
    does: listDisputes,
    needs: 'payments',
    query: DisputesQuery,
    status: 200,
    answer: listOf(OperatorDispute),
    input: ({ query }) => query,
    example: { query: 'state=open' },
  }),
  defineRoute({
    method: 'GET',
    path: '/operator/provider-days',
    summary:
      "List daily comparisons of the payment provider's books with the ledger, newest first.",
    does: listProviderDays,
    needs: 'payments',
    query: ProviderDaysQuery,
    status: 200,
    answer: listOf(ProviderDay),
    input: ({ query }) => query,
  }),
]

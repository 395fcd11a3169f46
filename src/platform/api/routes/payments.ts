import { Type } from 'typebox'
import {
  NewPayment,
  Payment,
  PaymentOptions,
  PaymentPortal,
} from '../../../contract/payments/payment.ts'
import { listOf, PAGE_QUERY } from '../../../contract/management/schemas.ts'
import { cancelPayment } from '../../payments/cancel-payment.ts'
import { checkPayment } from '../../payments/check-payment.ts'
import { listPayments } from '../../payments/list-payments.ts'
import { openPortal } from '../../payments/customer/open-portal.ts'
import { showDocument } from '../../payments/show-document.ts'
import { showPayment, showPaymentOptions } from '../../payments/show-payment.ts'
import { startPayment } from '../../payments/start-payment.ts'
import { defineRoute, type Route } from '../route.ts'

const ORGANIZATION = '/organizations/{organization}'
const PAYMENTS = `${ORGANIZATION}/payments`
const PAYMENT = `${PAYMENTS}/{payment}`

export const PAYMENT_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/payment-options`,
    summary: 'Which amounts can be paid, whether tax is added, and which card is kept.',
    does: showPaymentOptions,
    needs: 'payments',
    status: 200,
    answer: PaymentOptions,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'GET',
    path: PAYMENTS,
    summary: 'List payments, newest first.',
    does: listPayments,
    needs: 'payments',
    query: Type.Object(PAGE_QUERY, { additionalProperties: false }),
    status: 200,
    answer: listOf(Payment),
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
  }),
  defineRoute({
    method: 'POST',
    path: PAYMENTS,
    summary:
      'Start a payment. The answer has the page where it is paid. If the answer is lost, the ' +
      'same `Idempotency-Key` gives 409 with the id of the payment: check that one.',
    does: startPayment,
    needs: 'payments',
    body: NewPayment,
    status: 201,
    answer: Payment,
    secret: true,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: { body: { amount: { amount: '25.00' } } },
  }),
  defineRoute({
    method: 'GET',
    path: PAYMENT,
    summary: 'Show a payment as it is known here.',
    does: showPayment,
    needs: 'payments',
    status: 200,
    answer: Payment,
    input: inputOf,
  }),
  defineRoute({
    method: 'POST',
    path: `${PAYMENT}/check`,
    summary: 'Read a payment at the provider now, and open its page if that was not done.',
    does: checkPayment,
    needs: 'payments',
    status: 200,
    answer: Payment,
    secret: true,
    input: inputOf,
  }),
  defineRoute({
    method: 'POST',
    path: `${PAYMENT}/cancel`,
    summary: 'Close the page of a payment. One that was paid at the same moment succeeds.',
    does: cancelPayment,
    needs: 'payments',
    status: 200,
    answer: Payment,
    input: inputOf,
  }),
  defineRoute({
    method: 'GET',
    path: `${PAYMENT}/document`,
    summary: "Go to the provider's invoice or receipt. It opens without signing in.",
    does: showDocument,
    needs: 'payments',
    status: 303,
    input: inputOf,
    reply: ({ url }) => ({ headers: { location: url } }),
  }),
  defineRoute({
    method: 'POST',
    path: `${ORGANIZATION}/payment-portal`,
    summary:
      "Open the provider's page for card, address, tax id and invoices. Its address works for " +
      'minutes, and without signing in.',
    does: openPortal,
    needs: 'payments',
    status: 200,
    answer: PaymentPortal,
    secret: true,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
]

function inputOf({ path }: { readonly path: Readonly<Record<string, string>> }) {
  return { organization: path['organization']!, payment: path['payment']! }
}

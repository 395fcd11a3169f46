import {
  InvoiceDecision,
  OperatorInvoice,
  OperatorInvoicesQuery,
} from '../../../../contract/payments/invoice.ts'
import { listOf } from '../../../../contract/management/schemas.ts'
import {
  markInvoicePaid,
  voidInvoice,
  writeOffInvoice,
} from '../../../operator/payments/decide-invoice.ts'
import { listInvoices } from '../../../operator/payments/list-invoices.ts'
import { defineRoute, type Route } from '../../route.ts'

const INVOICES = '/operator/invoices'
const INVOICE = `${INVOICES}/{invoice}`

export const OPERATOR_INVOICE_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: INVOICES,
    summary: 'List invoices of postpaid organizations that are not paid, newest month first.',
    does: listInvoices,
    needs: 'payments',
    query: OperatorInvoicesQuery,
    status: 200,
    answer: listOf(OperatorInvoice),
    input: ({ query }) => query,
  }),
  defineRoute({
    method: 'POST',
    path: `${INVOICE}/mark-paid`,
    summary: 'Note that an invoice was paid to your bank account.',
    does: markInvoicePaid,
    needs: 'payments',
    body: InvoiceDecision,
    status: 200,
    answer: OperatorInvoice,
    input: ({ path, body }) => ({ invoice: path['invoice']!, ...body }),
    example: { body: { reason: 'bank transfer of 3 November' } },
  }),
  defineRoute({
    method: 'POST',
    path: `${INVOICE}/void`,
    summary: 'Make an invoice void: its amount is owed on the balance again.',
    does: voidInvoice,
    needs: 'payments',
    body: InvoiceDecision,
    status: 200,
    answer: OperatorInvoice,
    input: ({ path, body }) => ({ invoice: path['invoice']!, ...body }),
    example: { body: { reason: 'wrong price' } },
  }),
  defineRoute({
    method: 'POST',
    path: `${INVOICE}/write-off`,
    summary: 'Expect the money of an invoice no more.',
    does: writeOffInvoice,
    needs: 'payments',
    body: InvoiceDecision,
    status: 200,
    answer: OperatorInvoice,
    input: ({ path, body }) => ({ invoice: path['invoice']!, ...body }),
    example: { body: { reason: 'insolvent' } },
  }),
]

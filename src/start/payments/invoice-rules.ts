import type { Config } from '../../config/load.ts'
import type { InvoiceRules } from '../../store/ledger/issue-statements.ts'

/** By what statements become invoices with this configuration; undefined without payments. */
export function invoiceRules({
  payments,
  plans,
  currency,
}: Pick<Config, 'payments' | 'plans' | 'currency'>): InvoiceRules | undefined {
  if (payments === undefined) return undefined
  const postpaid = Object.entries(plans).filter(([, { billing }]) => billing === 'postpaid')
  return {
    currency,
    postpaidPlans: postpaid.map(([name]) => name),
    daysUntilDue: payments.invoice_days,
  }
}

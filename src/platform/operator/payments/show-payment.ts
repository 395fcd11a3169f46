import type {
  OperatorPaymentDetail,
  TimelineEntry,
} from '../../../contract/payments/operator-payment.ts'
import { disputesOf } from '../../../store/payments/disputes.ts'
import { findProviderAccount } from '../../../store/payments/provider-account.ts'
import { readTraces, type Traced } from '../../../store/payments/payment-traces.ts'
import { listRefunds } from '../../../store/payments/refunds.ts'
import { sumReturned } from '../../../store/payments/returned-money.ts'
import { findOrganization } from '../../../store/tenants/organizations.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import { findAnyPayment } from '../../payments/find-own.ts'
import { viewDispute, viewRefund } from '../../payments/returned-money/view-returned.ts'
import type { Environment } from '../../use-case/environment.ts'
import { defineRead } from '../../use-case/use-case.ts'
import { viewMoney } from '../../use-case/view-money.ts'
import { viewAnyPayment } from './view-any-payment.ts'

/** A payment of any organization with all that happened to it. */
export const showAnyPayment = defineRead(
  { action: 'payment.show_any', permission: 'platform:read' },
  async (
    { environment, database },
    { payment }: { readonly payment: string },
  ): Promise<OperatorPaymentDetail> =>
    readDetail(environment, await findAnyPayment(database, payment)),
)

export async function readDetail(
  environment: Pick<Environment, 'database' | 'paymentProvider'>,
  row: PaymentRow,
): Promise<OperatorPaymentDetail> {
  const { database } = environment
  const { currency } = row
  const { slug, name } = await findOrganization(database, row.organization_id)
  const refunds = await listRefunds(database, [row.id])
  const disputes = await disputesOf(database, [row.id])
  const { amount: returned } = await sumReturned(database, row.id)
  const traces = await readTraces(database, row, [
    ...refunds.map((each) => ({ about: 'refund' as const, ...each })),
    ...disputes.map((each) => ({ about: 'dispute' as const, ...each })),
  ])
  const paid = row.state === 'succeeded' ? row.amount + (row.tax ?? 0) : 0
  return {
    payment: viewAnyPayment({ ...row, slug, name }, returned),
    refundable: viewMoney(Math.max(0, paid - returned), currency),
    refs: { page: row.ref, money: row.money_ref, invoice: row.invoice_ref },
    dashboard_url: await dashboardUrlOf(environment, row),
    next_reading_at: row.next_at?.toISOString() ?? null,
    refunds: refunds.map((each) => viewRefund(each, currency)),
    disputes: disputes.map((each) => viewDispute(each, currency)),
    timeline: traces.map((trace) => viewTrace(trace, currency)),
  }
}

/** That of its money, or of the invoice that nobody has paid yet. */
async function dashboardUrlOf(
  { database, paymentProvider: provider }: Pick<Environment, 'database' | 'paymentProvider'>,
  { money_ref: money, invoice_ref: invoice, ref }: PaymentRow,
): Promise<string | null> {
  const account = await findProviderAccount(database)
  const shown = money ?? invoice ?? ref
  if (provider === null || account === undefined || shown === null) return null
  return provider.dashboardUrl(account, shown)
}

function viewTrace({ at, kind, name, by, amount, way }: Traced, currency: string): TimelineEntry {
  return {
    at: at.toISOString(),
    kind,
    name,
    by,
    amount: amount === null ? null : viewMoney(amount, currency),
    way,
  }
}

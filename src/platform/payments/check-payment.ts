import type { Payment } from '../../contract/payments/payment.ts'
import { ProviderError } from '../../payments/provider-error.ts'
import { claimPayment } from '../../store/payments/payment-queue.ts'
import type { PaymentRow } from '../../store/postgres/payment-tables.ts'
import type { OrganizationRow } from '../../store/postgres/tables.ts'
import type { Environment } from '../use-case/environment.ts'
import { defineFlow } from '../use-case/use-case.ts'
import { findOwnPayment } from './find-own.ts'
import { READING_LEASE_SECONDS } from './next-reading.ts'
import { observePayment } from './observe.ts'
import { openPage } from './open-page.ts'
import { OPENED_WITHIN_MS } from './start-payment.ts'
import { viewPayment } from './view-payment.ts'

const CLAIM = { leaseSeconds: READING_LEASE_SECONDS, pauseSeconds: 1 }

/**
 * Reads a payment at the provider now, or opens its page if that was not done. The answer is what
 * is known here afterwards: without an answer of the provider that is what was known before.
 */
export const checkPayment = defineFlow(
  { action: 'payment.check', permission: 'payments:write' },
  async (
    { environment, access: { organization } },
    { payment }: { readonly payment: string },
  ): Promise<Payment> => {
    const row = await findOwnPayment(environment.database, organization.id, payment)
    const read = await readNow(environment, organization, row)
    environment.paymentMetrics?.heard('return', read.state === row.state ? 'repeated' : 'new')
    return viewPayment(read, true)
  },
)

/** Somebody else may be reading it: their result is in the next answer. */
export async function readNow(
  environment: Environment,
  organization: OrganizationRow,
  row: PaymentRow,
): Promise<PaymentRow> {
  if (row.ref === null && row.kind === 'page') {
    const isYoung = Date.now() - row.created_at.getTime() < OPENED_WITHIN_MS
    const isSuspended = organization.suspended_at !== null
    const opens = row.state === 'created' && isYoung && !isSuspended
    return opens ? openPage(environment, organization, row) : row
  }
  const claimed = await claimPayment(environment.database, row.id, CLAIM)
  if (claimed === undefined) return row
  try {
    return await observePayment(environment, claimed)
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return row
  }
}

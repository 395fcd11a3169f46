import type { Transaction } from 'kysely'
import { traceError } from '../../../lib/log.ts'
import { hintAtPayment } from '../../../store/payments/payment-queue.ts'
import { findPaymentByMoney, lockPayment } from '../../../store/payments/payments.ts'
import { noteRaised } from '../../../store/people/announcements.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import type { RaisedVersion } from '../../../store/tenants/versions.ts'
import type { Environment } from '../../use-case/environment.ts'

/**
 * `over`: it is not read again without a hint. `unknown`: no payment has its money, so it is either
 * none of ours or of a payment that was not read yet.
 */
export type Progress = 'over' | 'pending' | 'unknown'

export type Applied = { readonly over: boolean; readonly raised: readonly RaisedVersion[] }

/**
 * Applies what was read of a refund or a dispute to its payment, which is locked, in one
 * transaction. Money that was not credited yet cannot go back: the payment is read first.
 */
export async function applyToPayment(
  environment: Environment,
  moneyRef: string | null,
  apply: (transaction: Transaction<Tables>, payment: PaymentRow) => Promise<Applied>,
): Promise<Progress> {
  const { database } = environment
  const found = moneyRef === null ? undefined : await findPaymentByMoney(database, moneyRef)
  if (found === undefined) return 'unknown'
  // It was never credited, and its money is no concern of the ledger.
  if (found.resolution === 'outside') return 'over'
  const applied = await database.transaction().execute(async (transaction) => {
    const payment = await lockPayment(transaction, found)
    if (payment.state !== 'succeeded') {
      if (payment.ref !== null) await hintAtPayment(transaction, payment.ref)
      return { over: false, raised: [] }
    }
    const done = await apply(transaction, payment)
    await noteRaised(transaction, done.raised)
    return done
  })
  // The worker delivers what cannot be announced now.
  await environment.announce(applied.raised).catch((error: unknown) => {
    const organizationId = found.organization_id
    environment.log.warn({ organizationId, error: traceError(error) }, 'payment not announced yet')
  })
  return applied.over ? 'over' : 'pending'
}

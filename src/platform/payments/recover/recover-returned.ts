import type { Kysely } from 'kysely'
import type { DisputeState, RefundState } from '../../../contract/payments/refund-states.ts'
import type { ListedReturn, PaymentProvider } from '../../../payments/provider.ts'
import { findDispute } from '../../../store/payments/disputes.ts'
import { findPaymentByMoney } from '../../../store/payments/payments.ts'
import { findRefundOf } from '../../../store/payments/refunds.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import type { Environment } from '../../use-case/environment.ts'
import { readAgain } from '../returned-money/read-due.ts'

export type RecoveredReturn = {
  readonly about: 'refund' | 'dispute'
  /** At the provider. */
  readonly ref: string
  readonly paymentId: string
  readonly state: RefundState | DisputeState | null
  readonly done: 'applied' | 'not_read' | 'to_read'
}

/**
 * Reads refunds and disputes of payments that we know, as a hint about them would. Returns those
 * whose state is another one now, and those that could not be read.
 */
export async function recoverReturned(
  environment: Environment,
  provider: PaymentProvider,
  { since, dryRun }: { readonly since: Date; readonly dryRun: boolean },
): Promise<RecoveredReturn[]> {
  const { database } = environment
  const recovered: RecoveredReturn[] = []
  for await (const listed of provider.listReturned(since)) {
    const { about, ref, moneyRef } = listed
    const payment = moneyRef === null ? undefined : await findPaymentByMoney(database, moneyRef)
    if (payment === undefined || payment.resolution === 'outside') continue
    const before = await findState(database, payment, listed)
    if (!dryRun) await readAgain(environment, about, ref)
    const state = dryRun ? before : await findState(database, payment, listed)
    if (state !== null && state === before) continue
    const done = state === null ? 'not_read' : 'applied'
    recovered.push({ about, ref, paymentId: payment.id, state, done: dryRun ? 'to_read' : done })
  }
  return recovered
}

async function findState(
  database: Kysely<Tables>,
  { id }: PaymentRow,
  { about, ref }: ListedReturn,
): Promise<RefundState | DisputeState | null> {
  const row =
    about === 'refund'
      ? await findRefundOf(database, id, { ref, refundId: null })
      : await findDispute(database, ref)
  return row?.state ?? null
}

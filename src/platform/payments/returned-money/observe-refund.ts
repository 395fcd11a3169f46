import type { Transaction } from 'kysely'
import { uuidV7 } from '../../../lib/uuid.ts'
import { ProviderError } from '../../../payments/provider-error.ts'
import type { RefundFacts } from '../../../payments/refund.ts'
import { orderReading } from '../../../store/payments/provider-readings.ts'
import { changeRefund, findRefundOf, insertRefund } from '../../../store/payments/refunds.ts'
import type { PaymentRow, RefundRow } from '../../../store/postgres/payment-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import type { Environment } from '../../use-case/environment.ts'
import { viewMoney } from '../../use-case/view-money.ts'
import { providerOf } from '../provider-of.ts'
import { pauseAfterRefund } from '../top-up/pause-after-refund.ts'
import { queueRefundedEmail } from '../watch/queue-refunded-email.ts'
import { applyToPayment, type Applied, type Progress } from './apply-to-payment.ts'
import { judgeRefund, placeOfRefund } from './judge-refund.ts'
import { moveMoney } from './move-money.ts'
import { noteAsSystem } from './note-as-system.ts'

/** Reads a refund at the provider and applies what was found, whoever made it. */
export async function observeRefund(environment: Environment, ref: string): Promise<Progress> {
  const { provider } = await providerOf(environment)
  const facts = await provider.readRefund(ref)
  return applyToPayment(environment, facts.moneyRef, async (transaction, payment) =>
    applyRefund(transaction, payment, facts),
  )
}

async function applyRefund(
  transaction: Transaction<Tables>,
  payment: PaymentRow,
  facts: RefundFacts,
): Promise<Applied> {
  const known = await findRefundOf(transaction, payment.id, facts)
  checkAmount(payment, known, facts)
  // What was refused here and exists there was taken: it is judged as one that nobody knew.
  const before = known?.state === 'failed' && known.ref === null ? null : (known?.state ?? null)
  const state = judgeRefund(before, facts.state)
  const over = state === 'succeeded' || state === 'failed'
  if (known !== undefined && state === known.state && known.ref === facts.ref)
    return { over, raised: [] }
  const row = known ?? (await recordFound(transaction, payment, facts))
  const way = [placeOfRefund(before), placeOfRefund(state)] as const
  const moved = await moveMoney(transaction, payment, { about: 'refund', ...row }, way)
  const { tax, moves, raised } = moved
  const { ref, failure } = facts
  const changed = await changeRefund(transaction, row.id, { state, tax, moves, ref, failure })
  if (state === 'succeeded' && before !== state) await queueRefundedEmail(transaction, changed)
  if (way[0] === 'funds' && way[1] !== 'funds') await pauseAfterRefund(transaction, payment)
  // Nobody asks for its credit note: it was given up here, or its row was lost.
  if (before === null && row.note === 'owed') await orderReading(transaction, 'request', row.id)
  if (over)
    await noteAsSystem(transaction, payment, {
      action: 'refund.settle',
      target: { kind: 'refund', id: row.id },
      changes: {
        state: [before, state],
        amount: [null, viewMoney(row.amount, payment.currency)],
        ...(failure !== null && { failure: [null, failure] }),
      },
    })
  return { over, raised }
}

/** A refund is never another amount than was asked for; if one is, a person looks. */
function checkAmount(
  { id, currency }: PaymentRow,
  known: RefundRow | undefined,
  facts: RefundFacts,
): void {
  const same = known === undefined || (known.payment_id === id && known.amount === facts.amount)
  if (same && facts.currency === currency && facts.amount > 0) return
  throw new ProviderError('unreadable', `the refund ${facts.ref} is another one than ours`)
}

/** It was made in the provider's dashboard, or a restore has lost its row. */
async function recordFound(
  transaction: Transaction<Tables>,
  payment: PaymentRow,
  { ref, amount, refundId }: RefundFacts,
): Promise<RefundRow> {
  const row = await insertRefund(transaction, {
    id: uuidV7(),
    payment_id: payment.id,
    organization_id: payment.organization_id,
    amount,
    requested_by: null,
    reason: null,
    ref,
    // One of ours was lost here, perhaps before its credit note was written.
    note: refundId === null || payment.invoice_ref === null ? null : 'owed',
  })
  await noteAsSystem(transaction, payment, {
    action: 'refund.request',
    target: { kind: 'refund', id: row.id },
    changes: {
      payment: [null, payment.id],
      amount: [null, viewMoney(amount, payment.currency)],
      made_at_provider: [null, true],
    },
  })
  return row
}

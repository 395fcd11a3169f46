import type { Transaction } from 'kysely'
import { uuidV7 } from '../../../lib/uuid.ts'
import { ProviderError } from '../../../payments/provider-error.ts'
import type { DisputeFacts } from '../../../payments/provider.ts'
import { changeDispute, findDispute, insertDispute } from '../../../store/payments/disputes.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import type { Environment } from '../../use-case/environment.ts'
import { viewMoney } from '../../use-case/view-money.ts'
import { providerOf } from '../provider-of.ts'
import { pauseFor } from '../top-up/pause-for.ts'
import { alertOfDispute } from '../watch/alert-operators.ts'
import { applyToPayment, type Applied, type Progress } from './apply-to-payment.ts'
import { isOverDispute, judgeDispute, placeOfDispute } from './judge-dispute.ts'
import { moveMoney } from './move-money.ts'
import { noteAsSystem } from './note-as-system.ts'

/** Reads a dispute at the provider and applies what was found. */
export async function observeDispute(environment: Environment, ref: string): Promise<Progress> {
  const { provider } = await providerOf(environment)
  const facts = await provider.readDispute(ref)
  return applyToPayment(environment, facts.moneyRef, async (transaction, payment) =>
    applyDispute(transaction, payment, facts),
  )
}

async function applyDispute(
  transaction: Transaction<Tables>,
  payment: PaymentRow,
  facts: DisputeFacts,
): Promise<Applied> {
  const before = (await findDispute(transaction, facts.ref)) ?? null
  checkAmount(payment, before, facts)
  const after = judgeDispute(before, facts)
  const over = isOverDispute(after)
  const changed = (['state', 'withdrawn', 'returned'] as const).some(
    (name) => before?.[name] !== after[name],
  )
  if (!changed) return { over, raised: [] }
  const row = before ?? (await record(transaction, payment, facts))
  const way = [placeOfDispute(before), placeOfDispute(after)] as const
  const moved = await moveMoney(transaction, payment, { about: 'dispute', ...row }, way)
  const { tax, moves, raised } = moved
  await changeDispute(transaction, row.id, { ...after, tax, moves })
  await alertOfDispute(transaction, payment, { ...row, state: after.state })
  if (before?.state !== after.state) await note(transaction, payment, row.id, before, after, facts)
  const isTaken = way[0] === 'funds' && way[1] !== 'funds'
  const isAgainstUs = before?.state !== after.state && after.state !== 'won'
  // Whoever disputes a charge would dispute the next one, too, also if an owner has resumed it.
  if (isTaken || isAgainstUs) await pauseFor(transaction, payment, 'dispute')
  return { over, raised }
}

async function note(
  transaction: Transaction<Tables>,
  payment: PaymentRow,
  id: string,
  before: { readonly state: string } | null,
  { state }: { readonly state: string },
  { amount, reason }: DisputeFacts,
): Promise<void> {
  await noteAsSystem(transaction, payment, {
    action: state === 'won' || state === 'lost' ? 'dispute.close' : 'dispute.open',
    target: { kind: 'dispute', id },
    changes: {
      payment: [null, payment.id],
      state: [before?.state ?? null, state],
      amount: [null, viewMoney(amount, payment.currency)],
      reason: [null, reason],
    },
  })
}

function checkAmount(
  { id, currency }: PaymentRow,
  before: { readonly payment_id: string; readonly amount: number } | null,
  facts: DisputeFacts,
): void {
  const same = before === null || (before.payment_id === id && before.amount === facts.amount)
  if (same && facts.currency === currency && facts.amount > 0) return
  throw new ProviderError('unreadable', `the dispute ${facts.ref} is another one than ours`)
}

async function record(
  transaction: Transaction<Tables>,
  payment: PaymentRow,
  { ref, state, amount, reason }: DisputeFacts,
) {
  return insertDispute(transaction, {
    id: uuidV7(),
    payment_id: payment.id,
    organization_id: payment.organization_id,
    state,
    amount,
    reason,
    ref,
  })
}

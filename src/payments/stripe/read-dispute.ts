import type { DisputeFacts } from '../provider.ts'
import { Dispute, idOf } from './answers.ts'
import { toMicro } from './read-payment.ts'
import type { Send } from './requests/send-request.ts'

/**
 * Whether money was taken and given back is told by the dispute's transactions. Their amounts are
 * in the account's currency, those here in the payment's.
 */
export async function readDispute(send: Send, ref: string): Promise<DisputeFacts> {
  const path = `/v1/disputes/${encodeURIComponent(ref)}`
  const { body: dispute } = await send({ method: 'GET', path, answer: Dispute })
  const amount = toMicro(dispute.currency, dispute.amount)
  const moved = dispute.balance_transactions
  return {
    ref,
    state: stateOf(dispute.status),
    moneyRef: idOf(dispute.payment_intent),
    currency: dispute.currency.toUpperCase(),
    amount,
    withdrawn: moved.some((line) => line.amount < 0) ? amount : 0,
    returned: moved.some((line) => line.amount > 0) ? amount : 0,
    reason: dispute.reason,
  }
}

function stateOf(status: string): DisputeFacts['state'] {
  if (status === 'won' || status === 'lost') return status
  if (status === 'warning_closed' || status === 'prevented') return 'won'
  return status.startsWith('warning_') ? 'inquiry' : 'open'
}

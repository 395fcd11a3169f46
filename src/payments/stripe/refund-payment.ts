import { toMinor } from '../../tenancy/money/minor-units.ts'
import type { NewRefund, RefundFacts, SoughtRefund } from '../refund.ts'
import { Created, idOf, Refund } from './answers.ts'
import { secondsBefore } from './find-payment.ts'
import { listAll } from './requests/list-all.ts'
import { toMicro } from './read-payment.ts'
import type { Send } from './requests/send-request.ts'

/** The refund has our id on it: a webhook about it may be faster than the answer. */
export async function refundPayment(send: Send, refund: NewRefund): Promise<{ ref: string }> {
  const { body } = await send({
    method: 'POST',
    path: '/v1/refunds',
    idempotencyKey: `${refund.id}-refund-${refund.attempt}`,
    form: {
      payment_intent: refund.moneyRef,
      amount: toMinor(refund.currency, refund.amount),
      metadata: { refund_id: refund.id },
    },
    answer: Created,
  })
  return { ref: body.id }
}

export async function findRefund(
  send: Send,
  { id, moneyRef, createdAt }: SoughtRefund,
): Promise<string | null> {
  const form = { payment_intent: moneyRef, created: { gte: secondsBefore(createdAt) } }
  for await (const refund of listAll(send, '/v1/refunds', form, Refund))
    if (refund.metadata?.['refund_id'] === id) return refund.id
  return null
}

export async function readRefund(send: Send, ref: string): Promise<RefundFacts> {
  const path = `/v1/refunds/${encodeURIComponent(ref)}`
  const { body: refund } = await send({ method: 'GET', path, answer: Refund })
  return {
    ref,
    state: stateOf(refund.status),
    refundId: refund.metadata?.['refund_id'] ?? null,
    moneyRef: idOf(refund.payment_intent),
    currency: refund.currency.toUpperCase(),
    amount: toMicro(refund.currency, refund.amount),
    failure: refund.failure_reason ?? null,
  }
}

function stateOf(status: string | null): RefundFacts['state'] {
  if (status === 'succeeded') return 'succeeded'
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending'
}

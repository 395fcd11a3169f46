import { toMinor } from '../../tenancy/money/minor-units.ts'
import type { NewCreditNote, SoughtCreditNote } from '../refund.ts'
import { Created, CreditNote, idOf } from './answers.ts'
import { listAll } from './requests/list-all.ts'
import type { Send } from './requests/send-request.ts'

/** It takes up a refund that was made, so that no other money moves. */
export async function writeCreditNote(send: Send, note: NewCreditNote): Promise<{ ref: string }> {
  const amount = toMinor(note.currency, note.amount)
  const { body } = await send({
    method: 'POST',
    path: '/v1/credit_notes',
    idempotencyKey: `${note.refundId}-note-${note.attempt}`,
    form: {
      invoice: note.invoiceRef,
      amount,
      refunds: [{ refund: note.refundRef, amount_refunded: amount }],
      metadata: { refund_id: note.refundId },
    },
    answer: Created,
  })
  return { ref: body.id }
}

/** One that somebody wrote in the dashboard names the refund and has no id of ours. */
export async function findCreditNote(
  send: Send,
  { refundId, refundRef, invoiceRef }: SoughtCreditNote,
): Promise<string | null> {
  const form = { invoice: invoiceRef }
  for await (const note of listAll(send, '/v1/credit_notes', form, CreditNote)) {
    const isNamed = (note.refunds ?? []).some(({ refund }) => idOf(refund) === refundRef)
    const isOurs = note.metadata?.['refund_id'] === refundId
    if (note.status !== 'void' && (isNamed || isOurs)) return note.id
  }
  return null
}
